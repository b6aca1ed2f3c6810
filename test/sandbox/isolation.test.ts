import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { createPet, createUser, formOf, getJson, logIn, protectedEnv, sandbox, send, uniqueName } from "../client.ts";
import { configure, protect } from "./sandboxes.ts";

test("two sandboxes and the shared store have separate data", async () => {
  const [one, other] = [sandbox(), sandbox()];
  const username = uniqueName();
  await createUser({ username, password: "secret" }, { base: `${one}/v2` });
  const { id } = await createPet({ id: 987_654_321, status: "sold" }, { base: `${one}/v2` });
  await send("POST", `${one}/v2/store/order`, { json: { id: 9, quantity: 3 } });
  for (const base of [`${other}/v2`, `${other}/api/v3`, "/v2"]) {
    expect((await send("GET", `${base}/pet/${id}`)).status).toBe(404);
    expect((await send("DELETE", `${base}/pet/${id}`)).status).toBe(404);
    expect((await send("GET", `${base}/user/${username}`)).status).toBe(404);
  }
  expect((await send("GET", `${other}/v2/store/order/9`)).status).toBe(404);
  expect(await getJson(`${other}/v2/store/inventory`)).toEqual({ available: 0, pending: 0, sold: 0 });
  expect(await getJson(`${one}/data`)).toMatchObject({
    pets: [{ id, status: "sold" }],
    orders: [{ id: 9, quantity: 3 }],
    users: [{ username, password: "secret" }],
  });
});

test("an image can be read and deleted only in its own sandbox", async () => {
  const [victim, thief] = [`${sandbox()}/v2`, `${sandbox()}/v2`];
  for (const base of [victim, thief]) await createPet({ id: 1, photoUrls: [] }, { base });
  const body = formOf({ file: new Blob(["a file"]) });
  await send("POST", `${victim}/pet/1/uploadImage`, { body });
  const pet = await getJson<{ photoUrls: string[] }>(`${victim}/pet/1`);
  const [url = ""] = pet.photoUrls;
  const { pathname } = new URL(url, "http://petstore.test");
  expect(pathname).toContain(`${victim}/pet/1/images/`);
  expect((await send("GET", pathname)).status).toBe(200);

  const json = { id: 1, name: "Rex", photoUrls: [url] };
  expect((await send("PUT", `${thief}/pet`, { json })).status).toBe(200);
  for (const base of [thief, "/v2"]) {
    expect((await send("GET", pathname.replace(victim, base))).status).toBe(404);
  }
  expect((await send("DELETE", `${thief}/pet/1`)).status).toBe(200);
  expect((await send("GET", pathname)).status).toBe(200);
});

test("a session is valid only in its own sandbox, and no other sandbox can end it", async () => {
  const [victim, thief] = [sandbox(), sandbox()];
  for (const path of [victim, thief]) {
    await createUser({ username: "ann", password: "secret" }, { base: `${path}/v2` });
    await protect(path, "a-key-of-this-sandbox");
  }
  const token = await logIn({ username: "ann", password: "secret" }, { base: `${victim}/v2` });
  const headers = { Authorization: `Bearer ${token}` };
  const read = async (base: string) => (await send("GET", `${base}/user/ann`, { headers })).status;
  expect([await read(`${victim}/v2`), await read(`${thief}/v2`)]).toEqual([200, 401]);
  for (const base of [`${thief}/v2`, "/v2"]) await send("GET", `${base}/user/logout`, { headers });
  expect(await read(`${victim}/api/v3`)).toBe(200);
  await send("GET", `${victim}/v2/user/logout`, { headers });
  expect(await read(`${victim}/v2`)).toBe(401);
});

test("password attempts are counted per sandbox", async () => {
  const keys: string[] = [];
  const LOGINS: RateLimit = { limit: async ({ key }) => ({ success: keys.push(key) > 0 }) };
  const settings = { RATE_LIMITS: "on", LOGINS };
  for (const path of [sandbox(), sandbox(), ""]) {
    if (path) {
      await configure(path, settings);
      await protect(path, "the key of this sandbox");
    }
    const login = `${path}/v2/user/login?username=ann&password=wrong`;
    expect((await send("GET", login, { env: { ...protectedEnv, ...settings } })).status).toBe(400);
  }
  expect(new Set(keys).size).toBe(3);
});

test("no log line contains a sandbox's name, because the name is its secret", async () => {
  const lines: unknown[] = [];
  for (const method of ["log", "error", "warn"] as const) {
    vi.spyOn(console, method).mockImplementation((...line) => void lines.push(...line));
  }
  const path = sandbox();
  for (const below of ["/v2/pet/1", "/api/v3/pet/x", "/v2/nowhere", "/data", "/nowhere", ""]) {
    await send("GET", path + below);
  }
  vi.restoreAllMocks();
  expect(lines.length).toBeGreaterThanOrEqual(6);
  expect(lines.join("\n")).not.toContain(path.slice("/sandboxes/".length));
});

describe("a path that spells a sandbox's name in another way", () => {
  const [victim, thief] = [sandbox(), sandbox()];
  const name = victim.slice("/sandboxes/".length);
  let whole: unknown;

  beforeAll(async () => {
    await createPet({ id: 1, name: "Secret" }, { base: `${victim}/v2` });
    await createUser({ username: "ann", password: "secret" }, { base: `${victim}/v2` });
    await createPet({ id: 2 }, { base: `${thief}/v2` });
    whole = await getJson(`${victim}/data`);
  });

  test.each([
    `${thief}%2F..%2F${name}/v2`,
    `${thief}/v2/..%2F..%2F${name}%2Fv2`,
    `/${victim}/v2`,
    `${thief}/v2${victim}/v2`,
    `${thief}/v2/pet/1?x=${victim}/v2`,
    `${victim}%00/v2`,
    `/sandboxes/%${name.charCodeAt(0).toString(16)}${name.slice(1)}/v2`,
    `/%73andboxes/${name}/v2`,
    "/sandboxes/:sandbox/v2",
  ])("does not reach the sandbox: %s", async (base) => {
    for (const [method, path] of [
      ["GET", "/pet/1"],
      ["GET", "/user/ann"],
      ["DELETE", "/pet/1"],
      ["DELETE", "/user/ann"],
    ] as const) {
      const request = new Request(`http://petstore.test${base}${path}`, { method });
      expect(await (await exports.default.fetch(request)).text()).not.toMatch(/secret/i);
    }
    expect(await getJson(`${victim}/data`)).toEqual(whole);
  });
});
