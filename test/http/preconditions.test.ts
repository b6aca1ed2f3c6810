import { beforeEach, describe, expect, test } from "vitest";
import { env } from "cloudflare:workers";
import { createPet, createUser, placeOrder, send, type Init } from "../client.ts";

beforeEach(async () => {
  await env.DB.exec("DELETE FROM orders WHERE id <= 10");
});

const form = { body: new URLSearchParams({ name: "Max" }) };
const pathOfPet = async () => `/v2/pet/${(await createPet()).id}`;
const pathOfOrder = async () => `/v2/store/order/${(await placeOrder()).id}`;
const pathOfUser = async () => `/v2/user/${(await createUser()).username}`;

/** PUT /pet names its pet in the body. */
const put = async (path: string): Promise<readonly [string, Init]> => [
  path.replace(/\/\d+$/, ""),
  { json: { ...(await (await send("GET", path)).json<object>()), name: "Max" } },
];

type Request = (path: string) => Promise<readonly [path: string, init: Init]>;
const itself: Request = async (path) => [path, {}];

const READS: readonly (readonly [string, () => Promise<string>])[] = [
  ["a pet", pathOfPet],
  ["an order", pathOfOrder],
  ["a user", pathOfUser],
  ["a pet of Petstore 3", async () => (await pathOfPet()).replace("/v2", "/api/v3")],
];

const WRITES: readonly (readonly [string, string, () => Promise<string>, Request])[] = [
  ["PUT", "/pet", pathOfPet, put],
  ["POST", "/pet/{petId}", pathOfPet, async (path) => [path, form]],
  ["DELETE", "/pet/{petId}", pathOfPet, itself],
  ["DELETE", "/store/order/{orderId}", pathOfOrder, itself],
  ["PUT", "/user/{username}", pathOfUser, async (path) => [path, { json: { phone: "2" } }]],
  ["DELETE", "/user/{username}", pathOfUser, itself],
  ["PUT", "/api/v3/pet", async () => (await pathOfPet()).replace("/v2", "/api/v3"), put],
  [
    "POST",
    "/api/v3/pet/{petId}",
    async () => (await pathOfPet()).replace("/v2", "/api/v3"),
    async (path) => [`${path}?name=Max`, {}],
  ],
];

const etagOf = async (path: string) => (await send("GET", path)).headers.get("etag") ?? "";

describe.each(READS)("the ETag of %s", (_, make) => {
  test("is strong, and gives 304 where If-None-Match has it, also weak, in a list, or as *", async () => {
    const path = await make();
    const etag = await etagOf(path);
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const value of [etag, `W/${etag}`, "*", `"another", ${etag}`, `W/"another" , W/${etag}`]) {
      for (const method of ["GET", "HEAD"]) {
        const response = await send(method, path, { headers: { "if-none-match": value } });
        expect([value, response.status, await response.text()]).toEqual([value, 304, ""]);
        expect(response.headers.get("etag")).toBe(etag);
        expect(response.headers.get("content-type")).toBeNull();
        expect(response.headers.get("access-control-allow-origin")).toBe("*");
        expect(response.headers.get("cache-control")).toContain("no-transform");
      }
    }
    for (const value of ['"another"', `${etag.slice(0, -1)}0"`, '"a", "b"']) {
      expect((await send("GET", path, { headers: { "if-none-match": value } })).status).toBe(200);
    }
  });

  test.each(["123", "garbage", '"unterminated', ","])("refuses the If-None-Match %s, and names it", async (value) => {
    const response = await send("GET", await make(), { headers: { "if-none-match": value } });
    expect(await response.json()).toMatchObject({ code: 400, errors: [{ path: "If-None-Match" }] });
  });
});

describe.each(WRITES)("%s %s", (method, _, make, requestOf) => {
  async function attempt(path: string, ifMatch: string): Promise<Response> {
    const [to, init] = await requestOf(path);
    return send(method, to, { ...init, headers: { "if-match": ifMatch } });
  }

  test("is done where If-Match has the tag, in a list too, or *", async () => {
    for (const header of [(etag: string) => etag, (etag: string) => `"another", ${etag}`, () => "*"]) {
      const path = await make();
      const response = await attempt(path, header(await etagOf(path)));
      expect(response.status).toBe(200);
    }
  });

  test("compares hundreds of tags", async () => {
    const others = Array.from(Array(300).keys(), (tag) => `"${tag}"`).join(", ");
    const path = await make();
    expect((await attempt(path, others)).status).toBe(412);
    expect((await attempt(path, `${others}, ${await etagOf(path)}`)).status).toBe(200);
  });

  test("is 412, and changes nothing, where If-Match has another tag, or only a weak one", async () => {
    const path = await make();
    const before = await send("GET", path);
    const etag = before.headers.get("etag") ?? "";
    for (const value of ['"another"', '"a", "b"', `W/${etag}`, `"0${etag.slice(1)}`]) {
      const response = await attempt(path, value);
      expect(await response.json()).toMatchObject({ code: 412, type: "error" });
    }
    const after = await send("GET", path);
    expect(after.headers.get("etag")).toBe(etag);
    expect(await after.json()).toEqual(await before.json());
  });

  test.each(["123", "garbage", '"unterminated', ","])("refuses the If-Match %s, and names it", async (value) => {
    const path = await make();
    const etag = await etagOf(path);
    const response = await attempt(path, value);
    expect(await response.json()).toMatchObject({ code: 400, errors: [{ path: "If-Match" }] });
    expect(await etagOf(path)).toBe(etag);
  });

  test("is 404 where there is nothing", async () => {
    const path = await make();
    const [to, init] = await requestOf(path);
    await send("DELETE", path);
    for (const value of ["*", '"1"']) {
      expect((await send(method, to, { ...init, headers: { "if-match": value } })).status).toBe(404);
    }
  });
});

test("other preconditions, and those on other operations, are ignored", async () => {
  const path = await pathOfPet();
  const since = { "if-modified-since": "Tue, 29 Oct 2999 19:43:31 GMT" };
  expect((await send("GET", path, { headers: since })).status).toBe(200);
  const before = { "if-unmodified-since": "Sat, 29 Oct 1994 19:43:31 GMT" };
  expect((await send("DELETE", path, { headers: before })).status).toBe(200);
  const headers = { "if-match": '"another"' };
  expect((await send("GET", "/v2/store/inventory", { headers })).status).toBe(200);
  expect((await send("POST", "/v2/store/order", { json: {}, headers })).status).toBe(200);
});
