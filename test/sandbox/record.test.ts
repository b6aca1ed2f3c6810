import { Validator } from "@cfworker/json-schema";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import schemas from "har-schema";
import { describe, expect, test, vi } from "vitest";
import { version } from "../../package.json";
import { SandboxDatabase } from "../../src/sandbox/database.ts";
import { RequestLog } from "../../src/sandbox/record/log.ts";
import type { LoggedRequest } from "../../src/sandbox/record/log.ts";
import type { Sent } from "../client.ts";
import { createWorker } from "../../src/worker.ts";
import { outcome, refusal } from "../fixtures.ts";
import type { Bindings } from "../fixtures.ts";
import { upload } from "../images.ts";
import { ORIGIN, ask, askWith } from "./raw.ts";
import { PET, classicStore, imageOf, newStore } from "./store.ts";
import type { Own } from "./store.ts";

/** What makes a Worker that of the package. */
const LOCAL = { LOCAL_STORE: "any-other-store-of-it", LOCAL_HOSTS: "petstore.test" } as Bindings;

/** A hosted store that records in full. */
async function recording(mode: object = { record: "full" }, bindings: Bindings = {}): Promise<Own> {
  const store = await classicStore(bindings);
  expect((await store.manage("PUT", "/requests", { json: mode })).status).toBe(204);
  return store;
}

async function requestsOf({ manage }: Own, query = ""): Promise<readonly LoggedRequest[]> {
  const { status, json } = await manage("GET", `/requests${query}`);
  expect(status).toBe(200);
  return json as LoggedRequest[];
}

/** The record of one request. */
async function recordOf(store: Own, method: string, path: string, sent: Sent = {}) {
  await store.send(method, path, sent);
  const [newest] = await requestsOf(store);
  if (!newest) throw new Error("it is not there");
  return newest;
}

