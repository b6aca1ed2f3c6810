import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { failing } from "./bindings.ts";
import {
  createPet,
  createUser,
  formOf,
  logIn,
  placeOrder,
  protectedEnv,
  send,
  uniqueName,
  type Init,
  type ShownPet,
} from "./client.ts";

// Concurrent requests to D1. In a sandbox, statements of a request run without interruption, so races cannot happen there.

const pet = { name: "Rex", photoUrls: "rex.png", status: "available" };

/** Makes concurrent calls and returns their results. */
const atOnce = async <T>(count: number, call: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, async (_, index) => call(index)));

const statuses = (responses: readonly Response[]) => responses.map(({ status }) => status).toSorted((a, b) => a - b);

/** The sorted statuses if only one of the requests succeeds. */
const oneOf = (count: number, rejected: number) => [200, ...Array<number>(count - 1).fill(rejected)];

const idOf = async (response: Response) => {
  const { id, message } = await response.json<{ id?: number; message?: string }>();
  return id ?? Number(message);
};

const bodyAt = async (path: string) => (await send("GET", path)).json();

describe("generated IDs", () => {
  test.each([
    ["/v2/pet", pet],
    ["/api/v3/store/order", {}],
    ["/v2/user", {}],
  ])("are unique for 100 concurrent creates: %s", async (path, json) => {
    const responses = await atOnce(100, async () => send("POST", path, { json }));
    expect(statuses(responses)).toEqual(Array<number>(100).fill(200));
    const ids = await Promise.all(responses.map(idOf));
    expect(new Set(ids).size).toBe(100);
  });

  test("lose no pet if clients choose the next IDs at the same time", async () => {
    const { id: last } = await createPet();
    const responses = await atOnce(40, async (index) => {
      const chosen = index % 2 === 0 ? { id: last + 1 + index } : {};
      return send("POST", "/v2/pet", { json: { ...pet, ...chosen, name: `meeting ${index}` } });
    });
    const stored = responses.filter(({ status }) => status === 200);
    // Only a chosen ID can fail, if it was generated first.
    responses.forEach(({ status }, index) => {
      expect(index % 2 === 0 ? [200, 405] : [200]).toContain(status);
    });
    const shown = await Promise.all(stored.map(async (each) => each.json<{ id: number }>()));
    expect(new Set(shown.map(({ id }) => id)).size).toBe(stored.length);
    for (const each of shown) expect(await bodyAt(`/v2/pet/${each.id}`)).toEqual(each);
  });

  test("of 30 concurrent orders are 1 to 10 first, and then ascend from 11", async () => {
    await env.DB.exec("DELETE FROM orders");
    const responses = await atOnce(30, async (quantity) => send("POST", "/v2/store/order", { json: { quantity } }));
    expect(statuses(responses)).toEqual(Array<number>(30).fill(200));
    const shown = await Promise.all(responses.map(async (each) => each.json<{ id: number }>()));
    const ids = shown.map(({ id }) => id).toSorted((a, b) => a - b);
    expect(new Set(ids).size).toBe(30);
    expect(ids.slice(0, 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(ids[10]).toBeGreaterThan(10);
    for (const each of shown.filter(({ id }) => id <= 10)) {
      expect(await bodyAt(`/v2/store/order/${each.id}`)).toEqual(each);
    }
  });
});

/** Competing requests, of which one can succeed, with the status of the others and the path of the resource. */
const CONTESTS: readonly (readonly [
  what: string,
  rejected: number,
  about: () => Promise<string>,
  request: (path: string, index: number) => readonly [method: string, path: string, json?: object],
])[] = [
  [
    "creating a pet with the same ID",
    405,
    async () => "/v2/pet/5000000",
    (_, index) => ["POST", "/v2/pet", { ...pet, id: 5_000_000, name: `pet ${index}` }],
  ],
  [
    "creating an order with the same ID",
    409,
    async () => "/api/v3/store/order/5000000",
    (_, quantity) => ["POST", "/api/v3/store/order", { id: 5_000_000, quantity }],
  ],
  [
    "replacing a pet with the same ETag",
    412,
    async () => `/v2/pet/${(await createPet()).id}`,
    (path, index) => ["PUT", "/v2/pet", { ...pet, id: idIn(path), name: `editor ${index}` }],
  ],
  [
    "updating a pet by query with the same ETag",
    412,
    async () => `/api/v3/pet/${(await createPet()).id}`,
    (path, index) => ["POST", `${path}?name=editor${index}`],
  ],
  [
    "updating a user with the same ETag",
    412,
    async () => `/v2/user/${(await createUser()).username}`,
    (path, index) => ["PUT", path, { phone: `${index}` }],
  ],
  [
    "signing up with the same username",
    409,
    async () => `/v2/user/${uniqueName()}`,
    (path, index) => ["POST", "/v2/user", { username: path.slice(9), phone: `${index}` }],
  ],
  ["deleting a pet", 404, async () => `/v2/pet/${(await createPet()).id}`, remove],
  ["deleting a user", 404, async () => `/v2/user/${(await createUser()).username}`, remove],
];

function remove(path: string) {
  return ["DELETE", path] as const;
}

function idIn(path: string) {
  return Number(path.split("/").at(-1));
}

test.each(CONTESTS)("of 10 concurrent requests, one succeeds: %s", async (_, rejected, about, request) => {
  const path = await about();
  const etag = (await send("GET", path)).headers.get("etag");
  const responses = await atOnce(10, async (index) => {
    const [method, to, json] = request(path, index);
    return send(method, to, { json, ...(etag !== null && { headers: { "If-Match": etag } }) });
  });
  expect(statuses(responses)).toEqual(oneOf(10, rejected));
  // The stored content is that of the successful request.
  const winner = responses.findIndex(({ status }) => status === 200);
  const [, , json] = request(path, winner);
  const found = await send("GET", path);
  if (json) expect(await found.json()).toMatchObject(json);
  else expect(found.status).toBe(rejected === 404 ? 404 : 200);
});

test("of 10 concurrent renames to the same username, one succeeds", async () => {
  const username = uniqueName();
  const users = await atOnce(10, async () => createUser());
  const responses = await atOnce(10, async (index) =>
    send("PUT", `/v2/user/${users[index]?.username}`, { json: { username } }),
  );
  expect(statuses(responses)).toEqual(oneOf(10, 409));
});

test("of concurrent deletes and replacements with the same ETag, one succeeds", async () => {
  const { id } = await createPet();
  const etag = (await send("GET", `/v2/pet/${id}`)).headers.get("etag") ?? "";
  const headers = { "If-Match": etag };
  const responses = await atOnce(10, async (index) =>
    index % 2 === 0
      ? send("DELETE", `/v2/pet/${id}`, { headers })
      : send("PUT", "/v2/pet", { json: { ...pet, id }, headers }),
  );
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const { status } of responses) expect([200, 404, 412]).toContain(status);
});

test.each([
  ["/v2/pet", pet],
  ["/v2/store/order", { quantity: 1 }],
])("concurrent creates with the same ID and content all return the same row: %s", async (path, content) => {
  const json = { ...content, id: 6_000_000 };
  const responses = await atOnce(10, async () => send("POST", path, { json }));
  expect(statuses(responses)).toEqual(Array<number>(10).fill(200));
  for (const response of responses) expect(await response.json()).toEqual(json);
  expect(new Set(responses.map(({ headers }) => headers.get("etag"))).size).toBe(1);
});

test("of 10 concurrent creates with the same idempotency key and different content, one succeeds", async () => {
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const responses = await atOnce(10, async (index) =>
    send("POST", "/v2/pet", { json: { ...pet, name: `pet ${index}` }, headers }),
  );
  expect(statuses(responses)).toEqual(oneOf(10, 422));
});

test("concurrent updates of different fields of a user are all kept", async () => {
  const { username } = await createUser();
  const fields = { firstName: "A", lastName: "B", email: "C", phone: "D", userStatus: 0 };
  await Promise.all(
    Object.entries(fields).map(async ([name, value]) =>
      send("PUT", `/v2/user/${username}`, { json: { [name]: value } }),
    ),
  );
  expect(await bodyAt(`/v2/user/${username}`)).toMatchObject(fields);
});

describe.each(["/v2", "/api/v3"])("PUT %s/user/{username} with a password", (base) => {
  const old = { password: "old", firstName: "A" };
  const changed = { password: "new", firstName: "B" };

  test("that conflicts with another password change stores all of its fields or none", async () => {
    const { username } = await createUser({ password: "old" });
    const path = `${base}/user/${username}`;
    const DB = beforeSecondCall(async () => send("PUT", path, { json: changed }));
    const response = await send("PUT", path, { json: old, env: { DB } });
    expect(response.status).toBe(200);
    if (base === "/api/v3") expect(await response.json()).toMatchObject(old);
    expect(await bodyAt(path)).toMatchObject(old);
  });

  test("concurrently with others stores what one of them sent, and each response has its own password", async () => {
    const { username } = await createUser({ password: "0" });
    const path = `${base}/user/${username}`;
    const sent = Array.from({ length: 10 }, (_, index) => ({ password: `${index}`, firstName: `${index}` }));
    const responses = await Promise.all(sent.map(async (json) => send("PUT", path, { json })));
    const succeeded = sent.filter((_, index) => responses[index]?.status === 200);
    expect(succeeded.length).toBeGreaterThan(0);
    for (const [index, response] of responses.entries()) {
      expect([200, 503]).toContain(response.status);
      if (base === "/api/v3" && response.ok) expect(await response.json()).toMatchObject(sent[index] ?? {});
    }
    const { password, firstName } = await (await send("GET", path)).json<{ password: string; firstName: string }>();
    expect(succeeded).toContainEqual({ password, firstName });
  });

  test("returns 503 and stores nothing if every attempt conflicts with another update", async () => {
    const { username } = await createUser({ password: "old" });
    const path = `${base}/user/${username}`;
    let calls = 0;
    const DB = failing(env.DB, {
      call: async () => {
        calls += 1;
        // Before each UPDATE, which always follows a SELECT.
        if (calls % 2 === 0) await send("PUT", path, { json: { password: `new ${calls}` } });
        return undefined;
      },
    });
    const response = await send("PUT", path, { json: old, env: { DB } });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    const stored = await (await send("GET", path)).json<object>();
    expect(stored).toMatchObject({ password: `new ${calls - 1}` });
    expect(stored).not.toHaveProperty("firstName");
  });
});

test("an array of users is stored completely or not at all if other requests use its names", async () => {
  const names = Array.from({ length: 5 }, () => uniqueName());
  const array = names.map((username) => ({ username }));
  const responses = await atOnce(6, async (index) =>
    index < 5
      ? send("POST", "/v2/user", { json: { username: names[index], phone: "1" } })
      : send("POST", "/v2/user/createWithList", { json: array }),
  );
  const all = responses[5]?.status;
  expect([200, 409]).toContain(all);
  const singles = responses.slice(0, 5).map(({ status }) => status);
  if (all === 200) expect(singles).toEqual([409, 409, 409, 409, 409]);
  for (const [index, username] of names.entries()) {
    const shown = await (await send("GET", `/v2/user/${username}`)).json<{ phone?: string }>();
    expect(shown.phone).toBe(singles[index] === 200 ? "1" : undefined);
  }
});

const list = async (query: string) => (await send("GET", `/v2/pet/${query}`)).json<unknown[]>();

test("the inventory and the lists are exact after concurrent creates, replacements, and deletes", async () => {
  const names = ["available", "pending", "sold"];
  await atOnce(60, async (index) => {
    const { id } = await createPet({ status: names[index % 3], tags: ["counted"] });
    if (index % 2 === 0) {
      const json = { ...pet, id, status: names[(index + 1) % 3], tags: ["counted"] };
      await send("PUT", "/v2/pet", { json });
    } else if (index % 5 === 0) await send("DELETE", `/v2/pet/${id}`);
  });
  const counted = await list("findByTags?tags=counted");
  expect(counted).toHaveLength(54);
  const inventory: Record<string, number> = {};
  for (const status of names) {
    inventory[status] = (await list(`findByStatus?status=${status}`)).length;
  }
  expect(await bodyAt("/v2/store/inventory")).toEqual(inventory);
});

const upload = async (id: number) =>
  send("POST", `/v2/pet/${id}/uploadImage`, { body: formOf({ file: new Blob(["GIF89a;"]) }) });

const filesOf = async (id: number) => (await env.IMAGES.list({ prefix: `${id}/` })).objects;

test("concurrent uploads all appear in the pet, and a name update keeps them", async () => {
  const { id } = await createPet({ photoUrls: [] });
  const responses = await atOnce(6, async (index) =>
    index === 0 ? send("POST", `/v2/pet/${id}`, { body: new URLSearchParams({ name: "Max" }) }) : upload(id),
  );
  expect(statuses(responses)).toEqual([200, 200, 200, 200, 200, 200]);
  const shown = await (await send("GET", `/v2/pet/${id}`)).json<ShownPet>();
  expect(shown.name).toBe("Max");
  expect(new Set(shown.photoUrls).size).toBe(5);
  expect(await filesOf(id)).toHaveLength(5);
});

test.each([
  ["from an array to text", [], "a.png"],
  ["from text to an array", "a.png", []],
])("an upload keeps what another request replaces before it, also %s", async (_, first, photoUrls) => {
  const { id } = await createPet({ photoUrls: first });
  const json = { ...pet, id, name: "Max", photoUrls };
  const DB = beforeSecondCall(async () => send("PUT", "/v2/pet", { json }));
  const body = formOf({ file: new Blob(["GIF89a;"]) });
  const response = await send("POST", `/v2/pet/${id}/uploadImage`, { body, env: { DB } });
  expect(response.status).toBe(200);
  const [file] = await filesOf(id);
  const url = `/v2/pet/${id}/images/${file?.key.split("/")[1]}`;
  const changed = typeof photoUrls === "string" ? `${photoUrls},${url}` : [...photoUrls, url];
  expect(await bodyAt(`/v2/pet/${id}`)).toEqual({ ...json, photoUrls: changed });
});

test.each([
  ["98 URLs in an array", Array(98).fill("a.png"), 2],
  ["98 URLs in text", Array(98).fill("a.png").join(","), 2],
  ["4,000 characters of text", "🐶".repeat(4000), 1],
])("of 5 concurrent uploads to a pet with %s, only as many succeed as it has room for", async (_, photoUrls, room) => {
  const { id } = await createPet({ photoUrls });
  const responses = await atOnce(5, async () => upload(id));
  expect(statuses(responses)).toEqual([...Array<number>(room).fill(200), ...Array<number>(5 - room).fill(400)]);
  expect(await filesOf(id)).toHaveLength(room);
  const shown = await (await send("GET", `/v2/pet/${id}`)).json<ShownPet>();
  // A PUT accepts what the uploads stored.
  expect((await send("PUT", "/v2/pet", { json: shown })).status).toBe(200);
});

test("concurrent uploads and a delete leave neither the pet nor a file", async () => {
  const { id } = await createPet({ photoUrls: [] });
  const responses = await atOnce(6, async (index) => (index === 3 ? send("DELETE", `/v2/pet/${id}`) : upload(id)));
  expect(responses[3]?.status).toBe(200);
  for (const { status } of responses) expect([200, 404]).toContain(status);
  expect((await send("GET", `/v2/pet/${id}`)).status).toBe(404);
  await expect.poll(async () => filesOf(id)).toEqual([]);
});

test.each([
  ["leaves no order that a later account owns", "/v2/store/order", {}],
  ["leaves no pet that a later account owns", "/v2/pet", pet],
])("with protected access, a session whose user is deleted at the same time %s", async (_, path, json) => {
  const at = { env: protectedEnv };
  const user = await createUser({}, at);
  const headers = { Authorization: `Bearer ${await logIn(user, at)}` };
  const [made, deleted] = await Promise.all([
    send("POST", path, { ...at, headers, json, linked: false }),
    send("DELETE", `/v2/user/${user.username}`, { ...at, headers }),
  ]);
  expect(deleted.status).toBe(200);
  expect([200, 401, 503]).toContain(made.status);
  expect((await send("POST", path, { ...at, headers, json })).status).toBe(401);
  if (made.status !== 200) return;
  const { id } = await made.json<{ id: number }>();
  // The order was deleted with the user, or, like the pet, can be changed only with the API key.
  const again = await createUser({ username: user.username, id: user.id }, at);
  const later = { Authorization: `Bearer ${await logIn(again, at)}` };
  const { status } = await send("DELETE", `${path}/${id}`, { ...at, headers: later });
  expect([403, 404]).toContain(status);
});

/** Wraps D1 so that a callback runs before the second call. */
function beforeSecondCall(happen: () => Promise<unknown>): D1Database {
  let calls = 0;
  return failing(env.DB, {
    call: async () => {
      calls += 1;
      if (calls === 2) await happen();
      return undefined;
    },
  });
}

describe("an update of a resource that is created at the same time returns 404 and not 412:", () => {
  const name = { body: new URLSearchParams({ name: "Max" }) };

  test.each<
    [method: string, path: string, make: (id: number, at: object) => Promise<object>, init?: (id: number) => Init]
  >([
    ["PUT", "/v2/pet", async (id, at) => createPet({ id }, at), (id) => ({ json: { ...pet, id } })],
    ["POST", "/v2/pet/:id", async (id, at) => createPet({ id }, at), () => name],
    ["DELETE", "/v2/pet/:id", async (id, at) => createPet({ id }, at)],
    ["DELETE", "/v2/store/order/:id", async (id, at) => placeOrder({ id }, at)],
    ["DELETE", "/v2/user/u:id", async (id, at) => createUser({ username: `u${id}` }, at)],
    ["PUT", "/api/v3/pet", async (id, at) => createPet({ id }, at), (id) => ({ json: { ...pet, photoUrls: [], id } })],
    ["POST", "/api/v3/pet/:id?name=Max", async (id, at) => createPet({ id }, at)],
    ["DELETE", "/api/v3/pet/:id", async (id, at) => createPet({ id }, at)],
    ["DELETE", "/api/v3/store/order/:id", async (id, at) => placeOrder({ id }, at)],
    ["DELETE", "/api/v3/user/u:id", async (id, at) => createUser({ username: `u${id}` }, at)],
  ])("%s %s", async (method, path, make, init = () => ({})) => {
    const id = 7_000_000 + Math.floor(Number(uniqueName().split("-")[1]));
    const to = path.replace(":id", `${id}`);
    const response = await send(method, to, { ...init(id), env: { DB: beforeSecondCall(async () => make(id, {})) } });
    expect(response.status).toBe(404);
    if (path.includes("user")) return;
    // The same with protected access, if this account or another one creates the resource.
    const at = { env: protectedEnv };
    const [own, other] = await Promise.all(
      [1, 2].map(async () => ({ Authorization: `Bearer ${await logIn(await createUser({}, at), at)}` })),
    );
    for (const [owner, status] of [
      [own, 404],
      [other, 403],
    ] as const) {
      await send("DELETE", `/v2/pet/${id}`);
      await send("DELETE", `/v2/store/order/${id}`);
      let calls = 0;
      const DB = failing(env.DB, {
        call: async () => {
          calls += 1;
          // After the account lookup and the update.
          if (calls === 3) await make(id, { ...at, headers: owner });
          return undefined;
        },
      });
      const rejected = await send(method, to, { ...init(id), headers: own ?? {}, env: { ...protectedEnv, DB } });
      expect(rejected.status).toBe(status);
    }
  });

  test.each(["/v2", "/api/v3"])("PUT %s/user/{username}, if the user is recreated", async (base) => {
    const { username } = await createUser();
    let calls = 0;
    const DB = failing(env.DB, {
      call: async () => {
        calls += 1;
        if (calls !== 2) return undefined;
        await send("DELETE", `/v2/user/${username}`);
        await createUser({ username });
        return undefined;
      },
    });
    const response = await send("PUT", `${base}/user/${username}`, { json: { phone: "1" }, env: { DB } });
    expect(response.status).toBe(404);
  });
});

describe("a create whose generated IDs are always in use returns 500, and the log says why:", () => {
  test.each<[path: string, table: string, json: object, headers?: Record<string, string>]>([
    ["/v2/pet", "pets", pet],
    ["/v2/pet", "pets", pet, { "Idempotency-Key": "a key" }],
    ["/v2/store/order", "orders", {}],
    ["/v2/store/order", "orders", {}, { "Idempotency-Key": "a key" }],
    ["/v2/user", "users", {}],
    ["/v2/user", "users", { username: "endless" }],
    ["/v2/user/createWithList", "users", [{}, { username: "endless of a list" }]],
  ])("%s %s %j", async (path, table, json, headers = {}) => {
    await env.DB.exec("DELETE FROM orders WHERE id <= 10");
    for (let id = 1; id <= 10; id++) await placeOrder({ id });
    const made = { pets: createPet, orders: placeOrder, users: createUser }[table];
    const { id } = (await made?.()) ?? {};
    const { results } = await env.DB.prepare("SELECT * FROM id_sequences WHERE resource = ?")
      .bind(table)
      .all<{ next: number }>();
    await env.DB.prepare("UPDATE id_sequences SET next = ? WHERE resource = ?").bind(id, table).run();
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const response = await send("POST", path, { json, headers });
    expect(log.mock.calls.join()).toContain("id_sequences");
    vi.restoreAllMocks();
    await env.DB.prepare("UPDATE id_sequences SET next = ? WHERE resource = ?").bind(results[0]?.next, table).run();
    expect([response.status, response.headers.get("retry-after")]).toEqual([500, null]);
    expect((await send("POST", path, { json, headers })).status).toBe(200);
  });
});
