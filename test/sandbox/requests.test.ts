import { describe, expect, test, vi } from "vitest";
import { getJson, sandbox, send, type Init } from "../client.ts";
import { classicSandbox } from "./sandboxes.ts";

interface Recorded {
  readonly id: number;
  readonly path: string;
  readonly requestHeaders: object;
  readonly requestBody: string;
  readonly responseBody: string;
}

const recordOf = async (path: string, query = "") => (await send("GET", `${path}/requests${query}`)).json<Recorded[]>();

/** What a new sandbox records of one request. */
async function recorded(method: string, below: string, init: Init = {}) {
  const path = sandbox();
  await send(method, path + below, init);
  const [newest] = await recordOf(path);
  if (!newest) throw new Error("nothing was recorded");
  return newest;
}

/** About as large as a pet may be. */
const LARGE = { name: "x".repeat(4000), photoUrls: ["y".repeat(4000), "z".repeat(4000)] };

describe("a sandbox's request log", () => {
  test("has each request and its response, newest first, with the cause of the response", async () => {
    const rule = { path: "/pet/1", status: 503 };
    const path = await classicSandbox(rule);
    const json = { id: 77, name: "Rex", photoUrls: ["a.png"] };
    const headers = { "X-Own": "yes" };
    const response = await send("POST", `${path}/v2/pet?x=1&y=a%20b`, { json, headers });
    await send("POST", `${path}/api/v3/pet`, { json: { name: "" } });
    await send("GET", `${path}/v2/nowhere`);
    await send("GET", `${path}/v2/pet/1`);
    const [faulty, unknown, rejected, added] = await recordOf(path);
    expect(added).toEqual({
      id: expect.any(Number),
      at: expect.any(Number),
      ms: expect.any(Number),
      method: "POST",
      path: "/v2/pet?x=1&y=a%20b",
      operationId: "addPet",
      status: 200,
      requestHeaders: expect.objectContaining({ "x-own": "yes" }),
      requestBody: JSON.stringify(json),
      responseHeaders: expect.objectContaining({ etag: response.headers.get("etag") }),
      responseBody: JSON.stringify(json),
    });
    const errors = [{ path: "name" }, { path: "photoUrls" }];
    expect(rejected).toMatchObject({ path: "/api/v3/pet", operationId: "addPet", errors });
    expect(unknown).toMatchObject({ method: "GET", path: "/v2/nowhere", status: 404 });
    expect(faulty).toMatchObject({ status: 503, rule });
  });

  test.each<[string, string | undefined, Init, ...object[]]>([
    ["HEAD", undefined, {}],
    ["GET", undefined, { headers: { "If-None-Match": "*" } }],
    ["GET", '{"code":412,"type":"error","message":"Precondition failed"}', { headers: { "If-Match": '"0"' } }],
    ["GET", undefined, {}, { status: 204, after: true }],
    ["GET", "a text", {}, { status: 200, body: "a text", after: true }],
    ["GET", '{"code":503,"type":"error","message":"Service unavailable"}', {}, { status: 503, after: true }],
  ])("has the body of a response, not of one that it replaced: %s %j", async (method, responseBody, init, ...rules) => {
    const path = await classicSandbox(...rules);
    const response = await send(method, `${path}/v2/pet/1`, { ...init, documented: false });
    expect(await response.text()).toBe(responseBody ?? "");
    const [newest] = await recordOf(path);
    expect(newest?.responseBody).toBe(responseBody);
  });

  test("cuts bodies at 8 KiB", async () => {
    const { requestBody, responseBody } = await recorded("POST", "/v2/pet", { json: LARGE });
    expect(requestBody).toBe(JSON.stringify(LARGE).slice(0, 8192));
    expect(responseBody).toHaveLength(8192);
  });

  test.each([
    [8191, 0],
    [100_000, 1],
  ])("stops reading a file of %i bytes after 8 KiB", async (size, cancels) => {
    const path = await classicSandbox();
    const body = new Uint8Array(size);
    const headers = { "Content-Type": "image/png" };
    await send("POST", `${path}/api/v3/pet/1/uploadImage`, { body, headers });
    const { photoUrls } = await getJson<{ photoUrls: string[] }>(`${path}/api/v3/pet/1`);
    const cancel = vi.spyOn(ReadableStreamDefaultReader.prototype, "cancel");
    const image = await send("GET", photoUrls.at(-1) ?? "", { documented: false });
    expect((await image.bytes()).byteLength).toBe(size);
    await recordOf(path);
    expect(cancel).toHaveBeenCalledTimes(cancels);
    vi.restoreAllMocks();
  });

  test("has the last 200 requests, and at most 2 MB of them", async () => {
    const path = sandbox();
    for (let id = 1; id <= 205; id++) await send("GET", `${path}/v2/pet/${id}`);
    const paths = (await recordOf(path)).map((request) => request.path);
    expect(paths).toEqual(Array.from({ length: 200 }, (_, at) => `/v2/pet/${205 - at}`));
    for (let time = 0; time < 150; time++) await send("POST", `${path}/v2/pet`, { json: LARGE });
    const large = await recordOf(path);
    expect(large.length).toBeGreaterThan(100);
    expect(JSON.stringify(large).length).toBeLessThan(2_100_000);
  });

  test("is emptied by DELETE, and ids go on", async () => {
    const path = sandbox();
    await send("GET", `${path}/v2/pet/1`);
    const [first] = await recordOf(path);
    expect((await send("DELETE", `${path}/requests`)).status).toBe(204);
    expect(await recordOf(path)).toEqual([]);
    await send("GET", `${path}/v2/pet/2`);
    expect((await recordOf(path))[0]?.id).toBeGreaterThan(first?.id ?? Infinity);
  });
});

