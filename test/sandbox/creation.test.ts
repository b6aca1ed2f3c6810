import type { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { getJson, protectedEnv, sandbox, send, uniqueName } from "../client.ts";
import { classicSandbox, configure, objectOf, sandboxExists } from "./sandboxes.ts";

const { API_KEY } = protectedEnv;

const PET = { name: "Rex", photoUrls: [] };

test.each<[string, number]>([
  ["x".repeat(15), 404],
  ["aB3_-aB3_-aB3_-x", 200],
  ["x".repeat(65), 404],
  ["with.dots.and.so.on", 404],
  ["escaped%2Das%2Dhyphen", 404],
])("the name %s returns %i", async (name, status) => {
  for (const below of ["/v2/store/inventory", "", "/data"]) {
    const path = `/sandboxes/${name}${below}`;
    const response = await send("GET", path, { documented: false });
    expect(response.status).toBe(status);
    if (status === 404) expect(await response.text()).toMatch(/16 to 64/);
  }
});

test("names are case-sensitive", async () => {
  const path = `/sandboxes/${uniqueName("sandbox-of-the-tests")}`;
  await send("GET", `${path}/v2/store/inventory`);
  expect(await sandboxExists(path)).toBe(true);
  expect(await sandboxExists(path.replace("sandbox-", "Sandbox-"))).toBe(false);
});

test("concurrent first requests create one sandbox", async () => {
  const path = sandbox();
  const add = async () => send("POST", `${path}/v2/pet`, { json: PET });
  const responses = await Promise.all(Array.from({ length: 10 }, add));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  expect(await getJson(path)).toMatchObject({ pets: 10 });
});

test.each([
  ["no body", {}, { pets: 0 }],
  ["an empty body, as of curl -d ''", { body: new URLSearchParams() }, { pets: 0 }],
  ["the classic data", { json: { data: "classic" } }, { pets: 10, orders: 3, users: 10 }],
  ["own data", { json: { pets: [PET] } }, { pets: 1, users: 0 }],
])("POST /sandboxes creates a sandbox with a random name: %s", async (_, init, counts) => {
  const response = await send("POST", "/sandboxes", init);
  expect(response.status).toBe(201);
  const { name, ...made } = await response.json<{ name: string }>();
  expect(name).toMatch(/^[\w-]{16,64}$/);
  const path = `/sandboxes/${name}`;
  const url = `http://petstore.test${path}`;
  expect(made).toEqual({ url: `${url}/v2`, petstore3Url: `${url}/api/v3`, page: `${url}/` });
  expect(response.headers.get("location")).toContain(path);
  const expiresAt: unknown = expect.stringMatching(/^\d{4}-.*Z$/);
  expect(await getJson(path)).toMatchObject({ name, expiresAt, ...counts });
});

test("GET is no method of /sandboxes, except for browsers", async () => {
  const options = await send("OPTIONS", "/sandboxes");
  expect([options.status, options.headers.get("allow")]).toEqual([204, "POST, OPTIONS"]);
  for (const method of ["GET", "HEAD", "PUT"]) {
    const rejected = await send(method, "/sandboxes");
    expect([rejected.status, rejected.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  }
  const page = await send("GET", "/sandboxes/", { headers: { Accept: "text/html" } });
  expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")]);
});

describe("the client that creates a sandbox", () => {
  const RULES = [
    [{ ACCESS: "open" }, "anyone"],
    [{ ACCESS: "protected" }, "key"],
    [{ ACCESS: "open", SANDBOX_CREATION: "key" }, "key"],
    [{ ACCESS: "protected", SANDBOX_CREATION: "anyone" }, "anyone"],
    [{ ACCESS: "open", SANDBOX_CREATION: "nobody" }, "nobody"],
    [{ ACCESS: "protected", API_KEY: undefined }, "nobody without a key"],
  ] as const;

  const CREDENTIALS = [
    ["no key", {}, false],
    ["a wrong key", { api_key: "another-key-of-the-tests" }, false],
    ["the key", { api_key: API_KEY }, true],
    ["the key in X-API-Key", { "X-API-Key": API_KEY }, true],
  ] as const;

  /** Each with its status, if it comes from someone who may make the sandbox, and whether it does. Otherwise it is 404. */
  const REQUESTS = [
    ["GET", "/v2/pet/abc", undefined, 400, true],
    ["POST", "/api/v3/pet", PET, 200, true],
    ["PUT", "/data", { data: "classic" }, 204, true],
    ["PUT", "/faults", [], 204, true],
    ["PUT", "/access", { access: "open" }, 204, true],
    // Looking at a sandbox does not make it.
    ["GET", "", undefined, 404, false],
    ["GET", "/data", undefined, 404, false],
    ["DELETE", "", undefined, 404, false],
  ] as const;

  const CELLS = RULES.flatMap(([settings, who]) =>
    CREDENTIALS.map(([credential, headers, isKey]) => ({
      settings: { API_KEY, ...settings },
      who,
      credential,
      headers,
      may: who === "anyone" || (who === "key" && isKey),
    })),
  );

  test.each(CELLS)("is $who with $settings: $credential", async (cell) => {
    const { settings, who, headers, may } = cell;
    for (const [method, below, json, status, makes] of REQUESTS) {
      const path = sandbox();
      await configure(path, settings);
      const init = { env: settings, headers: { ...headers }, documented: false };
      const response = await send(method, path + below, { ...init, ...(json && { json }) });
      expect(response.status).toBe(may ? status : 404);
      expect(response.headers.has("www-authenticate")).toBe(false);
      // It says how a sandbox is made.
      if (who === "key" && makes && !may) expect(await response.text()).toMatch(/POST \/sandboxes|^$/);
      expect(await sandboxExists(path)).toBe(may && makes);
    }
    const posted = await send("POST", "/sandboxes", { env: settings, headers: { ...headers } });
    expect(posted.status).toBe(who === "nobody" ? 404 : may ? 201 : 401);
    expect(posted.headers.has("www-authenticate")).toBe(posted.status === 401);
  });

  test("does not matter once the sandbox exists", async () => {
    const path = sandbox();
    const settings = { API_KEY, SANDBOX_CREATION: "key" };
    await configure(path, settings);
    const read = async (headers = {}) => (await send("GET", `${path}/v2/pet/x`, { env: settings, headers })).status;
    expect([await read(), await read({ api_key: API_KEY }), await read()]).toEqual([404, 400, 400]);
    expect((await send("DELETE", path, { env: settings })).status).toBe(204);
    expect(await read()).toBe(404);
  });

  test("cannot be anyone with the setting nobody, which hides existing sandboxes as well", async () => {
    const path = await classicSandbox();
    const init = { env: { SANDBOX_CREATION: "nobody" }, headers: { Accept: "text/html" } };
    await configure(path, init.env);
    for (const below of ["", "/", "/data", "/requests", "/v2/pet/1", "/v2/openapi.json"]) {
      expect((await send("GET", path + below, { env: init.env })).status).toBe(404);
      expect((await send("GET", path + below, init)).status).toBe(404);
    }
    expect((await send("GET", "/sandboxes/", init)).status).toBe(404);
    expect((await send("GET", "/v2/store/inventory", init)).status).toBe(200);
  });
});

test("new sandboxes are rate limited per address, and none is created beyond the limit", async () => {
  const keys: string[] = [];
  const NEW_SANDBOXES: RateLimit = { limit: async ({ key }) => ({ success: keys.push(key) === 1 }) };
  const [first, second] = [sandbox(), sandbox()];
  for (const path of [first, second]) await configure(path, { RATE_LIMITS: "on", NEW_SANDBOXES });
  for (let time = 0; time < 2; time++) {
    const headers = { "CF-Connecting-IP": "2001:db8::1" };
    expect((await send("GET", `${first}/v2/store/inventory`, { headers })).status).toBe(200);
  }
  for (const [method, path, json] of [
    ["GET", `${second}/v2/store/inventory`, undefined],
    ["PUT", `${second}/data`, { data: "empty" }],
    ["POST", "/sandboxes", undefined],
  ] as const) {
    const headers = { "CF-Connecting-IP": "2001:db8::2" };
    // The random name of a new one leads to the same object.
    const SANDBOXES = { getByName: () => objectOf(second) } as unknown as typeof env.SANDBOXES;
    const response = await send(method, path, { headers, env: { SANDBOXES }, ...(json && { json }) });
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
  }
  expect(await sandboxExists(second)).toBe(false);
  // A request to a sandbox that exists does not count, and the whole /64 of an IPv6 client is one address.
  expect(keys).toHaveLength(4);
  expect(new Set(keys).size).toBe(1);
});
