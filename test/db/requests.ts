// Requests that run every query: a test compares the responses of D1 and a sandbox, and e2e/compare.ts those of two servers.
const rex = { name: "Rex", photoUrls: ["a.png"], tags: [{ name: "dog" }], status: "sold" };
const ann = { username: "ann", password: "secret", userStatus: 0 };

const file = new Blob(["GIF89a;"], { type: "image/gif" });

function upload(fields: Readonly<Record<string, string>> = {}): FormData {
  const form = new FormData();
  form.set("file", file);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

interface Init {
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly body?: Blob | FormData;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Sent = readonly [method: string, path: string, init?: Init];

/** Requests that run every query, starting with empty storage. `:etag` and `:image` are from the previous response. */
export const REQUESTS: readonly Sent[] = [
  ["GET", "/v2/store/inventory"],
  ["POST", "/v2/pet", { json: rex }],
  ["POST", "/v2/pet", { json: { ...rex, id: 1, name: "Max" } }],
  ["POST", "/v2/pet", { json: { id: 5, name: "Ida", photoUrls: "a.png,b.png", tags: ["dog", "🐶"] } }],
  ["POST", "/v2/pet", { json: { ...rex, category: { id: 1 } }, headers: { "Idempotency-Key": "k" } }],
  ["POST", "/v2/pet", { json: { ...rex, category: { id: 1 } }, headers: { "Idempotency-Key": "k" } }],
  ["POST", "/v2/pet", { json: rex, headers: { "Idempotency-Key": "k" } }],
  ["POST", "/v2/pet", { json: { name: "", photoUrls: ["javascript:x"], tags: [1] } }],
  ["GET", "/v2/pet/1"],
  ["GET", "/v2/pet/1", { headers: { "If-None-Match": ":etag" } }],
  ["PUT", "/v2/pet", { json: { ...rex, id: 1 }, headers: { "If-Match": ":etag" } }],
  ["PUT", "/v2/pet", { json: { ...rex, id: 1 }, headers: { "If-Match": '"1"' } }],
  ["GET", "/v2/pet/findByStatus?status=sold,pending"],
  ["GET", "/v2/pet/findByStatus?status=sold&limit=1"],
  ["GET", "/v2/pet/findByStatus?status=sold&limit=1&after=1"],
  ["POST", "/v2/pet/1/uploadImage", { body: upload({ additionalMetadata: "x" }) }],
  ["POST", "/v2/pet/5/uploadImage", { body: upload() }],
  ["POST", "/api/v3/pet/1/uploadImage", { body: file }],
  ["GET", "/v2/pet/1"],
  ["GET", ":image"],
  ["GET", ":image", { headers: { Range: "bytes=0-2" } }],
  ["GET", ":image", { headers: { "If-None-Match": ":etag" } }],
  ["GET", "/v2/store/inventory"],
  ["DELETE", "/v2/pet/1", { headers: { "If-Match": '"1"' } }],
  ["DELETE", "/v2/pet/1"],
  ["DELETE", "/v2/pet/1"],
  ["POST", "/v2/store/order", { json: { petId: 5, complete: false, shipDate: "2024-03-01T10:00Z" } }],
  ["POST", "/v2/store/order", { json: {}, headers: { "Idempotency-Key": "k" } }],
  ["POST", "/v2/store/order", { json: { id: 1 } }],
  ["GET", "/v2/store/order/1"],
  ["DELETE", "/v2/store/order/1"],
  ["GET", "/v2/store/order/1"],
  ["POST", "/v2/user", { json: ann }],
  ["POST", "/v2/user", { json: ann }],
  ["POST", "/v2/user", { json: {} }],
  ["POST", "/v2/user/createWithArray", { json: [{ username: "bob" }, { username: "ann" }] }],
  ["POST", "/v2/user/createWithArray", { json: [{ username: "bob" }, { id: 70 }] }],
  ["POST", "/api/v3/user/createWithList", { json: [{ username: "eve", password: "x" }] }],
  ["GET", "/v2/user/ann"],
  ["PUT", "/v2/user/ann", { json: { phone: "1", password: "changed" } }],
  ["PUT", "/v2/user/ann", { json: { username: "bob" } }],
  ["PUT", "/api/v3/user/ann", { json: { username: "anna" } }],
  ["GET", "/v2/user/login?username=anna&password=changed"],
  ["GET", "/v2/user/logout"],
  ["DELETE", "/v2/user/anna"],
  ["PATCH", "/v2/pet"],
  ["GET", "/v2/openapi.json"],
  ["OPTIONS", "/v2/pet", { headers: { Origin: "https://a.example" } }],
];

/** Headers with random values. */
const RANDOM = /^(?:date|x-request-id|x-expires-after|last-modified)$/;

/**
 * Sends requests in order.
 * @param path the path below which they are sent: "", or that of a sandbox
 * @param origin the URL that responses may contain
 * @returns the responses, without what differs between two runs
 */
export async function exchange(
  requests: readonly Sent[],
  path: string,
  origin: string,
  send: (method: string, target: string, init: Init) => Promise<Response>,
) {
  const responses = [];
  let etag = "";
  let image = "";
  for (const [method, to, init] of requests) {
    const headers = Object.entries(init?.headers ?? {}).map(([name, value]) => [name, value.replace(":etag", etag)]);
    const response = await send(method, to === ":image" ? image : `${path}${to}`, {
      ...init,
      headers: Object.fromEntries(headers) as Record<string, string>,
    });
    const body = await response.text();
    etag = response.headers.get("etag") ?? etag;
    image = /\/[\w/-]*\/images\/[\w-]+\.gif/.exec(body)?.[0] ?? image;
    const show = (value: string) =>
      value
        .replaceAll(origin, "")
        .replaceAll(path || "/none", "")
        .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "<uuid>")
        .replaceAll(/"\d{6,}"/g, '"<version>"')
        .replaceAll(/"(?:expiresAt|at|ms)":[^,}]*/g, "<time>")
        .replaceAll(/(session[=:] ?)[\w-]{43}/g, "$1<token>");
    const shown = [...response.headers].filter(([name]) => !RANDOM.test(name));
    responses.push({
      request: `${method} ${to}`,
      status: response.status,
      body: show(body),
      headers: Object.fromEntries(shown.map(([name, value]) => [name, show(value)])),
    });
  }
  return responses;
}