describe("a store", () => {
  test("records lines, until it is told to record in full §10.7.3", async () => {
    const store = await classicStore();
    const line = await recordOf(store, "GET", "/pet/1?x=1");
    expect(Object.keys(line).toSorted()).toEqual([
      "at",
      "id",
      "method",
      "ms",
      "operationId",
      "path",
      "status",
    ]);
    await store.manage("PUT", "/requests", { json: { record: "full" } });
    const json = { name: "Rex", photoUrls: ["a.png"] };
    const sent = { json, headers: { "X-Own": "é", "CF-Connecting-IP": "192.0.2.1" } };
    const { headers } = await store.send("POST", "/pet?x=1&y=a%20b", sent);
    const [full] = await requestsOf(store);
    expect(full).toEqual({
      id: 2,
      at: expect.any(Number),
      ms: expect.any(Number),
      method: "POST",
      path: "/v2/pet",
      operationId: "addPet",
      status: 200,
      query: "x=1&y=a%20b",
      requestHeaders: {
        "content-length": "36",
        "content-type": "application/json",
        "x-own": "é",
      },
      requestBody: JSON.stringify(json),
      responseHeaders: Object.fromEntries(headers),
      responseBody: JSON.stringify({ id: 11, ...json }),
    });
    await store.manage("PUT", "/data", { json: { data: "empty" } });
    expect(await recordOf(store, "GET", "/pet/1")).toHaveProperty("responseBody");
    await store.manage("PUT", "/requests", { json: { record: "lines", secrets: false } });
    expect(await recordOf(store, "GET", "/pet/1")).not.toHaveProperty("responseBody");
  });

  test.each<[string, object, boolean]>([
    ["shows secrets", {}, true],
    ["and keeps its data masks them", { STORE_KEPT: "true" }, false],
    ["and protects access masks them", { ACCESS: "protected", STORE_CREATION: "anyone" }, false],
  ])(
    "of a package that records in full %s unless it is told not to §10.7.3 §10.7.6",
    async (_, bindings, isShown) => {
      const store = await classicStore({ ...LOCAL, ...bindings });
      const headers = { Authorization: "Bearer token" };
      const query = "username=user1&password=XXXXXXXXXXX";
      const record = async () => recordOf(store, "GET", `/user/login?${query}`, { headers });
      const shown = {
        query,
        requestHeaders: { authorization: "Bearer token" },
        responseBody: expect.stringMatching(/session:[\w-]{43}"/) as string,
      };
      const masked = {
        query: "username=user1&password=***",
        requestHeaders: { authorization: "***" },
        responseHeaders: { "set-cookie": "***" },
        responseBody: expect.stringMatching(/session:\*\*\*"/) as string,
      };
      expect(await record()).toMatchObject(isShown ? shown : masked);
      for (const secrets of [false, true]) {
        await store.manage("PUT", "/requests", { json: { record: "full", secrets } });
        expect(await record()).toMatchObject(secrets ? shown : masked);
      }
    },
  );

  test.each<[unknown, ...string[]]>([
    [{ record: "full", secrets: true }, "secrets"],
    [{ record: "all" }, "record"],
    [{}, "record"],
    [{ record: "full", mode: 1 }, "mode"],
    [{ record: "full", secrets: "no" }, "secrets"],
  ])("refuses to record %j §10.7.3", async (json, ...paths) => {
    const store = newStore();
    const answer = await store.manage("PUT", "/requests", { json });
    expect(outcome(answer)).toEqual(refusal(400, "Invalid request for the record", ...paths));
    expect((await store.manage("GET", "")).status).toBe(404);
  });

  test("is made by what says how it records, and forgets requests when it is told to §10.7.9", async () => {
    const store = newStore();
    expect((await store.manage("DELETE", "/requests")).status).toBe(404);
    await store.manage("PUT", "/requests", { json: { record: "full", secrets: null } });
    await store.send("GET", "/pet/1");
    expect((await store.manage("DELETE", "/requests")).status).toBe(204);
    expect(await requestsOf(store)).toEqual([]);
    expect(await recordOf(store, "GET", "/pet/1")).toMatchObject({ id: 2, responseBody: /404/ });
  });
});

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const PARTS = { "Content-Type": "multipart/form-data; boundary=b" };
const opening = `--b\r\nContent-Disposition: form-data; name="`;
const part = (name: string, value: string) => `${opening}${name}"\r\n\r\n${value}\r\n`;

describe("of a secret, a hosted store records nothing", () => {
  test.each<[body: string, recorded: string, headers?: Record<string, string>]>([
    [`{"username":"ada","password":"s3cret"}`, `{"username":"ada","password":"***"}`],
    [`[{"a":{ "Password" : "s3\\"cret" }}, 1.5]`, `[{"a":{"Password":"***"}},1.5]`],
    [`{"p\\u0061ssword":12,"b":"password"}`, `{"password":"***","b":"password"}`],
    [`"{\\"password\\":\\"s3cret\\"}"`, `"{\\"password\\":***"`],
    [`["http://a/?password=s3cret",1]`, `["http://a/?password=***",1]`],
    [`{"password":["s3cret"],"b":1}`, `{"password":"***","b":1}`],
    [`{ "a": 1.0, "b": "tokens" }`, `{ "a": 1.0, "b": "tokens" }`],
    [`{"password":"s3cret","b":1`, `{"password***`],
    [`{"password":"s3cret`, `{"password***`],
    [`{"b":1,"p\\u0061ssword":"s3cret`, `{"b":1,"p***`],
    [`{"password":"my"s3cret"}`, `{"password***`],
    [`{'password': 's3cret'}`, `{'password***`],
    [`{"password": s3cret}`, `{"password***`],
    [`<User><password>s3cret</password></User>`, `<User><password***`],
    [`<User><password`, `<User><password`],
    [`name=a&p%61ssword=s3cret&b=1`, `name=a&p%61ssword=***&b=1`, FORM],
    [`user[password]=s3cret&password`, `user[password]=***&password`, FORM],
    [`a;password=s3cret&b`, `a;password=***&b`, FORM],
    [`{"password":"s3cret&s3cret"}`, `{"password":"***"}`, FORM],
    [`password+=s3cret&b=c+d`, `password+=***&b=c+d`, FORM],
    [`a=1%26password%2525=s3cret&b=c`, `a=1***&b=c`, FORM],
    [`{'password':'s3cret&s3cret'}`, `{'password***`, FORM],
    [`${part("pass\\word", "s3cret")}--b--`, `${opening}pass***`, PARTS],
    [`--b\nname="password"\n\ns3cret\n--b--`, `--b\nname="password***`, PARTS],
    [
      `{"access_token":"s3cret","client-secret":1,"pwd":null,"PASSWD":"s3cret","apiKey":"s3cret"}`,
      `{"access_token":"***","client-secret":"***","pwd":"***","PASSWD":"***","apiKey":"***"}`,
    ],
    [`{"api\\u005Fkey":"s3cret","Set-Cookie":"s3cret"}`, `{"api_key":"***","Set-Cookie":"***"}`],
    [
      `{"name":"Cookie","tags":["token"],"tokens":1}`,
      `{"name":"Cookie","tags":["token"],"tokens":1}`,
    ],
    [`api%5Fkey=s3cret&id_t%6Fken=s3cret&tokens=1`, `api%5Fkey=***&id_t%6Fken=***&tokens=1`, FORM],
    [`secret[0]=s3cret&token%5B%5D=s3cret`, `secret[0]=***&token%5B%5D=***`, FORM],
  ])("%j §10.7.6", async (body, recorded, headers = { "Content-Type": "application/json" }) => {
    const store = await recording();
    const { requestBody } = await recordOf(store, "POST", "/pet/1", { body, headers });
    expect(requestBody).toBe(recorded);
  });

  test("in headers, queries and answers §10.7.6", async () => {
    const store = await recording();
    const { query, responseBody } = await recordOf(
      store,
      "GET",
      "/user/user1?P%61ssword=s3cret&password+=s3cret&a=b",
    );
    expect(query).toBe("P%61ssword=***&password+=***&a=b");
    expect(responseBody).toContain(`"password":"***"`);
    const secret = { Cookie: "session=s3cret", api_key: "s3cret", "X-Auth-Token": "s3cret" };
    const path = "/pet/findByStatus?status=available&limit=1&password=s3cret";
    const referring = { ...secret, Referer: "http://petstore.test/?password=s3cret" };
    const whole = JSON.stringify(await recordOf(store, "GET", path, { headers: referring }));
    expect(whole).not.toContain("s3cret");
    expect(whole).toContain(`"cookie":"***"`);
    expect(whole).toContain("limit=1&password=***");
  });

  test.each([
    "Password",
    "X-Password",
    "X-Passwd",
    "x_pwd",
    "Client-Secret",
    "X-Auth-Token",
    "Token",
    "API-Key",
    "X-ApiKey",
    "api_key",
    "Authorization",
    "Proxy-Authorization",
    "Cookie",
    "X-Set-Cookie",
  ])("in the header, parameter, field or member %s §10.7.6", async (name) => {
    const store = await recording();
    const headers = { [name]: "s3cret", "X-Tokens": "shown" };
    const query = `a=b&${name}=s3cret&${name.replace(/[-_]/, "%5f")}=s3cret`;
    const full = await recordOf(store, "GET", `/user/user1?${query}`, { headers });
    expect(full.requestHeaders).toMatchObject({ [name.toLowerCase()]: "***", "x-tokens": "shown" });
    expect(full.query).toBe(query.replaceAll("s3cret", "***"));
    for (const [body, type] of [
      [`{"a":"b","${name}":"s3cret"}`, "application/json"],
      [`a=b&${name}=s3cret`, "application/x-www-form-urlencoded"],
    ] as const) {
      const sent = { body, headers: { "Content-Type": type } };
      const { requestBody } = await recordOf(store, "POST", "/pet/1", sent);
      expect(requestBody).toBe(body.replace("s3cret", "***"));
    }
  });

  test("in the parameters of a media type §10.7.4 §10.7.6", async () => {
    const store = await recording();
    const type = `text/plain; charset=utf-8; Password="s3;s3\\"cret"; x-token*=utf-8''s3cret; a=b`;
    const shown = await recordOf(store, "POST", "/pet", {
      body: new Uint8Array([0xff, 0xfe]),
      headers: { "Content-Type": type },
    });
    expect(shown.requestHeaders).toMatchObject({
      "content-type": "text/plain; charset=utf-8; Password=***; x-token*=***; a=b",
    });
    expect(shown.requestBody).toEqual({ bytes: 2, type: "text/plain" });
  });

  test("of Petstore 3, in what it answers, too §10.7.1 §10.7.6 §11.0", async () => {
    const store = await recording();
    const user = { username: "ann", password: "s3cret" };
    const record = async (method: string, path: string, sent: Sent = {}) => {
      await store.manage(method, `/api/v3${path}`, sent);
      const [newest] = await requestsOf(store);
      expect(newest?.path).toBe(`/api/v3${path.split("?")[0]}`);
      return newest;
    };
    const login = await record("GET", "/user/login?username=ann&password=wrong");
    expect(login).toMatchObject({ operationId: "loginUser", status: 400 });
    for (const [method, path, json] of [
      ["POST", "/user", user],
      ["POST", "/user/createWithList", [{ ...user, username: "bob" }]],
      ["PUT", "/user/ann", user],
    ] as const) {
      const { requestBody, responseBody } = (await record(method, path, { json })) ?? {};
      for (const body of [requestBody, responseBody]) expect(body).toContain(`"password":"***"`);
      expect(responseBody).toContain(`"username":`);
    }
    const { query, responseBody, responseHeaders } =
      (await record("GET", "/user/login?username=ann&password=s3cret")) ?? {};
    expect(query).toBe("username=ann&password=***");
    expect(responseBody).toBe(`"Logged in user session: ***"`);
    expect(responseHeaders).toMatchObject({ "set-cookie": "***" });
    expect(JSON.stringify(await requestsOf(store))).not.toContain("s3cret");
  });

  test("in a path that should have been a query, also in a line §10.7.6", async () => {
    const store = await classicStore();
    const { path } = await recordOf(store, "GET", "/user/login%3fp%61ssword%3Ds3cret");
    expect(path).toBe("/v2/user/login***");
  });

  test("that a cut body has in its middle or at its end §10.7.6", async () => {
    const store = await recording();
    for (const length of [5000, 16_360, 16_370, 20_000]) {
      const body = `{"name":"${"x".repeat(length)}","password":"${"s3cret".repeat(2000)}"}`;
      const { requestBody } = await recordOf(store, "POST", "/user", { body });
      expect(JSON.stringify(requestBody)).not.toContain("s3c");
      expect(requestBody).toMatchObject({ bytes: body.length, cut: true });
    }
  });
});

describe("a body in the record", () => {
  test("has at most 16 KiB of text, and says how long it was §10.7.4", async () => {
    const store = await recording();
    for (const length of [1, 4000, 8175, 8176, 20_000]) {
      const body = JSON.stringify({ name: "ö".repeat(length), photoUrls: [] });
      const bytes = new TextEncoder().encode(body);
      const { requestBody } = await recordOf(store, "POST", "/pet", { body });
      const { text: kept, ...rest } =
        typeof requestBody === "string" ? { text: requestBody } : (requestBody as { text: string });
      expect(body.startsWith(kept)).toBe(true);
      const keptBytes = new TextEncoder().encode(kept).length;
      expect(keptBytes).toBeGreaterThan(Math.min(bytes.length, 16 * 1024) - 2);
      expect(keptBytes).toBeLessThanOrEqual(16 * 1024);
      expect(rest).toEqual(bytes.length > 16 * 1024 ? { bytes: bytes.length, cut: true } : {});
    }
  });

  test("is the type and the length of what is no text §10.7.4", async () => {
    const store = await recording();
    const image = await imageOf(store);
    const [, { requestBody } = {}] = await requestsOf(store);
    expect(requestBody).toEqual({
      bytes: expect.any(Number),
      type: "multipart/form-data",
    });
    const { headers } = await store.send("GET", image);
    expect(headers.get("content-length")).toBe("70");
    const [{ responseBody } = {}] = await requestsOf(store);
    expect(responseBody).toEqual({ bytes: 70, type: "image/png" });
    const zeros = { body: "p\0a\0s\0s\0w\0o\0r\0d\0", headers: { "Content-Type": "text/plain" } };
    const { requestBody: sent } = await recordOf(store, "POST", "/pet", zeros);
    expect(sent).toEqual({ bytes: 16, type: "text/plain" });
  });

  test("is there also if a rule answers, or nothing reads it §10.7.4", async () => {
    const store = await recording();
    const rule = { operationId: "addPet", status: 503, body: "<p>down</p>", times: 1 };
    await store.manage("PUT", "/faults", { json: [rule] });
    await askWith("POST", `/stores/${store.name}/v2/pet`, PET);
    expect((await requestsOf(store))[0]).toMatchObject({
      rule,
      requestBody: JSON.stringify(PET),
      responseBody: "<p>down</p>",
    });
    const unknown = await recordOf(store, "POST", "/nothing", { body: "what" });
    expect(unknown).toMatchObject({ status: 404, requestBody: "what" });
    expect(unknown).not.toHaveProperty("operationId");
    const head = await recordOf(store, "HEAD", "/pet/1");
    expect(head).toMatchObject({ status: 200, operationId: "getPetById" });
    expect(head).not.toHaveProperty("requestBody");
    expect(head).not.toHaveProperty("responseBody");
  });

  test("that is streamed is recorded when it ends, when the client goes, or when its time is over §10.7.4", async () => {
    const store = await recording();
    const pets = Array.from({ length: 1000 }, () => ({ ...PET, status: "sold" }));
    await store.manage("PUT", "/data", { json: { pets } });
    const path = "/pet/findByStatus?status=sold";
    const { text: list } = await store.send("GET", path);
    const [{ responseBody } = {}] = await requestsOf(store);
    expect(responseBody).toEqual({ text: list.slice(0, 16 * 1024), bytes: list.length, cut: true });
    const broken = await exports.default.fetch(`${ORIGIN}/stores/${store.name}/v2${path}`);
    await broken.body?.cancel();
    await expect.poll(async () => (await requestsOf(store)).length).toBe(2);
    const { setTimeout } = globalThis;
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void, ms: number) =>
      setTimeout(work, ms === 10_000 ? 0 : ms)) as never);
    const stalled = await exports.default.fetch(`${ORIGIN}/stores/${store.name}/v2${path}`);
    await expect.poll(async () => (await requestsOf(store)).length).toBe(3);
    vi.restoreAllMocks();
    expect(await stalled.text()).toBe(list);
    const [{ responseBody: begun } = {}] = await requestsOf(store);
    expect((begun as { bytes: number } | undefined)?.bytes ?? 0).toBeLessThan(list.length);
  });
});

