import { describe, expect, test } from "vitest";
import { createPet, createUser, logIn, placeOrder, protectedEnv, send, uniqueName, type Init } from "../client.ts";

const env = protectedEnv;
const KEY = { api_key: protectedEnv.API_KEY };

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Creates an account with a session. */
async function account() {
  const user = await createUser({}, { env });
  const token = await logIn(user, { env });
  return { ...user, token, headers: bearer(token), path: `/v2/user/${user.username}` };
}

const ask = async (method: string, path: string, init: Init = {}) => send(method, path, { env, ...init });

const statusOf = async (method: string, path: string, init: Init = {}) => (await ask(method, path, init)).status;

const pet = { name: "Rex", photoUrls: [] };

let orders = 1000;
/** Returns an unused order ID. It cannot be looked up at /v2. */
const orderId = () => ++orders;

describe("pets and orders", () => {
  test.each([
    ["created with the API key", { env, headers: KEY }],
    ["created with open access", {}],
  ])("%s can be deleted only with the API key", async (_, init) => {
    const { headers } = await account();
    const { id } = await createPet({}, init);
    const order = await placeOrder({ id: orderId() }, init);
    for (const path of [`/v2/pet/${id}`, `/v2/store/order/${order.id}`]) {
      expect(await statusOf("DELETE", path, { headers })).toBe(403);
      expect(await statusOf("DELETE", path, { headers: KEY })).toBe(200);
    }
  });

  test("belong to their account in every session, even after its name and password change", async () => {
    const { headers, path } = await account();
    const { id } = await createPet({}, { env, headers });
    const order = await placeOrder({ id: orderId() }, { env, headers });
    const renamed = { username: uniqueName("renamed"), password: "changed" };
    expect(await statusOf("PUT", path, { headers, json: renamed })).toBe(200);
    const later = bearer(await logIn(renamed, { env }));
    const json = { ...pet, id };
    expect(await statusOf("PUT", "/v2/pet", { headers: later, json })).toBe(200);
    expect(await statusOf("DELETE", `/v2/pet/${id}`, { headers: later })).toBe(200);
    const kept = `/api/v3/store/order/${order.id}`;
    expect(await statusOf("GET", kept, { headers: later })).toBe(200);
    expect(await statusOf("DELETE", kept, { headers: later })).toBe(200);
  });

  test("of a deleted account do not belong to a later account with the same ID and name", async () => {
    const { headers, token: _, path, ...user } = await account();
    const { id } = await createPet({}, { env, headers });
    const small = await placeOrder({}, { env, headers });
    const large = await placeOrder({ id: orderId() }, { env, headers });
    expect(await statusOf("DELETE", path, { headers })).toBe(200);
    const { id: userId, username, password } = user;
    await createUser({ id: userId, username, password }, { env });
    const again = { headers: bearer(await logIn(user, { env })) };
    // Orders 1 to 10 were deleted with the account, because only those can be looked up.
    expect(await statusOf("GET", `/v2/store/order/${small.id}`, again)).toBe(404);
    for (const kept of [`/v2/pet/${id}`, `/v2/store/order/${large.id}`]) {
      expect(await statusOf("DELETE", kept, again)).toBe(403);
      expect(await statusOf("DELETE", kept, { headers: KEY })).toBe(200);
    }
  });

  test("never show their owner", async () => {
    const { headers } = await account();
    const responses = [
      await ask("POST", "/v2/pet", { headers, json: { ...pet, tags: ["owned"] } }),
      await ask("GET", "/v2/pet/findByTags?tags=owned"),
      await ask("POST", "/v2/store/order", { headers, json: { id: orderId() } }),
    ];
    for (const response of responses) {
      expect(Object.keys([await response.json<object>()].flat()[0] ?? {})).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/owner|account|idempotency/i)]),
      );
    }
  });
});

test.each([
  ["/v2/pet", pet, 405],
  ["/v2/store/order", {}, 400],
  ["/api/v3/pet", pet, 409],
  ["/api/v3/store/order", {}, 409],
])("if an ID is in use, the same content is a retry only for the owner: %s", async (path, content, taken) => {
  const [owner, another] = [await account(), await account()];
  const json = { ...content, id: orderId() };
  const post = async (headers: Record<string, string>) => statusOf("POST", path, { headers, json });
  expect(await post(owner.headers)).toBe(200);
  expect(await post(owner.headers)).toBe(200);
  expect(await post(another.headers)).toBe(taken);
  expect(await post(KEY)).toBe(taken);
});

