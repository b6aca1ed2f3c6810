import { expect, test } from "vitest";
import { formOf, sandbox, send, type Init } from "../client.ts";

const rex = { name: "Rex", photoUrls: ["a.png"], tags: [{ name: "dog" }], status: "sold" };
const ann = { username: "ann", password: "secret", userStatus: 0 };

const file = new Blob(["GIF89a;"], { type: "image/gif" });

type Request = readonly [method: string, path: string, init?: Init];

/** Requests that run every query, starting with empty storage. `:etag` and `:image` are from the previous response. */
const REQUESTS: readonly Request[] = [
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
  ["POST", "/v2/pet/1/uploadImage", { body: formOf({ file, additionalMetadata: "x" }) }],
  ["POST", "/v2/pet/5/uploadImage", { body: formOf({ file }) }],
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

/** Headers with random values, D1's bookmark, and `Vary`, which names `Prefer` in sandboxes. */
const DIFFERENT = /^(?:date|x-request-id|x-expires-after|x-d1-bookmark|last-modified|vary)$/;

/** Sends all requests under a base path. */
async function answersBelow(path: string) {
  const responses = [];
  let etag = "";
  let image = "";
  for (const [method, to, init] of REQUESTS) {
    const headers = Object.entries((init?.headers ?? {}) as Record<string, string>);
    const response = await send(method, to === ":image" ? image : `${path}${to}`, {
      ...init,
      headers: headers.map(([name, value]) => [name, value.replace(":etag", etag)] as const),
    });
    const body = await response.text();
    etag = response.headers.get("etag") ?? etag;
    image = /\/[\w/-]*\/images\/[\w-]+\.gif/.exec(body)?.[0] ?? image;
    const shown = (value: string) =>
      value
        .replaceAll(path || "/none", "")
        .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "<uuid>")
        .replaceAll(/"\d{6,}"/g, '"<version>"')
        .replaceAll(/(session[=:] ?)[\w-]{43}/g, "$1<token>");
    responses.push({
      request: `${method} ${to}`,
      status: response.status,
      body: shown(body),
      headers: [...response.headers]
        .filter(([name]) => !DIFFERENT.test(name))
        .map(([name, value]) => `${name}: ${shown(value)}`),
    });
  }
  return responses;
}

test("a sandbox returns the same responses as the shared database, except for its path", async () => {
  const ofWorker = await answersBelow("");
  const ofSandbox = await answersBelow(sandbox());
  for (const [index, response] of ofWorker.entries()) expect(ofSandbox[index]).toEqual(response);
  expect(new Set(ofWorker.map(({ status }) => status))).toEqual(
    new Set([200, 204, 206, 304, 400, 404, 405, 409, 412, 422]),
  );
});