test("an answer that is streamed during a reset is not in the record after it §10.7.9", async () => {
  const store = await recording();
  const path = `${ORIGIN}/stores/${store.name}/v2/pet/findByStatus?status=sold`;
  const pets = Array.from({ length: 1000 }, () => ({ ...PET, status: "sold" }));
  for (const [method, to] of [
    ["PUT", "/data"],
    ["DELETE", "/requests"],
  ] as const) {
    await store.manage("PUT", "/data", { json: { pets } });
    const list = await exports.default.fetch(path);
    await store.manage(method, to, method === "PUT" ? { json: { data: "empty" } } : {});
    await list.text();
    expect(await recordOf(store, "GET", "/pet/1")).toMatchObject({
      status: 404 - 204 * Number(method === "DELETE"),
    });
    expect(await requestsOf(store)).toHaveLength(1);
  }
});

test("a retry names a request that the log has, and the same before and after it sleeps §10.7.5", async () => {
  const store = await recording();
  const send = async (key: string) =>
    store.send("PUT", "/pet", { headers: { "Idempotency-Key": key } });
  await send("one");
  for (let sent = 0; sent < 198; sent++) await send("x".repeat(256));
  await send("one");
  expect((await requestsOf(store))[0]).toMatchObject({ id: 200, retryOf: 1 });
  await send("two");
  // The first is no longer there.
  await send("one");
  const [newest, , third, other] = await requestsOf(store);
  expect(newest).toMatchObject({ id: 202, retryOf: 200 });
  expect(third).toMatchObject({ id: 200, retryOf: 1 });
  expect(other).not.toHaveProperty("retryOf");
  await evictDurableObject(store.object);
  await send("one");
  expect((await requestsOf(store))[0]).toMatchObject({ id: 203, retryOf: 200 });
  for (const key of ["", ""]) await send(key);
  expect((await requestsOf(store))[0]).not.toHaveProperty("retryOf");
  await store.manage("DELETE", "/requests");
  await send("one");
  expect((await requestsOf(store))[0]).not.toHaveProperty("retryOf");
});