describe("the request log shows", () => {
  const CREDENTIALS = ["Authorization", "Proxy-Authorization", "Cookie", "api_key", "X-API-Key"];

  test.each(CREDENTIALS)("*** as the value of %s", async (name) => {
    const newest = await recorded("GET", "/v2/pet/1", { headers: { [name]: "s3cret" } });
    expect(newest).toMatchObject({ requestHeaders: { [name.toLowerCase()]: "***" } });
    expect(JSON.stringify(newest)).not.toContain("s3cret");
  });

  test("paths, queries, and bodies as sent, including passwords, and *** as the cookie of a login", async () => {
    const path = sandbox();
    const json = { username: "ada", password: "s3cret" };
    const created = await send("POST", `${path}/v2/user`, { json });
    const query = "/user/login?username=ada&password=s3%63ret";
    const logins = [await send("GET", `${path}/v2${query}`), await send("GET", `${path}/api/v3${query}`)];
    const [newer, older, first] = await recordOf(path);
    const body = await created.text();
    expect(first).toMatchObject({ path: "/v2/user", requestBody: JSON.stringify(json), responseBody: body });
    for (const [at, login] of [older, newer].entries()) {
      expect(login).toMatchObject({
        path: ["/v2", "/api/v3"][at] + query,
        responseBody: await logins[at]?.text(),
        responseHeaders: { "set-cookie": "***" },
      });
    }
  });

  test("all headers of the response, but no request header that the platform writes", async () => {
    const headers = { "Accept-Encoding": "br, gzip", "CF-Connecting-IP": "192.0.2.1", "X-Real-IP": "192.0.2.1" };
    const path = sandbox();
    const response = await send("GET", `${path}/v2/pet/1`, { headers: { ...headers, Accept: "*/*" } });
    const [newest] = await recordOf(path);
    expect(newest).toMatchObject({ responseHeaders: Object.fromEntries(response.headers) });
    expect(newest?.requestHeaders).toEqual({ accept: "*/*" });
    const coding = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
    const coded = await recorded("POST", "/v2/pet", { body: "x", headers: coding });
    expect(coded).toMatchObject({ responseHeaders: { "accept-encoding": "identity" } });
  });

  test.each([
    ["a text whose last character is cut", `${"x".repeat(8191)}ö`, "x".repeat(8191)],
    ["no body that is no text", new Uint8Array([0xff, 0xd8]), undefined],
    ["no body with a NUL", "a\0b", undefined],
  ])("%s", async (_, body, text) => {
    const headers = { "Content-Type": "application/json" };
    expect((await recorded("POST", "/v2/pet", { body, headers })).requestBody).toBe(text);
  });
});

describe("a query of the request log", () => {
  test.each([
    ["", [5, 4, 3, 2, 1]],
    ["?operationId=getPetById", [4, 3, 2, 1]],
    ["?status=404", [3]],
    ["?status=4xx", [5, 3, 2]],
    ["?status=5xx", []],
    ["?after=1&status=4xx&limit=2", [5, 3]],
  ])("selects requests: %j", async (query, ids) => {
    const path = await classicSandbox();
    for (const id of ["1", "x", "77"]) await send("GET", `${path}/v2/pet/${id}`);
    await send("HEAD", `${path}/v2/pet/1`);
    await send("POST", `${path}/v2/pet`, { json: {} });
    expect((await recordOf(path, query)).map(({ id }) => id)).toEqual(ids);
  });

  test.each([
    ["status=600", "status"],
    ["status=", "status"],
    ["status=404&status=404", "status"],
    ["after=-1", "after"],
    ["limit=0", "limit"],
    ["operationId=nope", "operationId"],
    ["operationId=", "operationId"],
    // What no parameter is called: a test that nothing was sent would pass.
    ["method=POST", "method"],
    ["limit=1&Status=404", "Status"],
    ["status[]=404", "status[]"],
    ["status%5B0%5D=404", "status[0]"],
    ["format=har", "format"],
    ["constructor=1", "constructor"],
    ["__proto__=1", "__proto__"],
    ["=1", "query"],
  ])("is rejected: %s", async (query, at) => {
    const path = sandbox();
    await send("GET", `${path}/v2/pet/1`);
    const response = await send("GET", `${path}/requests?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: "Invalid query", errors: [{ path: at }] });
  });
});
