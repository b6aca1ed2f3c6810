import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { createPet, createUser, logIn, sandbox, send, uniqueName } from "../client.ts";

/** Uploads a file to the pet 1. @returns its path below the interface */
async function upload(base: string): Promise<string> {
  const body = new FormData();
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  body.append("file", new File([png], "rex.png"));
  expect((await send("POST", `${base}/pet/1/uploadImage`, { body })).status).toBe(200);
  const pet = await (await send("GET", `${base}/pet/1`)).json<{ photoUrls: string[] }>();
  const url = pet.photoUrls.at(-1) ?? "";
  expect(url).toContain(`${base}/pet/1/images/`);
  return url.slice(url.indexOf("/pet/"));
}

test("two sandboxes and the pet store itself have data of their own", async () => {
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
  const inventory = await send("GET", `${other}/v2/store/inventory`);
  expect(await inventory.json()).toEqual({ available: 0, pending: 0, sold: 0 });
  expect(await (await send("GET", `${one}/data`)).json()).toMatchObject({
    pets: [{ id, status: "sold" }],
    orders: [{ id: 9, quantity: 3 }],
    users: [{ username, password: "secret" }],
  });
});

test("both interfaces of a sandbox show the same data", async () => {
  const path = sandbox();
  await createPet({ id: 5, name: "Rex", photoUrls: "a.png,b.png" }, { base: `${path}/v2` });
  const pet = await send("GET", `${path}/api/v3/pet/5`);
  expect(await pet.json()).toMatchObject({ id: 5, name: "Rex", photoUrls: ["a.png", "b.png"] });

  const order = await send("POST", `${path}/api/v3/store/order`, { json: { petId: 5 } });
  expect(await order.json()).toEqual({ id: 1, petId: 5 });
  expect((await send("GET", `${path}/v2/store/order/1`)).status).toBe(200);

  const json = [{ username: "ada", password: "secret" }];
  const users = await send("POST", `${path}/api/v3/user/createWithList`, { json });
  expect(await users.json()).toMatchObject([{ id: 1, username: "ada" }]);
  const login = await send("GET", `${path}/api/v3/user/login?username=ada&password=secret`);
  expect(await login.json()).toMatch(/^Logged in user session: /);
  expect(login.headers.get("set-cookie")).toContain(`; Path=${path}/api/v3;`);

  expect((await send("POST", `${path}/api/v3/pet`, { json: {} })).status).toBe(422);
  expect((await send("DELETE", `${path}/api/v3/pet/5`)).status).toBe(200);
  expect((await send("GET", `${path}/v2/pet/5`)).status).toBe(404);
});

test("links and the cookie of a sandbox lead to itself", async () => {
  const base = `${sandbox()}/v2`;
  await createUser({ username: "ann", password: "secret" }, { base });
  for (const below of ["/user/login?username=ann&password=secret", "/user/logout"]) {
    const { headers } = await send("GET", base + below);
    expect(headers.get("set-cookie")).toContain(`; Path=${base};`);
  }
  const json = { name: "Rex", photoUrls: [], status: "sold" };
  for (const id of [1, 2]) {
    const { headers } = await send("POST", `${base}/pet`, { json: { ...json, id } });
    expect(headers.get("content-location")).toContain(`${base}/pet/${id}`);
  }
  const page = await send("GET", `${base}/pet/findByStatus?status=sold&limit=1`);
  expect(page.headers.get("link")).toContain(`${base}/pet/findByStatus?`);
});

test("an image is shown and deleted only by its own sandbox", async () => {
  const [victim, thief] = [`${sandbox()}/v2`, `${sandbox()}/v2`];
  for (const base of [victim, thief]) await createPet({ id: 1, photoUrls: [] }, { base });
  const image = await upload(victim);
  expect((await send("GET", victim + image)).headers.get("content-type")).toBe("image/png");
  const json = { id: 1, name: "Rex", photoUrls: [victim + image] };
  expect((await send("PUT", `${thief}/pet`, { json })).status).toBe(200);
  for (const base of [thief, "/v2"]) expect((await send("GET", base + image)).status).toBe(404);
  expect((await send("DELETE", `${thief}/pet/1`)).status).toBe(200);
  expect((await send("GET", victim + image)).status).toBe(200);
});

