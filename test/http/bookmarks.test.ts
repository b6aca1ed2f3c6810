import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { send } from "../client.ts";
import {
  captureFaults,
  clientWith,
  createPet,
  createUser,
  tokenOf,
  uniqueName,
} from "../fixtures.ts";
import { A_BOOKMARK, Calls, d1Through, laggingReplica } from "../bindings.ts";
import { storePets } from "../pet/lists.ts";
import type { Fault } from "../bindings.ts";

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

test("every answer that asked D1 carries a bookmark, and no other §7.5.1", async () => {
  const created = await send("POST", "/pet", { json: pet });
  expect(created.headers.get("x-d1-bookmark")).toMatch(BOOKMARK);
  const missing = await send("GET", "/pet/9007199254740991");
  expect(missing.headers.get("x-d1-bookmark")).toMatch(BOOKMARK);
  expect((await send("GET", "/pet/x")).headers.has("x-d1-bookmark")).toBe(false);
});

test("a read with the bookmark of a write sees it, from any replica that is as new §7.5.2", async () => {
  const { client, constraints } = observed();
  const created = await client("POST", "/pet", { json: pet });
  const bookmark = created.headers.get("x-d1-bookmark") ?? "";
  const { id } = created.json as { id: number };
  const found = await client("GET", `/pet/${id}`, { headers: { "x-d1-bookmark": bookmark } });
  expect(found.json).toEqual({ id, ...pet });
  expect(constraints).toEqual(["first-primary", bookmark]);
});

test("a plain client reads from the primary, and so its own writes §7.5.3", async () => {
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
  "a bookmark that is none changes nothing: %s §7.5.4 §V1.2",
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

/** A client of a D1 that meets faults, apart for sessions of a bookmark and for those that begin at the primary. */
function faulty(faultOf: {
  readonly bookmarked: (call: number) => Fault | undefined;
  readonly primary?: (call: number) => Fault | undefined;
}) {
  const bookmarked = new Calls(faultOf.bookmarked);
  const primary = new Calls(faultOf.primary);
  const DB = new Proxy(env.DB, {
    get: (database, name) =>
      name === "withSession"
        ? (constraint: string) =>
            d1Through(constraint === "first-primary" ? primary : bookmarked).withSession(constraint)
        : (Reflect.get(database, name) as unknown),
  });
  return { client: clientWith({ DB }), bookmarked, primary };
}

const transient = (): Fault => ({ when: "before", message: "D1_ERROR: Network connection lost." });
const permanent = (): Fault => ({ when: "before", message: "D1_ERROR: invalid bookmark" });
const headers = { "x-d1-bookmark": A_BOOKMARK };

describe("a bookmark under which D1 fails", () => {
  // The service logs each failure.
  beforeEach(() => {
    captureFaults();
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test.each<[string, (call: number) => Fault | undefined, tries: number, atPrimary: number]>([
    ["dropped at a read, and the primary answers: for good, after one try", permanent, 1, 1],
    ["dropped at a read, and the primary answers: five tries", transient, 5, 1],
    ["kept where another try succeeds", (call) => (call < 4 ? transient() : undefined), 5, 0],
  ])("is %s §7.5.5", async (_, fault, tries, atPrimary) => {
    const { shown, path } = await createPet();
    const { client, bookmarked, primary } = faulty({ bookmarked: fault });
    const answer = await client("GET", path, { headers });
    expect([answer.status, answer.json]).toEqual([200, shown]);
    expect([bookmarked.count, primary.count]).toEqual([tries, atPrimary]);
    // The bookmark of the session that answered, so that the client is rid of its own.
    expect(answer.headers.get("x-d1-bookmark")).toMatch(BOOKMARK);
    expect(answer.headers.get("x-d1-bookmark") === A_BOOKMARK).toBe(atPrimary === 0);
  });

  test("is answered 503 without it where the primary fails too, which is asked once §7.5.5", async () => {
    const { path } = await createPet();
    const { client, primary } = faulty({ bookmarked: transient, primary: transient });
    const answer = await client("GET", path, { headers });
    expect(answer.status).toBe(503);
    expect(answer.headers.has("x-d1-bookmark")).toBe(false);
    expect(primary.count).toBe(1);
  });

  test("is dropped once: what a request reads after that goes to the primary and is tried again", async () => {
    const tag = uniqueName("long");
    await storePets(150, { tags: `json_array('${tag}')` });
    const { client, bookmarked, primary } = faulty({
      bookmarked: permanent,
      primary: (call) => (call === 1 ? transient() : undefined),
    });
    const answer = await client("GET", `/pet/findByTags?tags=${tag}`, { headers });
    expect(answer.json).toHaveLength(150);
    expect(bookmarked.count).toBe(1);
    expect(primary.count).toBeGreaterThan(2);
  });

  test.each<[string, (id: number) => object | undefined, (etag: string) => Record<string, string>]>(
    [
      ["POST", () => pet, () => ({})],
      ["PUT", (id) => ({ id, ...pet, name: "Max" }), () => ({})],
      ["PUT", (id) => ({ id, ...pet, name: "Max" }), (etag) => ({ "If-Match": etag })],
      ["DELETE", () => undefined, () => ({})],
    ],
  )(
    "makes no write fail, which the primary does without it: %s, %# §7.5.5",
    async (method, body, match) => {
      const { id, path, etag } = await createPet();
      const { client, bookmarked, primary } = faulty({ bookmarked: permanent });
      const json = body(id);
      const sent = { headers: { ...headers, ...match(etag) }, json };
      const answer = await client(method, json ? "/pet" : path, sent);
      expect(answer.status).toBe(200);
      expect([bookmarked.count, primary.count]).toEqual([0, 1]);
      expect(answer.headers.get("x-d1-bookmark")).not.toBe(A_BOOKMARK);
    },
  );
});

test("what is in the way of a sign-up is read at the primary, by a session of its own", async () => {
  const { shown } = await createUser();
  const { client, constraints } = observed();
  const json = [{ username: shown.username }];
  expect((await client("POST", "/user/createWithList", { json, headers })).status).toBe(409);
  // Of its write, and of the look-up after that.
  expect(constraints).toEqual(["first-primary", "first-primary"]);
});