describe("the requests", () => {
  test("that are wanted are shown §10.7.7", async () => {
    const store = await classicStore();
    for (const path of ["/pet/1", "/pet/x", "/pet/77"]) await store.send("GET", path);
    await store.send("HEAD", "/pet/1");
    await store.send("POST", "/pet", { json: {} });
    for (const [query, ids] of [
      ["", [5, 4, 3, 2, 1]],
      ["?format=json&limit=2", [5, 4]],
      ["?operationId=getPetById", [4, 3, 2, 1]],
      ["?method=GET&after=1", [3, 2]],
      ["?status=4xx&limit=2", [5, 3]],
      ["?status=404", [3]],
      ["?status=404&method=HEAD", []],
      ["?after=9007199254740991", []],
      ["?id=4", [4]],
      ["?id=4&method=GET", []],
      ["?id=77", []],
    ] as const) {
      expect((await requestsOf(store, query)).map(({ id }) => id)).toEqual(ids);
    }
  });

  test.each([
    ["operationId=addPett", "operationId"],
    ["method=get", "method"],
    ["status=600", "status"],
    ["status=40x", "status"],
    ["after=-1", "after"],
    ["id=x", "id"],
    ["limit=0", "limit"],
    ["limit=1001", "limit"],
    ["limit=1&limit=2", "limit"],
    ["format=xml", "format"],
    ["operation=addPet", "operation"],
  ])("are 400 for %s §10.7.7", async (query, path) => {
    const store = await classicStore();
    expect(outcome(await store.manage("GET", `/requests?${query}`))).toEqual(
      refusal(400, "Invalid request for the record", path),
    );
  });
});