test("a session opens only its own sandbox, and no other ends it", async () => {
  const [victim, thief] = [sandbox(), sandbox()];
  for (const path of [victim, thief]) {
    await createUser({ username: "ann", password: "secret" }, { base: `${path}/v2` });
    const json = { access: "protected", apiKey: "a-key-of-this-sandbox" };
    await send("PUT", `${path}/access`, { json });
  }
  const token = await logIn({ username: "ann", password: "secret" }, { base: `${victim}/v2` });
  const headers = { Authorization: `Bearer ${token}` };
  expect((await send("GET", `${victim}/v2/user/ann`, { headers })).status).toBe(200);
  expect((await send("GET", `${thief}/v2/user/ann`, { headers })).status).toBe(401);

  for (const base of [`${thief}/v2`, "/v2"]) await send("GET", `${base}/user/logout`, { headers });
  expect((await send("GET", `${victim}/api/v3/user/ann`, { headers })).status).toBe(200);
  await send("GET", `${victim}/v2/user/logout`, { headers });
  expect((await send("GET", `${victim}/v2/user/ann`, { headers })).status).toBe(401);
});

test("no line of the log has the name of a sandbox: who knows it has the sandbox", async () => {
  const lines: unknown[] = [];
  for (const method of ["log", "error", "warn"] as const) {
    vi.spyOn(console, method).mockImplementation((...line) => void lines.push(...line));
  }
  const path = sandbox();
  for (const below of ["/v2/pet/1", "/api/v3/pet/x", "/v2/nowhere", "/data", "/nowhere", "", "/"]) {
    await send("GET", path + below);
  }
  await send("DELETE", path);
  vi.restoreAllMocks();
  expect(lines.length).toBeGreaterThanOrEqual(8);
  expect(lines.join("\n")).not.toContain(path.slice("/sandboxes/".length));
});

describe("a path that does not state the name of a sandbox", () => {
  const [victim, thief] = [sandbox(), sandbox()];
  const name = victim.slice("/sandboxes/".length);
  let whole: unknown;

  beforeAll(async () => {
    await createPet({ id: 1, name: "Secret", tags: ["secret"] }, { base: `${victim}/v2` });
    await createUser({ username: "ann", password: "secret" }, { base: `${victim}/v2` });
    await createPet({ id: 2 }, { base: `${thief}/v2` });
    whole = await (await send("GET", `${victim}/data`)).json();
  });

  test.each([
    `${thief}%2F..%2F${name}/v2`,
    `${thief}%252F..%252F${name}/v2`,
    `${thief}/v2/..%2F..%2F${name}%2Fv2`,
    `${thief}//${name}/v2`,
    `/${victim}/v2`,
    `${thief};${victim}/v2`,
    `${thief}/v2${victim}/v2`,
    `${thief}/v2/pet/1?x=${victim}/v2`,
    `${victim}./v2`,
    `${victim}%00/v2`,
    `/sandboxes/%${name.charCodeAt(0).toString(16)}${name.slice(1)}/v2`,
    `/%73andboxes/${name}/v2`,
    "/sandboxes/:sandbox/v2",
  ])("does not reach it: %s", async (base) => {
    for (const [method, path] of [
      ["GET", "/pet/1"],
      ["GET", "/user/ann"],
      ["DELETE", "/pet/1"],
      ["DELETE", "/user/ann"],
    ] as const) {
      const request = new Request(`http://petstore.test${base}${path}`, { method });
      expect(await (await exports.default.fetch(request)).text()).not.toMatch(/secret/i);
    }
    expect(await (await send("GET", `${victim}/data`)).json()).toEqual(whole);
  });
});
