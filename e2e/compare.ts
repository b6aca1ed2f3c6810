// Sends the same requests to `npm start` and to the package's command, and compares the responses. Every known difference
// is in DIFFERENCES, with its reason; any other one fails.
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { startPackage, withServer } from "./server.ts";

interface Difference {
  readonly reason: string;
  /** The requests, such as `GET /v2/pet/1`. */
  readonly requests: RegExp;
  /** Names of headers, `status`, and `body`. */
  readonly names: RegExp;
}

const DIFFERENCES: readonly Difference[] = [
  { reason: "only D1 has bookmarks", requests: /^/, names: /^x-d1-bookmark$/ },
  {
    reason: "in front of wrangler's Worker stands a proxy, which sends pages and documents in chunks",
    requests: /^/,
    names: /^(?:transfer-encoding|content-length)$/,
  },
  {
    reason: "workerd's own assets have other tags, and no cache",
    requests: /^(?:GET|HEAD) \/docs\//,
    names: /^(?:etag|cf-cache-status)$/,
  },
  {
    reason: "the Worker itself responds to an unknown page, and to other methods at a page: 404, and 405 with Allow",
    requests: /^(?:\S+ \/docs\/nothing|(?:POST|OPTIONS) \/docs\/(?:page\.css)?)$/,
    names: /^/,
  },
];

/** Headers that differ between two requests to the same server. */
const VOLATILE = new Set(["date", "x-request-id", "x-expires-after"]);

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What a server sent before, and later requests send back. */
type Memory = Record<"etag" | "token" | "image" | "sandbox", string>;

/** A generator of the same numbers in every run. */
let seed = 20261128;
function pick<Item>(...items: readonly Item[]): Item {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return items[seed % items.length] as Item;
}

const json = (method: string, path: string, value: unknown, headers = {}): Sent => ({
  method,
  path,
  headers: { "Content-Type": "application/json", ...headers },
  body: typeof value === "string" ? value : JSON.stringify(value),
});

const upload = (path: string, content: string): Sent => ({
  method: "POST",
  path,
  headers: { "Content-Type": "multipart/form-data; boundary=b" },
  body: `--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n${content}\r\n--b--\r\n`,
});

/** Requests to one API, which may be below a sandbox. */
function requestsTo(api: string): Sent[] {
  const id = pick<string | number>(1, 2, 5, 10, 11, 12, 99, "007", -1, "%ZZ", "x");
  const method = pick("GET", "HEAD", "PUT", "PATCH", "OPTIONS");
  const accept = { Accept: pick("text/html", "application/json", "*/*"), Origin: "http://elsewhere.example" };
  const pet = {
    id: pick(1, 11, 12, 0),
    name: pick("Rex", "", "Ä\u{1F436}"),
    photoUrls: pick<string | string[]>(["a"], "a,b", [""], ["mailto:x"]),
  };
  const order = { petId: 1, quantity: pick(1, -1, 1.5), shipDate: pick("2026-01-01T00:00Z", "x"), complete: true };
  const user = { username: pick("ada", "user1", "login"), password: pick("secret", ""), firstName: pick("Ada", null) };
  const conditions = pick<Record<string, string>>(
    { "If-Match": "{etag}" },
    { "If-None-Match": "{etag}" },
    { "If-None-Match": "*" },
    { "If-Match": '"x"' },
    { "If-Match": "123" },
  );
  const range = { Range: pick("bytes=2-4", "bytes=-3", "bytes=50-", "bytes=4-2", "bytes=0-1,3-4", "items=1-2") };
  return [
    { method: "GET", path: `${api}/pet/${id}`, headers: accept },
    { method, path: `${api}/pet/1` },
    { method: "GET", path: `${api}/pet/1`, headers: conditions },
    { method: "GET", path: `${api}/pet/findByStatus?status=${pick("sold", "available,pending", "", "none")}` },
    {
      method: "GET",
      path: `${api}/pet/findByStatus?status=available&limit=${pick<string | number>(1, 3, 0, "x")}&after=${pick(0, 3)}`,
    },
    { method: "GET", path: `${api}/pet/findByTags?tags=${pick("tag1", "tag1,tag4", "%FF")}` },
    json("POST", `${api}/pet`, pet),
    json("POST", `${api}/pet`, { ...pet, id: 0 }, { "Idempotency-Key": pick("key-1", "key-2") }),
    json("PUT", `${api}/pet`, { ...pet, status: pick("sold", "x") }, conditions),
    json("POST", `${api}/pet`, pick("{", "[]", "", "null"), pick({}, { "Content-Type": "text/plain" })),
    { method: "POST", path: `${api}/pet/2?name=${pick("Tom", "")}&status=sold` },
    {
      method: "POST",
      path: `${api}/pet/2`,
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: pick("name=Tom", "status=sold&status=sold", "name=%FF", ""),
    },
    upload(`${api}/pet/3/uploadImage`, "0123456789"),
    { method: pick("GET", "HEAD"), path: "{image}", headers: pick(range, conditions, {}) },
    { method: "DELETE", path: `${api}/pet/${pick(9, 11, 13)}`, headers: pick({}, conditions) },
    { method: "GET", path: `${api}/store/inventory` },
    json("POST", `${api}/store/order`, order),
    { method: "GET", path: `${api}/store/order/${pick<string | number>(1, 8, 11, 12, "x")}` },
    { method: "DELETE", path: `${api}/store/order/${pick(8, 9, 99)}` },
    json("POST", `${api}/user`, user),
    json("PUT", `${api}/user/${pick("ada", "user2", "nobody")}`, { ...user, username: pick("ada", undefined) }),
    { method: "GET", path: `${api}/user/${pick("user1", "ada", "nobody", "%20")}` },
    { method: "GET", path: `${api}/user/login?username=user1&password=${pick("XXXXXXXXXXX", "wrong")}` },
    { method: "GET", path: `${api}/user/logout`, headers: { Authorization: "Bearer {token}" } },
    { method: "DELETE", path: `${api}/user/${pick("user9", "ada", "nobody")}` },
    {
      method: "GET",
      path: `${api}/${pick("openapi.json", "openapi.yaml", "swagger.json", "nothing", "pet/", "")}`,
      headers: accept,
    },
  ];
}

