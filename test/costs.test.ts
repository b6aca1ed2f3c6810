import { describe, expect, test } from "vitest";
import { routes } from "../src/routes.ts";
import { send } from "./client.ts";
import type { Sent } from "./client.ts";
import { PNG, imageForm } from "./images.ts";
import { Calls, clientWith, d1Through, kvThrough, r2Through } from "./stores.ts";

interface Cost {
  /** What is special about this request, where the operation has several rows. */
  readonly when?: string;
  /** Prepares what the request needs, at the service as it is configured. */
  readonly request: () => Promise<Sent & { readonly path: string }>;
  /** 200 where nothing else is said. */
  readonly status?: number;
  readonly d1: number;
  readonly kv: number;
  /** 0 where nothing else is said. */
  readonly r2?: number;
}

const pet = () => ({ name: "Rex", photoUrls: "rex.png", tags: [{ name: "dog" }], status: "sold" });
const aUsername = () => `cost-${crypto.randomUUID()}`;

async function storedPet() {
  const { json, headers } = await send("POST", "/pet", { json: pet() });
  return { id: (json as { id: number }).id, etag: headers.get("etag") ?? "" };
}

/** An image of a new pet. */
async function storedImage() {
  const { json } = await send("POST", "/pet", { json: { ...pet(), photoUrls: [] } });
  const { id } = json as { id: number };
  await send("POST", `/pet/${id}/uploadImage`, { body: imageForm(new File([PNG], "rex.png")) });
  const { photoUrls } = (await send("GET", `/pet/${id}`)).json as { photoUrls: string[] };
  const path = String(photoUrls[0]).replace("/v2", "");
  return { id, path, etag: (await send("HEAD", path)).headers.get("etag") ?? "" };
}

async function storedOrder() {
  const { json, headers } = await send("POST", "/store/order", { json: { quantity: 1 } });
  return { id: (json as { id: number }).id, etag: headers.get("etag") ?? "" };
}

async function storedUser() {
  const username = aUsername();
  await send("POST", "/user", { json: { username, password: "secret" } });
  const { headers } = await send("GET", `/user/${username}`);
  return { username, etag: headers.get("etag") ?? "" };
}

async function token(): Promise<string> {
  const { username } = await storedUser();
  const { json } = await send("GET", `/user/login?username=${username}&password=secret`);
  return (json as { message: string }).message.split(":")[1] ?? "";
}

let chosenId = 1_000_000;

