import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { send } from "../client.ts";
import { createPet, createUser, tokenOf } from "../fixtures.ts";
import { A_BOOKMARK, clientWith, laggingReplica } from "../stores.ts";

const BOOKMARK = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/;

const pet = { name: "Rex", photoUrls: "rex.png" };

/** A client, and the constraints of the D1 sessions that it caused. */
function observed(): {
  readonly client: typeof send;
  readonly constraints: (string | undefined)[];
} {
  const constraints: (string | undefined)[] = [];
  const DB = new Proxy(env.DB, {
    get(database, name) {
      if (name !== "withSession") return Reflect.get(database, name) as unknown;
      return (constraint?: string) => {
        constraints.push(constraint);
        return database.withSession(constraint);
      };
    },
  });
  return { client: clientWith({ DB }), constraints };
}

test("every answer that asked D1 carries a bookmark", async () => {
  const created = await send("POST", "/pet", { json: pet });
  expect(created.headers.get("x-d1-bookmark")).toMatch(BOOKMARK);
  const missing = await send("GET", "/pet/9007199254740991");
  expect(missing.headers.get("x-d1-bookmark")).toMatch(BOOKMARK);
});

test("an answer that asked D1 nothing carries none", async () => {
  const refused = await send("GET", "/pet/x");
  expect(refused.headers.has("x-d1-bookmark")).toBe(false);
});

test("a read with the bookmark of a write sees it, from any replica that is as new", async () => {
  const { client, constraints } = observed();
  const created = await client("POST", "/pet", { json: pet });
  const bookmark = created.headers.get("x-d1-bookmark") ?? "";
  const { id } = created.json as { id: number };
  const found = await client("GET", `/pet/${id}`, { headers: { "x-d1-bookmark": bookmark } });
  expect(found.json).toEqual({ id, ...pet });
  expect(constraints).toEqual(["first-primary", bookmark]);
});

test("a plain client reads from the primary, and so its own writes", async () => {
  const { client, constraints } = observed();
  const created = await client("POST", "/pet", { json: pet });
  const { id } = created.json as { id: number };
  for (const name of ["Ada", "Bob", "Cleo"]) {
    await client("PUT", "/pet", { json: { id, ...pet, name } });
    expect((await client("GET", `/pet/${id}`)).json).toEqual({ id, ...pet, name });
  }
  expect(new Set(constraints)).toEqual(new Set(["first-primary"]));
});

test.each(["garbage", "", "first-unconstrained", "0-0-0-0", "'; drop table pets; --"])(
  "a bookmark that is none changes nothing: %s",
  async (bookmark) => {
    const { client, constraints } = observed();
    const created = await client("POST", "/pet", { json: pet });
    const { id } = created.json as { id: number };
    const found = await client("GET", `/pet/${id}`, { headers: { "x-d1-bookmark": bookmark } });
    expect(found.json).toEqual({ id, ...pet });
    expect(found.headers.get("x-d1-bookmark")).toMatch(BOOKMARK);
    expect(constraints).toEqual(["first-primary", "first-primary"]);
  },
);

test("a login and a session are looked up at the primary, whatever bookmark the client sends", async () => {
  const { path, shown } = await createUser({ password: "secret" });
  await createPet({ status: "sold" });
  const client = clientWith({ DB: laggingReplica(), ACCESS: "protected" });
  const headers = { "x-d1-bookmark": A_BOOKMARK };
  const query = `?username=${shown.username}&password=secret`;
  const login = await client("GET", `/user/login${query}`, { headers });
  expect(login.status).toBe(200);
  const authorization = { Authorization: `Bearer ${tokenOf(login)}` };
  const answer = await client("GET", path, { headers: { ...headers, ...authorization } });
  expect(answer.status).toBe(200);
  // Others are answered by the replica.
  expect((await client("GET", "/pet/findByStatus?status=sold", { headers })).json).toEqual([]);
});
