import { beforeEach, describe, expect, test } from "vitest";
import { env } from "cloudflare:workers";
import { createPet, createUser, formOf, getJson, logIn, placeOrder, protectedEnv, send, type Init } from "../client.ts";

beforeEach(async () => {
  await env.DB.exec("DELETE FROM orders WHERE id <= 10");
});

const form = { body: new URLSearchParams({ name: "Max" }) };
const pathOfPet = async () => `/v2/pet/${(await createPet()).id}`;
const pathOfOrder = async () => `/v2/store/order/${(await placeOrder()).id}`;
const pathOfUser = async () => `/v2/user/${(await createUser()).username}`;

const fileOf = () => formOf({ file: new Blob(["GIF89a;"]) });

async function pathOfFile() {
  const path = `/v2/pet/${(await createPet({ photoUrls: [] })).id}`;
  await send("POST", `${path}/uploadImage`, { body: fileOf() });
  return (await getJson<{ photoUrls: string[] }>(path)).photoUrls[0] ?? "";
}

/** Returns a PUT /pet request, which has the ID in the body. */
const put = async (path: string): Promise<readonly [string, Init]> => [
  path.replace(/\/\d+$/, ""),
  { json: { ...(await getJson<object>(path)), name: "Max" } },
];

type Request = (path: string) => Promise<readonly [path: string, init: Init]>;
const itself: Request = async (path) => [path, {}];

const READS: readonly (readonly [string, () => Promise<string>])[] = [
  ["a pet", pathOfPet],
  ["an order", pathOfOrder],
  ["a user", pathOfUser],
  ["a pet of Petstore 3", async () => (await pathOfPet()).replace("/v2", "/api/v3")],
  ["an order of Petstore 3", async () => (await pathOfOrder()).replace("/v2", "/api/v3")],
  ["a user of Petstore 3", async () => (await pathOfUser()).replace("/v2", "/api/v3")],
  ["a file", pathOfFile],
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
  ["POST", "/pet/{petId}/uploadImage", pathOfPet, async (path) => [`${path}/uploadImage`, { body: fileOf() }]],
  [
    "POST",
    "/api/v3/pet/{petId}/uploadImage",
    async () => (await pathOfPet()).replace("/v2", "/api/v3"),
    async (path) => [`${path}/uploadImage`, { body: new Blob(["GIF89a;"]) }],
  ],
  ["DELETE", "/api/v3/pet/{petId}", async () => (await pathOfPet()).replace("/v2", "/api/v3"), itself],
  ["DELETE", "/api/v3/store/order/{orderId}", async () => (await pathOfOrder()).replace("/v2", "/api/v3"), itself],
  [
    "PUT",
    "/api/v3/user/{username}",
    async () => (await pathOfUser()).replace("/v2", "/api/v3"),
    async (path) => [path, { json: { phone: "2" } }],
  ],
  ["DELETE", "/api/v3/user/{username}", async () => (await pathOfUser()).replace("/v2", "/api/v3"), itself],
];

const etagOf = async (path: string) => (await send("GET", path)).headers.get("etag") ?? "";