/** What each operation costs; one D1 round trip is one statement or one batch. */
const costs: Record<string, readonly Cost[]> = {
  "POST /pet": [
    { request: async () => ({ path: "/pet", json: pet() }), d1: 1, kv: 0 },
    {
      when: "with a chosen id",
      request: async () => ({ path: "/pet", json: { id: ++chosenId, ...pet() } }),
      d1: 1,
      kv: 0,
    },
    {
      when: "with a taken id",
      request: async () => ({
        path: "/pet",
        json: { ...pet(), id: (await storedPet()).id, name: "Max" },
      }),
      status: 405,
      d1: 1,
      kv: 0,
    },
  ],
  "PUT /pet": [
    {
      request: async () => ({ path: "/pet", json: { ...pet(), id: (await storedPet()).id } }),
      d1: 1,
      kv: 0,
    },
    {
      when: "under a condition",
      request: async () => {
        const { id, etag } = await storedPet();
        return { path: "/pet", json: { ...pet(), id }, headers: { "If-Match": etag } };
      },
      d1: 1,
      kv: 0,
    },
    {
      when: "under both conditions",
      request: async () => {
        const { id, etag } = await storedPet();
        const headers = { "If-Match": etag, "If-None-Match": '"1"' };
        return { path: "/pet", json: { ...pet(), id }, headers };
      },
      d1: 1,
      kv: 0,
    },
    {
      when: "unless it exists",
      request: async () => {
        const { id } = await storedPet();
        return { path: "/pet", json: { ...pet(), id }, headers: { "If-None-Match": "*" } };
      },
      status: 412,
      d1: 1,
      kv: 0,
    },
  ],
  "GET /pet/findByStatus": [
    { request: async () => ({ path: "/pet/findByStatus?status=sold,pending" }), d1: 1, kv: 0 },
  ],
  "GET /pet/findByTags": [
    { request: async () => ({ path: "/pet/findByTags?tags=dog,cat" }), d1: 1, kv: 0 },
  ],
  "GET /pet/:petId": [
    { request: async () => ({ path: `/pet/${(await storedPet()).id}` }), d1: 1, kv: 0 },
    {
      when: "under a condition that fails",
      request: async () => ({
        path: `/pet/${(await storedPet()).id}`,
        headers: { "If-Match": '"1"' },
      }),
      status: 412,
      d1: 1,
      kv: 0,
    },
  ],
  "POST /pet/:petId": [
    {
      request: async () => ({
        path: `/pet/${(await storedPet()).id}`,
        body: new URLSearchParams({ name: "Max", status: "pending" }),
      }),
      d1: 1,
      kv: 0,
    },
    {
      when: "under a condition",
      request: async () => {
        const { id, etag } = await storedPet();
        const body = new URLSearchParams({ status: "pending" });
        return { path: `/pet/${id}`, body, headers: { "If-Match": etag } };
      },
      d1: 1,
      kv: 0,
    },
  ],
  "POST /pet/:petId/uploadImage": [
    {
      request: async () => ({
        path: `/pet/${(await storedPet()).id}/uploadImage`,
        body: imageForm(new File([PNG], "rex.png")),
      }),
      d1: 2,
      kv: 0,
      r2: 1,
    },
    {
      when: "of a missing pet",
      request: async () => ({
        path: "/pet/0/uploadImage",
        body: imageForm(new File([PNG], "rex.png")),
      }),
      status: 404,
      d1: 1,
      kv: 0,
    },
  ],
  "GET /pet/:petId/images/:name": [
    { request: async () => ({ path: (await storedImage()).path }), d1: 0, kv: 0, r2: 1 },
    {
      when: "a part",
      request: async () => ({
        path: (await storedImage()).path,
        headers: { Range: "bytes=0-9" },
      }),
      status: 206,
      d1: 0,
      kv: 0,
      r2: 1,
    },
    {
      when: "that the client has",
      request: async () => {
        const { path, etag } = await storedImage();
        return { path, headers: { "If-None-Match": etag } };
      },
      status: 304,
      d1: 0,
      kv: 0,
      r2: 1,
    },
    {
      when: "that does not exist",
      request: async () => ({ path: `/pet/1/images/${crypto.randomUUID()}.png` }),
      status: 404,
      d1: 0,
      kv: 0,
      r2: 1,
    },
    {
      when: "by a name that no image has",
      request: async () => ({ path: "/pet/1/images/none.png" }),
      status: 404,
      d1: 0,
      kv: 0,
    },
  ],
  "DELETE /pet/:petId": [
    { request: async () => ({ path: `/pet/${(await storedPet()).id}` }), d1: 1, kv: 0 },
    {
      when: "of a missing pet",
      request: async () => ({ path: "/pet/0" }),
      status: 404,
      d1: 1,
      kv: 0,
    },
    {
      when: "with images",
      request: async () => {
        const { id } = await storedImage();
        const body = imageForm(new File([PNG], "second.png"));
        await send("POST", `/pet/${id}/uploadImage`, { body });
        return { path: `/pet/${id}` };
      },
      d1: 2,
      kv: 0,
      r2: 1,
    },
    {
      when: "under a condition",
      request: async () => {
        const { id, etag } = await storedPet();
        return { path: `/pet/${id}`, headers: { "If-Match": etag } };
      },
      d1: 1,
      kv: 0,
    },
  ],
  "GET /store/inventory": [{ request: async () => ({ path: "/store/inventory" }), d1: 1, kv: 0 }],
  "POST /store/order": [
    { request: async () => ({ path: "/store/order", json: {} }), d1: 1, kv: 0 },
    {
      when: "with a chosen id",
      request: async () => ({ path: "/store/order", json: { id: ++chosenId } }),
      d1: 1,
      kv: 0,
    },
  ],
  "GET /store/order/:orderId": [
    {
      request: async () => {
        await send("POST", "/store/order", { json: { id: 1 } });
        return { path: "/store/order/1" };
      },
      d1: 1,
      kv: 0,
    },
  ],
  "DELETE /store/order/:orderId": [
    { request: async () => ({ path: `/store/order/${(await storedOrder()).id}` }), d1: 1, kv: 0 },
    {
      when: "under a condition",
      request: async () => {
        const { id, etag } = await storedOrder();
        return { path: `/store/order/${id}`, headers: { "If-Match": etag } };
      },
      d1: 1,
      kv: 0,
    },
  ],
  "POST /user": [
    {
      request: async () => ({ path: "/user", json: { username: aUsername(), password: "p" } }),
      d1: 1,
      kv: 0,
    },
    { when: "without a name", request: async () => ({ path: "/user", json: {} }), d1: 1, kv: 0 },
    {
      when: "with a taken name",
      request: async () => ({
        path: "/user",
        json: { username: (await storedUser()).username, phone: "another" },
      }),
      status: 409,
      d1: 1,
      kv: 0,
    },
  ],
  "POST /user/createWithArray": [
    {
      request: async () => ({
        path: "/user/createWithArray",
        json: [{ username: aUsername(), password: "p" }, { username: aUsername() }],
      }),
      d1: 1,
      kv: 0,
    },
  ],
  "POST /user/createWithList": [
    {
      request: async () => ({
        path: "/user/createWithList",
        json: [{ username: aUsername(), password: "p" }, { username: aUsername() }],
      }),
      d1: 1,
      kv: 0,
    },
  ],
  "GET /user/login": [
    {
      request: async () => ({
        path: `/user/login?username=${(await storedUser()).username}&password=secret`,
      }),
      d1: 1,
      kv: 1,
    },
    {
      when: "with a wrong password",
      request: async () => ({
        path: `/user/login?username=${(await storedUser()).username}&password=wrong`,
      }),
      status: 400,
      d1: 1,
      kv: 0,
    },
  ],
  "GET /user/logout": [
    {
      when: "with a bearer token",
      request: async () => ({
        path: "/user/logout",
        headers: { Authorization: `Bearer ${await token()}` },
      }),
      d1: 0,
      kv: 1,
    },
    {
      when: "with a cookie",
      request: async () => ({
        path: "/user/logout",
        headers: { Cookie: `session=${await token()}` },
      }),
      d1: 0,
      kv: 1,
    },
    { when: "without a token", request: async () => ({ path: "/user/logout" }), d1: 0, kv: 0 },
  ],
  "GET /user/:username": [
    { request: async () => ({ path: `/user/${(await storedUser()).username}` }), d1: 1, kv: 0 },
  ],
  "PUT /user/:username": [
    {
      request: async () => ({
        path: `/user/${(await storedUser()).username}`,
        json: { phone: "1", password: "new" },
      }),
      d1: 1,
      kv: 0,
    },
    {
      when: "under a condition",
      request: async () => {
        const { username, etag } = await storedUser();
        return {
          path: `/user/${username}`,
          json: { username: aUsername() },
          headers: { "If-Match": etag },
        };
      },
      d1: 1,
      kv: 0,
    },
  ],
  "DELETE /user/:username": [
    { request: async () => ({ path: `/user/${(await storedUser()).username}` }), d1: 1, kv: 0 },
    {
      when: "under a condition",
      request: async () => {
        const { username, etag } = await storedUser();
        return { path: `/user/${username}`, headers: { "If-Match": etag } };
      },
      d1: 1,
      kv: 0,
    },
  ],
};