const cors = ({ headers }: { headers: Headers }) =>
  [...headers.keys()].filter((name) => name.startsWith("access-control-"));

describe("a page of another origin", () => {
  const FOREIGN = { Origin: "https://evil.example" };

  test("can read neither the requests nor an error about them §10.7.11", async () => {
    const store = await classicStore();
    const manage = async (method: string, path: string, headers: object = {}) =>
      store.manage(method, path, { headers: { ...FOREIGN, ...headers } });
    const preflight = { "Access-Control-Request-Method": "PUT" };
    for (const answer of [
      await manage("GET", "/requests"),
      await manage("GET", "/requests/?format=har"),
      await manage("GET", "/requests?limit=0"),
      await manage("POST", "/requests"),
      await manage("OPTIONS", "/requests", preflight),
    ]) {
      expect(cors(answer)).toEqual([]);
      expect(answer.headers.get("cross-origin-resource-policy")).toBe("same-origin");
    }
    expect(cors(await manage("GET", "/data"))).toContain("access-control-allow-origin");
    expect(cors(await manage("OPTIONS", "/data", preflight))).toContain(
      "access-control-allow-methods",
    );
  });

  test.each([
    ["https://evil.example", 403],
    ["http://petstore.test:8080", 403],
    ["null", 403],
    [ORIGIN, 101],
  ])("cannot watch them: from %s it is %i §10.7.11", async (origin, status) => {
    const { name } = await classicStore();
    const headers = { Upgrade: "websocket", Origin: origin };
    const answer = await ask(`/stores/${name}/requests`, headers);
    expect(answer.status).toBe(status);
    answer.webSocket?.accept();
    answer.webSocket?.close();
    await answer.body?.cancel();
  });
});