/** Requests to the rest of the service. */
function otherRequests(): Sent[] {
  const headers = { Accept: pick("text/html", "application/json") };
  const paths = [
    "/",
    "/docs",
    "/docs/",
    "/docs/page.css",
    "/docs/nothing",
    "/health",
    "/nothing",
    "/sandboxes/",
    "/sandboxes/x/",
  ];
  return [
    ...paths.map((path) => ({ method: pick("GET", "HEAD", "OPTIONS", "POST"), path, headers })),
    json("PUT", "/sandboxes/{sandbox}/data", pick({ data: "classic" }, { data: "x" }, { pets: [{ name: "" }] })),
    json(
      "PUT",
      "/sandboxes/{sandbox}/faults",
      pick([], [{ status: 503, times: 1 }], [{ patch: { name: 1 }, times: 2 }], [{}]),
    ),
    { method: "GET", path: `/sandboxes/{sandbox}/${pick("data", "faults", "access", "requests?limit=0", "")}` },
  ];
}

/** Sends a request as it stands. @returns the response without what is volatile, or specific to the server */
async function exchange(origin: string, sent: Sent, memory: Memory): Promise<Record<string, string | undefined>> {
  const fill = (part: string) =>
    part.replaceAll(/\{(etag|token|image|sandbox)\}/g, (_, name: keyof Memory) => memory[name]);
  const headers = Object.entries(sent.headers ?? {}).map(([name, value]) => [name, fill(value)]);
  const target = new URL(origin);
  const options = { host: target.hostname, port: target.port, path: fill(sent.path), method: sent.method };
  const outgoing = request({ ...options, headers: Object.fromEntries(headers), agent: false });
  outgoing.end(sent.body);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  const body = await text(response);
  const { etag } = response.headers;
  if (etag !== undefined && /\/pet\/\d+$/.test(sent.path)) memory.etag = etag;
  memory.token = /session:\s?([\w-]+)/.exec(body)?.[1] ?? memory.token;
  memory.image = /[^"]*\/images\/[\w.-]+/.exec(body)?.[0].replace(origin, "") ?? memory.image;
  const general = (value: string) =>
    value
      .replaceAll(origin, "{origin}")
      .replaceAll(target.host, "{host}")
      .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, "{uuid}")
      .replaceAll(/session(:\s?|=)[\w-]{43}/g, "session$1{token}")
      // An ETag differs with each version, but a file's is its MD5.
      .replaceAll(/^"\d+"$/g, "{version}")
      .replaceAll(/"(?:expiresAt|at|ms)":[^,}]*/g, "{time}");
  const found = Object.entries(response.headers).filter(([name]) => !VOLATILE.has(name));
  return {
    ...Object.fromEntries(found.map(([name, value]) => [name, general(String(value))])),
    status: String(response.statusCode),
    body: general(body),
  };
}

const requests: Sent[] = [];
for (let round = 1; round <= 8; round++) {
  for (const api of ["/v2", "/api/v3", "/sandboxes/{sandbox}/v2"]) requests.push(...requestsTo(api));
  requests.push(...otherRequests());
}

async function collect(origin: string) {
  const memory = { etag: '"0"', token: "x", image: "/v2/pet/3/images/x", sandbox: "a-sandbox-of-this-test" };
  const responses = [];
  for (const sent of requests) responses.push(await exchange(origin, sent, memory));
  return responses;
}

const expected = await withServer(collect);
const { program, origin } = await startPackage([]);
const found = await collect(origin).finally(async () => program.stop());

const counts = new Map<string, number>();
const unexplained: string[] = [];
for (const [index, one] of expected.entries()) {
  const other = found[index] ?? {};
  const { method, path } = requests[index] ?? {};
  const reasons = new Set<string>();
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    if (one[name] === other[name]) continue;
    const difference = DIFFERENCES.find((each) => each.requests.test(`${method} ${path}`) && each.names.test(name));
    if (difference) reasons.add(difference.reason);
    else unexplained.push(`${method} ${path}: ${name} is ${other[name]} instead of ${one[name]}`);
  }
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
}
for (const [reason, count] of counts) console.log(`ok  ${count} responses differ: ${reason}`);
const statuses = new Set(expected.map(({ status = "" }) => status));
console.log(
  `ok  ${requests.length} requests, with the statuses ${[...statuses].toSorted((one, other) => one.localeCompare(other)).join(", ")}`,
);
if (unexplained.length > 0) throw new Error(unexplained.join("\n"));
