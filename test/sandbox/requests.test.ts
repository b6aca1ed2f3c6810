import { describe, expect, test } from "vitest";
import { createUser, logIn, sandbox, send, type Init } from "../client.ts";
import { classicSandbox } from "./sandboxes.ts";

interface Recorded {
  readonly id: number;
  readonly path: string;
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

describe("the record of a sandbox", () => {
  test("has each request and its answer, the newest first, and what made the answer", async () => {
    const rule = { path: "/pet/1", status: 503 };
    const path = await classicSandbox(rule);
    const json = { id: 77, name: "Rex", photoUrls: ["a.png"] };
    const headers = { "X-Own": "yes" };
    const answer = await send("POST", `${path}/v2/pet?x=1&y=a%20b`, { json, headers });
    await send("POST", `${path}/api/v3/pet`, { json: { name: "" } });
    await send("GET", `${path}/v2/nowhere`);
    await send("GET", `${path}/v2/pet/1`);
    const [faulty, unknown, refused, added] = await recordOf(path);
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
      responseHeaders: expect.objectContaining({ etag: answer.headers.get("etag") }),
      responseBody: JSON.stringify(json),
    });
    const errors = [{ path: "name" }, { path: "photoUrls" }];
    expect(refused).toMatchObject({ path: "/api/v3/pet", operationId: "addPet", errors });
    expect(unknown).toMatchObject({ method: "GET", path: "/v2/nowhere", status: 404 });
    expect(faulty).toMatchObject({ status: 503, rule });
  });

  test("cuts bodies at 8 KiB", async () => {
    const { requestBody, responseBody } = await recorded("POST", "/v2/pet", { json: LARGE });
    expect(requestBody).toBe(JSON.stringify(LARGE).slice(0, 8192));
    expect(responseBody).toHaveLength(8192);
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

describe("of a secret, the record has only ***", () => {
  test.each(["Authorization", "Cookie", "api_key", "X-API-Key"])("in %s", async (name) => {
    const newest = await recorded("GET", "/v2/pet/1", { headers: { [name]: "s3cret" } });
    expect(newest).toMatchObject({ requestHeaders: { [name.toLowerCase()]: "***" } });
    expect(JSON.stringify(newest)).not.toContain("s3cret");
  });

  test.each([
    ["JSON", '{"username":"ada","password":"s3cret"}'],
    ["JSON with escapes", '{"password" :\n "s3\\"cret", "phone":"1"}'],
    ["a body that is cut", `{"email":"${"x".repeat(8150)}","password":"s3cret"}`],
    ["JSON of another type", '{"password":["s3","cret"],"phone":"1"}'],
    ["a form", "name=a&password=s3 cret&status=sold"],
    ["a multipart form", '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\ns3 cret\r\n--b--'],
    ["a part with a type", '--b\r\nX: name="password"\r\nContent-Type: text/plain\r\n\r\ns3 cret\r\n--b--'],
  ])("as the password in %s", async (_, body) => {
    const headers = { "content-type": "application/json" };
    const newest = await recorded("POST", "/v2/user", { body, headers });
    expect(JSON.stringify(newest)).not.toMatch(/s3|cret/);
  });

  test.each(["password[]", "password[0]", "password%5B%5D"])("as the value of %s in a query", async (name) => {
    const newest = await recorded("GET", `/v2/user/login?username=ada&${name}=s3%20"cret"`);
    expect(newest).toMatchObject({ path: `/v2/user/login?username=ada&${name}=***` });
  });

  test("as the password in queries and answers, and as the token of a login", async () => {
    const path = sandbox();
    const user = { username: "ada", password: "s3cret" };
    await createUser(user, { base: `${path}/v2` });
    await send("GET", `${path}/v2/user/ada`);
    await send("POST", `${path}/api/v3/user/createWithList`, { json: [{ password: "s3cret" }] });
    const tokens = [await logIn(user, { base: `${path}/v2` }), await logIn(user, { base: `${path}/api/v3` })];
    const record = await recordOf(path);
    expect(JSON.stringify(record)).not.toMatch(new RegExp(["s3cret", ...tokens].join("|")));
    const masked: unknown = expect.stringContaining('"password":"***"');
    const login = {
      responseHeaders: { "set-cookie": "***" },
      responseBody: expect.stringMatching(/session: ?\*\*\*"/) as unknown,
    };
    expect(record).toMatchObject([
      { path: "/api/v3/user/login?username=ada&password=***", ...login },
      { path: "/v2/user/login?username=ada&password=***", ...login },
      { requestBody: masked, responseBody: masked },
      { responseBody: masked },
      { requestBody: masked },
    ]);
  });
});

describe("a query of the record", () => {
  test.each([
    ["", [5, 4, 3, 2, 1]],
    ["?operationId=getPetById", [4, 3, 2, 1]],
    ["?status=404", [3]],
    ["?status=4xx", [5, 3, 2]],
    ["?status=5xx", []],
    ["?after=1&status=4xx&limit=2", [5, 3]],
  ])("names requests: %j", async (query, ids) => {
    const path = await classicSandbox();
    for (const id of ["1", "x", "77"]) await send("GET", `${path}/v2/pet/${id}`);
    await send("HEAD", `${path}/v2/pet/1`);
    await send("POST", `${path}/v2/pet`, { json: {} });
    expect((await recordOf(path, query)).map(({ id }) => id)).toEqual(ids);
  });

  test.each(["status=600", "after=-1", "limit=0", "format=xml"])("is refused: %s", async (query) => {
    const path = sandbox();
    await send("GET", `${path}/v2/pet/1`);
    const answer = await send("GET", `${path}/requests?${query}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ errors: [{ path: query.split("=")[0] }] });
  });
});

async function withRequests(): Promise<string> {
  const path = sandbox();
  const json = { id: 1, name: "Rex's", photoUrls: [] };
  await send("POST", `${path}/v2/pet?a=1&b=%C3%B6`, { json });
  await send("GET", `${path}/v2/user/login?username=ada&password=s3cret`);
  await send("GET", `${path}/api/v3/pet/1`);
  return path;
}

describe("the record as a file", () => {
  test("is a HAR, the oldest first", async () => {
    const path = await withRequests();
    const har = await (await send("GET", `${path}/requests?format=har`)).json();
    const headers: unknown = expect.arrayContaining([{ name: "content-type", value: "application/json" }]);
    const request = { method: "POST", url: `http://petstore.test${path}/v2/pet?a=1&b=%C3%B6`, headers };
    expect(har).toMatchObject({ log: { entries: [{ request, response: { status: 200, headers } }, {}, {}] } });
    expect(JSON.stringify(har)).not.toContain("s3cret");
  });

  test("is a script of curl, the oldest first", async () => {
    const answer = await send("GET", `${await withRequests()}/requests?format=curl`);
    const script = await answer.text();
    expect(script.match(/^curl .*/gm)).toEqual([
      // A quote in a body does not end the argument.
      expect.stringMatching(/\/v2\/pet\?a=1&b=%C3%B6.*Rex'\\''s/),
      expect.stringContaining("password=***"),
      expect.stringContaining("/api/v3/pet/1"),
    ]);
  });
});