test.each([
  ["localhost:8787", 200],
  ["pets.localhost", 200],
  ["127.0.0.1:8787", 200],
  ["[::1]:8787", 200],
  ["192.168.1.7", 200],
  ["MyBox", 200],
  ["mybox.local", 200],
  ["pets.lan", 200],
  ["evil.example", 403],
  ["127.0.0.1.evil.example", 403],
  ["localhost.evil.example:8787", 403],
  ["evillocal.example", 403],
])(
  "in the package, a request for the record of %s is answered %i §10.7.11",
  async (host, status) => {
    const { name } = await classicStore(LOCAL);
    const bindings = { ...env, ...LOCAL, LOCAL_HOSTS: "pets.lan,other" } as Env;
    const statusOf = async (path: string) => {
      const request = new Request(`http://${host}/stores/${name}${path}`);
      const answer = await createWorker().fetch(request, bindings);
      await answer.arrayBuffer();
      return answer.status;
    };
    expect(await statusOf("/requests")).toBe(status);
    expect(await statusOf("/data")).toBe(200);
  },
);

/** A log of its own, and how many rows each of its statements wrote. */
const withLog = async (use: (log: RequestLog, written: () => number) => void) =>
  runInDurableObject(env.STORES.getByName(crypto.randomUUID()), (_, { storage }) => {
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    const sql = {
      exec: (...args: Parameters<SqlStorage["exec"]>) => {
        const cursor = storage.sql.exec(...args);
        cursors.push(cursor);
        return cursor;
      },
    };
    const transactionSync: DurableObjectStorage["transactionSync"] = (work) =>
      storage.transactionSync(work);
    const database = new SandboxDatabase({ sql, transactionSync } as DurableObjectStorage);
    database.make(0, 0, []);
    const log = new RequestLog(database, () => undefined);
    use(log, () => cursors.splice(0).reduce((sum, { rowsWritten }) => sum + rowsWritten, 0));
    return storage.deleteAll();
  });