describe.each(READS)("the ETag of %s", (_, make) => {
  test("is strong, and returns 304 if it is in If-None-Match, including as a weak tag, in a list, or as *", async () => {
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

  test("is compared strongly with If-Match first, in a list or as *, and returns 412 for another tag", async () => {
    const path = await make();
    const etag = await etagOf(path);
    for (const method of ["GET", "HEAD"]) {
      for (const [headers, status] of [
        [{ "if-match": etag }, 200],
        [{ "if-match": `"another", ${etag}` }, 200],
        [{ "if-match": "*" }, 200],
        [{ "if-match": etag, "if-none-match": '"another"' }, 200],
        [{ "if-match": etag, "if-none-match": etag }, 304],
        [{ "if-match": '"another"' }, 412],
        [{ "if-match": `W/${etag}` }, 412],
        [{ "if-match": `"0${etag.slice(1)}` }, 412],
        [{ "if-match": '"another"', "if-none-match": etag }, 412],
        [{ "if-match": '"another"', "if-none-match": '"another"' }, 412],
      ] as const) {
        const response = await send(method, path, { headers });
        expect([method, headers, response.status]).toEqual([method, headers, status]);
        if (status !== 412) continue;
        const body = { code: 412, type: "error", message: "Precondition failed" };
        expect(await response.text()).toBe(method === "HEAD" ? "" : JSON.stringify(body));
        expect(response.headers.get("content-type")).toMatch(/^application\/json/);
        expect(response.headers.get("content-disposition")).toBeNull();
      }
    }
  });

  test.each(["123", "garbage", '"unterminated', ","])(
    "rejects the If-None-Match %s, and names the header",
    async (value) => {
      const response = await send("GET", await make(), { headers: { "if-none-match": value } });
      expect(await response.json()).toMatchObject({ code: 400, errors: [{ path: "If-None-Match" }] });
    },
  );
});

describe.each(WRITES)("%s %s", (method, _, make, requestOf) => {
  async function attempt(path: string, ifMatch: string): Promise<Response> {
    const [to, init] = await requestOf(path);
    return send(method, to, { ...init, headers: { "if-match": ifMatch } });
  }

  test("succeeds if If-Match has the tag, including in a list or as *", async () => {
    for (const header of [(etag: string) => etag, (etag: string) => `"another", ${etag}`, () => "*"]) {
      const path = await make();
      const response = await attempt(path, header(await etagOf(path)));
      expect(response.status).toBe(200);
    }
  });

  test("accepts hundreds of tags", async () => {
    const others = Array.from(Array(300).keys(), (tag) => `"${tag}"`).join(", ");
    const path = await make();
    expect((await attempt(path, others)).status).toBe(412);
    expect((await attempt(path, `${others}, ${await etagOf(path)}`)).status).toBe(200);
  });

  test("returns 412 and changes nothing if If-Match has another tag, or only a weak tag", async () => {
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

  test.each(["123", "garbage", '"unterminated', ","])(
    "rejects the If-Match %s, and names the header",
    async (value) => {
      const path = await make();
      const etag = await etagOf(path);
      const response = await attempt(path, value);
      expect(await response.json()).toMatchObject({ code: 400, errors: [{ path: "If-Match" }] });
      expect(await etagOf(path)).toBe(etag);
    },
  );

  async function attemptUnless(path: string, headers: Record<string, string>): Promise<Response> {
    const [to, init] = await requestOf(path);
    return send(method, to, { ...init, headers });
  }

  test("returns 412 and changes nothing if If-None-Match has the tag, including as a weak tag, in a list, or as *", async () => {
    const path = await make();
    const before = await send("GET", path);
    const etag = before.headers.get("etag") ?? "";
    for (const value of [etag, `W/${etag}`, "*", `"another", ${etag}`, `W/"another" , W/${etag}`]) {
      for (const headers of [{ "if-none-match": value }, { "if-match": etag, "if-none-match": value }]) {
        const response = await attemptUnless(path, headers);
        expect([headers, await response.json()]).toMatchObject([headers, { code: 412, type: "error" }]);
      }
    }
    const after = await send("GET", path);
    expect(after.headers.get("etag")).toBe(etag);
    expect(await after.json()).toEqual(await before.json());
  });

  test("succeeds if If-None-Match has any number of other tags, and If-Match has the tag", async () => {
    const others = Array.from(Array(300).keys(), (tag) => `"${tag}"`).join(", ");
    for (const value of ['"another"', others, '"", W/"01"', `"${"9".repeat(400)}"`]) {
      for (const hasMatch of [false, true]) {
        const path = await make();
        const match = hasMatch ? { "if-match": await etagOf(path) } : {};
        expect((await attemptUnless(path, { "if-none-match": value, ...match })).status).toBe(200);
      }
    }
  });

  test("returns 412 if If-Match fails, even if If-None-Match does not", async () => {
    const path = await make();
    const headers = { "if-match": '"another"', "if-none-match": '"another"' };
    expect((await attemptUnless(path, headers)).status).toBe(412);
  });

  test.each(["123", "garbage", '"unterminated', ","])(
    "rejects the If-None-Match %s, and names the header",
    async (value) => {
      const path = await make();
      const response = await attemptUnless(path, { "if-none-match": value });
      expect(await response.json()).toMatchObject({ code: 400, errors: [{ path: "If-None-Match" }] });
    },
  );

  test("returns 404 if there is no such resource", async () => {
    const path = await make();
    const [to, init] = await requestOf(path);
    await send("DELETE", path);
    for (const name of ["if-match", "if-none-match"]) {
      for (const value of ["*", '"1"']) {
        expect((await send(method, to, { ...init, headers: { [name]: value } })).status).toBe(404);
      }
    }
  });
});

test("other preconditions, and preconditions on other operations, are ignored", async () => {
  const path = await pathOfPet();
  const since = { "if-modified-since": "Tue, 29 Oct 2999 19:43:31 GMT" };
  expect((await send("GET", path, { headers: since })).status).toBe(200);
  const before = { "if-unmodified-since": "Sat, 29 Oct 1994 19:43:31 GMT" };
  expect((await send("DELETE", path, { headers: before })).status).toBe(200);
  for (const headers of [{ "if-match": '"another"' }, { "if-none-match": "*" }, { "if-match": "garbage" }]) {
    expect((await send("GET", "/v2/store/inventory", { headers })).status).toBe(200);
    for (const base of ["/v2", "/api/v3"]) {
      expect((await send("POST", `${base}/pet`, { json: { name: "Rex", photoUrls: [] }, headers })).status).toBe(200);
      expect((await send("POST", `${base}/store/order`, { json: {}, headers })).status).toBe(200);
      expect((await send("POST", `${base}/user`, { json: {}, headers })).status).toBe(200);
      expect((await send("POST", `${base}/user/createWithList`, { json: [{}], headers })).status).toBe(200);
    }
  }
});

test("an upload with a failed precondition stores no file", async () => {
  const { id } = await createPet({ photoUrls: [] });
  for (const headers of [{ "if-match": '"another"' }, { "if-none-match": "*" }]) {
    const response = await send("POST", `/v2/pet/${id}/uploadImage`, { body: fileOf(), headers });
    expect(response.status).toBe(412);
  }
  expect((await env.IMAGES.list({ prefix: `${id}/` })).objects).toEqual([]);
});

test("401 and 403 take precedence over a precondition", async () => {
  const at = { env: protectedEnv };
  const { id } = await createPet({}, { ...at, headers: { api_key: protectedEnv.API_KEY } });
  const user = await createUser({}, at);
  const authorization = `Bearer ${await logIn(user, at)}`;
  for (const [method, path, status] of [
    ["DELETE", `/v2/pet/${id}`, 403],
    ["POST", `/v2/pet/${id}/uploadImage`, 403],
    ["PUT", "/v2/user/nobody", 403],
    ["GET", "/v2/user/nobody", 403],
  ] as const) {
    for (const condition of [{ "if-match": '"another"' }, { "if-none-match": "*" }]) {
      const init = { ...at, ...(path.endsWith("Image") && { body: fileOf() }), ...(method === "PUT" && { json: {} }) };
      expect((await send(method, path, { ...init, headers: { ...condition, authorization } })).status).toBe(status);
      expect((await send(method, path, { ...init, headers: condition })).status).toBe(401);
    }
  }
});