const rows = Object.entries(costs).flatMap(([route, requests]) =>
  requests.map(({ when, ...cost }) => ({
    ...cost,
    method: route.split(" ")[0] ?? "",
    called: when === undefined ? route : `${route} ${when}`,
  })),
);

describe("the cost of an operation", () => {
  test("is stated for every route, and for nothing else", () => {
    expect(Object.keys(costs).toSorted()).toEqual(
      routes.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
  });

  for (const { called, method, request, status = 200, d1, kv, r2 = 0 } of rows) {
    test(`in round trips: ${called} takes ${d1} of D1, ${kv} of KV and ${r2} of R2`, async () => {
      const { path, ...sent } = await request();
      const toD1 = new Calls();
      const toKV = new Calls();
      const toR2 = new Calls();
      const measured = clientWith({
        DB: d1Through(toD1),
        SESSIONS: kvThrough(toKV),
        IMAGES: r2Through(toR2),
      });

      const answer = await measured(method, path, sent);

      expect(answer.status).toBe(status);
      expect({ d1: toD1.count, kv: toKV.count, r2: toR2.count }).toEqual({ d1, kv, r2 });
    });
  }

  test.each([
    [1, 0, { once: 1, withKey: 4 }],
    [100, 0, { once: 1, withKey: 4 }],
    [100, 100, { once: 1, withKey: 4 }],
    [100, 50, { once: 2, withKey: 5 }],
  ])("in statements: %i users at once, %i with ids", async (count, chosen, statements) => {
    for (const [path, headers, expected] of [
      ["/user/createWithArray", {}, statements.once],
      ["/user/createWithList", { "Idempotency-Key": crypto.randomUUID() }, statements.withKey],
    ] as const) {
      const d1 = new Calls();
      const json = Array.from({ length: count }, (_, index) => ({
        ...(index < chosen && { id: (chosenId += 2) }),
        username: aUsername(),
        password: "p",
      }));
      const answer = await clientWith({ DB: d1Through(d1) })("POST", path, { json, headers });
      expect(answer.status).toBe(200);
      expect({ calls: d1.count, statements: d1.statements }).toEqual({
        calls: 1,
        statements: expected,
      });
    }
  });

  test("is nothing where the request is refused for what it says", async () => {
    const d1 = new Calls();
    const kv = new Calls();
    const measured = clientWith({ DB: d1Through(d1), SESSIONS: kvThrough(kv) });

    const answers = await Promise.all([
      measured("POST", "/pet", { json: { name: "" } }),
      measured("PUT", "/pet", { json: { id: -1 } }),
      measured("GET", "/pet/abc"),
      measured("GET", "/pet/findByStatus?status=lost"),
      measured("POST", "/store/order", { json: { quantity: -1 } }),
      measured("GET", "/store/order/11"),
      measured("POST", "/user", { json: { username: "" } }),
      measured("GET", "/user/%20"),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([405, 400, 400, 400, 400, 400, 400, 400]);
    expect({ d1: d1.count, kv: kv.count }).toEqual({ d1: 0, kv: 0 });
  });
});