const badPet = { id: 1, name: "" };
const malformed = { body: "{", headers: { "Content-Type": "application/json" } };
const stale = { "If-Match": '"1"' };
const sold = new URLSearchParams({ status: "sold" });

test.each([
  // [request, ..., status without a credential, for another user, for the owner]
  ["a malformed pet", "POST", "/v2/pet", malformed, 401, 405, 405],
  ["a pet with an invalid name", "PUT", "/v2/pet", { json: badPet }, 401, 405, 405],
  ["an unknown pet", "PUT", "/v2/pet", { json: { ...pet, id: 987_654 } }, 401, 404, 404],
  ["an invalid ID", "DELETE", "/v2/pet/x", {}, 401, 400, 400],
  ["an unknown pet", "DELETE", "/v2/pet/987654", { headers: stale }, 401, 404, 404],
  ["an outdated pet", "DELETE", "/v2/pet/:pet", { headers: stale }, 401, 403, 412],
  ["a form for an outdated pet", "POST", "/v2/pet/:pet", { body: sold, headers: stale }, 401, 403, 412],
  ["an order out of range", "GET", "/v2/store/order/11", {}, 401, 400, 400],
  ["an unknown order", "DELETE", "/v2/store/order/987654", { headers: stale }, 401, 404, 404],
  ["an outdated order", "DELETE", "/v2/store/order/:order", { headers: stale }, 401, 403, 412],
  ["a malformed user", "PUT", "/v2/user/:user", malformed, 401, 400, 400],
  ["an outdated user", "PUT", "/v2/user/:user", { json: {}, headers: stale }, 401, 403, 412],
  ["an unknown user", "DELETE", "/v2/user/nobody-at-all", { headers: stale }, 401, 403, 403],
  ["an outdated user", "DELETE", "/v2/user/:user", { headers: stale }, 401, 403, 412],
  ["a pet with an invalid name", "PUT", "/api/v3/pet", { json: badPet }, 401, 422, 422],
  ["an outdated pet", "DELETE", "/api/v3/pet/:pet", { headers: stale }, 401, 403, 412],
  ["a query without changes", "POST", "/api/v3/pet/:pet", {}, 401, 400, 400],
  ["an unknown order", "GET", "/api/v3/store/order/987654", {}, 401, 404, 404],
] satisfies [string, string, string, Init, number, number, number][])(
  "errors take precedence in the documented order: %s, %s %s",
  async (_, method, path, init: Init, ...statuses) => {
    const [owner, another] = [await account(), await account()];
    const { id } = await createPet({}, { env, headers: owner.headers });
    const order = await placeOrder({ id: orderId() }, { env, headers: owner.headers });
    const to = path.replace(":pet", String(id)).replace(":order", String(order.id)).replace(":user", owner.username);
    const responses = [];
    for (const credential of [{}, another.headers, owner.headers]) {
      const headers = { ...(init.headers as Record<string, string>), ...credential };
      responses.push(await statusOf(method, to, { ...init, headers }));
    }
    expect(responses).toEqual(statuses);
    // The rejected request changed nothing.
    expect(await statusOf("GET", `/v2/pet/${id}`)).toBe(200);
    expect(await statusOf("GET", `/api/v3/store/order/${order.id}`, owner)).toBe(200);
    expect(await statusOf("GET", owner.path, owner)).toBe(200);
  },
);

describe("a user", () => {
  test("of another name gets the same 403, whether or not that name exists", async () => {
    const { headers } = await account();
    const { path } = await account();
    const [somebody, nobody] = [
      await ask("GET", path, { headers }),
      await ask("GET", "/v2/user/nobody-at-all", { headers }),
    ];
    expect([somebody.status, nobody.status]).toEqual([403, 403]);
    expect(await somebody.text()).toBe(await nobody.text());
  });

  test.each(["/v2", "/api/v3"])("can read the password, but the API key cannot: %s", async (base) => {
    const { username, headers } = await account();
    const path = `${base}/user/${username}`;
    expect(await (await ask("GET", path, { headers })).json()).toMatchObject({ username, password: "secret" });
    const shown = await (await ask("GET", path, { headers: KEY })).json();
    expect(shown).toMatchObject({ username });
    expect(shown).not.toHaveProperty("password");
  });
});

test("a valid credential counts even next to an invalid one", async () => {
  const { headers } = await account();
  for (const wrong of [{ api_key: "wrong" }, { Cookie: `session=${"A".repeat(43)}` }]) {
    const both = { ...headers, ...wrong };
    expect(await statusOf("POST", "/v2/pet", { headers: both, json: pet })).toBe(200);
  }
});