const entry = (bytes: number) => ({
  at: 0,
  method: "GET",
  path: "/v2/pet/1",
  status: 200,
  ms: 1,
  requestHeaders: { "idempotency-key": "one" },
  responseBody: "x".repeat(bytes),
});

describe("a flush of the log", () => {
  test.each([
    ["small ones, one by one", 1, 10],
    ["small ones, many together", 25, 10],
    ["large ones, one by one", 1, 30_000],
    ["the largest", 3, 30_000],
  ])("writes at most two rows on average: %s §10.7.10", async (_, together, bytes) => {
    await withLog((log, written) => {
      const flush = () => {
        for (let added = 0; added < together; added++) log.add(entry(bytes));
        log.write();
      };
      for (let flushes = 0; flushes < 250; flushes++) flush();
      written();
      for (let flushes = 0; flushes < 200; flushes++) flush();
      expect(written()).toBe(400);
      expect(log.requests.length).toBe(Math.min(200, Math.floor(2_000_000 / (bytes + 130))));
    });
  });
});

describe("the record as a file", () => {
  test("is a valid HAR §10.7.8", async () => {
    const store = await recording({ record: "full" }, LOCAL);
    await store.manage("PUT", "/faults", { json: [{ method: "PUT", status: 503, delayMs: 1 }] });
    await store.send("POST", "/pet?a=1&b=%C3%B6", {
      json: PET,
      headers: { Cookie: "a=b; session=c" },
    });
    await store.send("PUT", "/pet", { json: PET });
    await store.send("GET", "/user/login?username=user1&password=XXXXXXXXXXX");
    await store.send("POST", "/pet/1/uploadImage", upload());
    await store.send("HEAD", "/pet/1");
    await store.send("POST", "/pet", { body: "x".repeat(20_000) });
    await store.manage("PUT", "/requests", { json: { record: "lines" } });
    await store.send("GET", `/x${"%F0%9F%98%80".repeat(1100)}`);
    const answer = await store.manage("GET", "/requests?format=har");
    expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="requests.har"`);
    expect(answer.headers.get("content-type")).toBe("application/json");
    const validator = new Validator(schemas.har, "7");
    for (const schema of Object.values(schemas)) validator.addSchema(schema);
    expect(validator.validate(answer.json)).toEqual({ valid: true, errors: [] });
    const { log } = answer.json as { log: { entries: readonly object[] } };
    expect((log as unknown as { creator: object }).creator).toEqual({
      name: "pet-store-service",
      version,
    });
    expect(log.entries).toHaveLength(7);
    expect(log.entries.slice(0, 2)).toMatchObject([
      {
        request: {
          method: "POST",
          url: `${ORIGIN}/stores/${store.name}/v2/pet?a=1&b=%C3%B6`,
          queryString: [
            { name: "a", value: "1" },
            { name: "b", value: "ö" },
          ],
          postData: { mimeType: "application/json", text: JSON.stringify(PET) },
        },
        response: { status: 200, content: { mimeType: "application/json" } },
      },
      { response: { status: 503 }, comment: expect.stringContaining("comes 1 ms late") },
    ]);
  });

  test("sends a path and a header as they were sent, at either base path §10.7.8 §11.0", async () => {
    const store = await recording();
    await store.send("GET", "/user/%5C%25%C3%B6", { headers: { "X-Own": "€" } });
    const { text } = await store.manage("GET", "/requests?format=test");
    expect(text).toContain(`"/v2/user/%5C%25%C3%B6"`);
    await store.manage("POST", "/api/v3/pet/1?name=%C3%B6");
    for (const [format, sent] of [
      ["test", `"POST", "/api/v3/pet/1?name=%C3%B6"`],
      ["curl", `-X POST "$store"'/api/v3/pet/1?name=%C3%B6'`],
      ["har", `"url":"${ORIGIN}/stores/${store.name}/api/v3/pet/1?name=%C3%B6"`],
    ]) {
      expect((await store.manage("GET", `/requests?format=${format}`)).text).toContain(sent);
    }
    const [, sent = ""] = /"x-own":"(.*?)"/.exec(text) ?? [];
    expect(Array.from(sent, (char) => char.charCodeAt(0))).toEqual([0xe2, 0x82, 0xac]);
  });

  test("leaves out a header that `fetch` cannot send, and says so §10.7.8", async () => {
    const store = await recording();
    await store.send("GET", "/pet/1", { headers: { "X-Own": "a", "X-Other": "a\tb" } });
    await store.manage("GET", "/requests");
    await runInDurableObject(store.object, (_, { storage }) => {
      storage.sql.exec(
        `UPDATE sandbox_requests SET entries = json_set(entries, '$[0].requestHeaders."x-own"', ?)`,
        "a\u0001b",
      );
    });
    const { text } = await store.manage("GET", "/requests?format=test");
    expect(text).toContain("Not expected here: fetch cannot send its header x-own.");
    expect(text).toContain(String.raw`send("GET", "/v2/pet/1", {"x-other":"a\tb"})`);
  });

  test("does not send again what no client can send, and escapes the rest §10.7.8", async () => {
    const store = await recording();
    const at = async (path: string) =>
      exports.default.fetch(`${ORIGIN}/stores/${store.name}/v2${path}`);
    await at("/user/%3Cb%3E%60%22%7B%7C%7D%5E?a=<`>");
    for (const format of ["test", "curl", "har"]) {
      const { text } = await store.manage("GET", `/requests?format=${format}`);
      expect(text).toContain("/v2/user/%3Cb%3E%60%22%7B%7C%7D%5E?a=%3C%60%3E");
    }
    await store.manage("DELETE", "/requests");
    // An entry as it was recorded.
    await at("/user/x");
    await store.manage("GET", "/requests");
    for (const path of ["/v2/pet/../x", "/v2/pet/.", "/v2/./pet"]) {
      await runInDurableObject(store.object, (_, { storage }) => {
        storage.sql.exec(
          `UPDATE sandbox_requests SET entries = json_set(entries, '$[0].path', ?)`,
          path,
        );
      });
      for (const format of ["test", "curl"]) {
        const { text } = await store.manage("GET", `/requests?format=${format}`);
        expect(text).toContain("Not sent: its path has dot segments.");
      }
    }
  });

  test("says which answers were cut off §10.7.8 §10.7.13", async () => {
    const store = await recording();
    for (const kind of ["body", "json"]) {
      const json = [{ break: kind }];
      await store.manage("PUT", "/faults", { json });
      await store.send("GET", "/pet/1").catch(() => undefined);
    }
    const { text: exported } = await store.manage("GET", "/requests?format=test");
    expect(exported).toContain(`"1. GET /v2/pet/1").toBe("200, cut off");`);
    expect(exported).toContain(`"2. GET /v2/pet/1").toBe(200);`);
    expect(exported).toContain("}, 60000);\nafterAll(async () => store?.stop());");
    const { text: script } = await store.manage("GET", "/requests?format=curl&id=2");
    expect(script.match(/^# \d.*/gm)).toEqual(["# 1. GET /v2/pet/1: 200, cut off"]);
    const { text: har } = await store.manage("GET", "/requests?format=har");
    expect(har).toContain(
      '"comment":"By a rule: cut off. The answer to every request breaks off in the middle of its body."',
    );
  });
});
