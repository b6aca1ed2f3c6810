import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { send } from "../client.ts";
import type { Sent } from "../client.ts";
import {
  clientWith,
  countOf,
  createUser,
  done,
  logIn,
  outcome,
  refusal,
  uniqueId,
  uniqueName,
  userPath,
} from "../fixtures.ts";
import type { Outcome } from "../fixtures.ts";
import { CountingLimit } from "../limiters.ts";
import { Calls, databaseThrough } from "../bindings.ts";
import { callsFor, database } from "../engine.ts";

interface NewUser {
  readonly id?: number | null;
  readonly username?: string | null;
  readonly password?: string;
  readonly firstName?: string;
}

const countUsers = async () => countOf("users");

async function idOf(username: string): Promise<number> {
  return ((await send("GET", userPath(username))).json as { id: number }).id;
}

/** The ids of these users, by their names. */
async function idsOf(users: readonly { readonly username: string }[]): Promise<number[]> {
  const { results } = await database
    .prepare(
      "SELECT users.id FROM json_each(?) AS wanted JOIN users ON username = value ORDER BY key",
    )
    .bind(JSON.stringify(users.map(({ username }) => username)))
    .all<{ id: number }>();
  return results.map(({ id }) => id);
}

/** A refusal that names duplicates at these paths and adds nobody. */
const duplicate = (...paths: string[]) => ({
  ...refusal(409, "Duplicate user", ...paths),
  added: 0,
});

const named = (): { username: string } => ({ username: uniqueName("many") });

describe.each(["/user/createWithArray", "/user/createWithList"])("POST %s", (path) => {
  const create = async (users: readonly NewUser[]) => send("POST", path, { json: users });

  /** What became of it, and how many users there are more. */
  async function attempt(users: readonly NewUser[]): Promise<Outcome & { readonly added: number }> {
    const before = await countUsers();
    const { status, json } = await create(users);
    return { status, json, added: (await countUsers()) - before };
  }

  test("creates every user with all its members and answers ok §2.8 §5.3.1", async () => {
    const users = [1, 2, 3].map((number) => ({
      id: uniqueId(),
      username: uniqueName("whole"),
      firstName: `First ${number}`,
      lastName: "Last",
      email: `${number}@pets.example`,
      password: `secret ${number}`,
      phone: "+44 20 7946 0000",
      userStatus: number,
    }));
    expect(outcome(await create(users))).toEqual(done("ok"));
    for (const user of users) {
      expect((await send("GET", userPath(user.username))).json).toEqual(user);
    }
  });

  test("accepts an empty array §5.3.1", async () => {
    const before = await countUsers();
    expect(outcome(await create([]))).toEqual(done("ok"));
    expect(await countUsers()).toBe(before);
  });

  test("accepts users without a username, who are no duplicates of each other", async () => {
    const before = await countUsers();
    expect(outcome(await create([{}, { username: null }, {}]))).toEqual(done("ok"));
    expect(outcome(await create([{}]))).toEqual(done("ok"));
    expect(await countUsers()).toBe(before + 4);
  });

  test("gives the ids that one user after the other would get, whatever ids are taken §5.3.1", async () => {
    // Ids that were brought, by any run: they are not given out.
    const used = new Set<number>();
    const mayBring = (id: number) => !used.has(id) && used.add(id).has(id);
    await fc.assert(
      fc.asyncProperty(
        // Ids beyond the next one: taken before, some of them deleted again, and brought by the users themselves.
        fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 20 }),
        fc.array(fc.boolean(), { maxLength: 20 }),
        fc.array(fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }), { maxLength: 30 }),
        async (taken, deleted, wanted) => {
          const { id: last } = await createUser();
          const before = taken
            .map((ahead) => ({ ...named(), id: last + 1 + ahead }))
            .filter(({ id }) => mayBring(id));
          await create(before);
          await database
            .prepare("DELETE FROM users WHERE id IN (SELECT value FROM json_each(?))")
            .bind(JSON.stringify(before.flatMap(({ id }, at) => (deleted[at] ? id : []))))
            .run();
          const users = wanted.map((ahead) => ({
            ...named(),
            id: ahead !== undefined && mayBring(last + 1 + ahead) ? last + 1 + ahead : undefined,
          }));
          let next = last;
          const generate = () => {
            do next += 1;
            while (used.has(next));
            return next;
          };
          const expected = users.map(({ id }) => id ?? generate());

          expect(outcome(await send("POST", path, { json: users }))).toEqual(done("ok"));

          expect(await idsOf(users)).toEqual(expected);
          // The sequence stands where it would: the next user gets the next id.
          expect((await createUser()).id).toBe(generate());
        },
      ),
      { seed: 20_261_121, numRuns: 25 },
    );
  }, 60_000);

  test("generates ids that nobody else gets, at the same time", async () => {
    const groups = Array.from({ length: 8 }, () => Array.from({ length: 25 }, named));
    const answers = await Promise.all(groups.map(create));
    expect(answers.map(({ status }) => status)).toEqual(groups.map(() => 200));
    const ids: number[] = [];
    for (const group of groups) {
      const given = await idsOf(group);
      expect(given).toEqual(given.toSorted((one, other) => one - other));
      ids.push(...given);
    }
    expect(new Set(ids).size).toBe(200);
  });

  test("leaves the next id free where an id is the last one that there is", async () => {
    const { id: last } = await createUser();
    const highest = { ...named(), id: Number.MAX_SAFE_INTEGER };
    const users = [named(), highest, named()];
    const refused = await database.prepare("DELETE FROM users WHERE id = ?").bind(highest.id).run();
    expect(refused.success).toBe(true);
    await create(users);
    const ids = await Promise.all(users.map(async ({ username }) => idOf(username)));
    expect(ids).toEqual([last + 1, highest.id, last + 2]);
  });

  test("keeps every character of 100 users §5.3.1", async () => {
    const text = "'\"\\\n\r\t\b\u0001\u007f\u2028🐕é%_$.[]{}";
    const users = Array.from({ length: 100 }, (_, index) => ({
      ...named(),
      firstName: text,
      lastName: `${index}`,
      email: "null",
      phone: "1e3",
      password: text,
      userStatus: index % 2 === 0 ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER,
    }));
    expect(outcome(await send("POST", path, { json: users }))).toEqual(done("ok"));
    for (const user of users.slice(95)) {
      expect((await send("GET", userPath(user.username))).json).toMatchObject(user);
    }
  });

  test("names every username that is stored already, and creates none §5.3.3", async () => {
    const [one, two] = [await createUser(), await createUser()];
    const taken = [one, two].map(({ shown }) => ({ username: String(shown.username) }));
    expect(await attempt([named(), ...taken.slice(0, 1), named(), ...taken.slice(1)])).toEqual(
      duplicate("1.username", "3.username"),
    );
    expect((await send("GET", one.path)).json).toEqual(one.shown);
  });

  test("names every id that is stored already, and creates none §5.3.3", async () => {
    const { id } = await createUser({ id: uniqueId() });
    expect(await attempt([named(), { ...named(), id }])).toEqual(duplicate("1.id"));
  });

  test("names a username that the array has twice, where it comes again §5.3.3", async () => {
    const twice = named();
    expect(await attempt([twice, named(), { ...twice, firstName: "Another" }])).toEqual(
      duplicate("2.username"),
    );
    expect((await send("GET", userPath(twice.username))).status).toBe(404);
  });

  test("names an id that the array has twice, where it comes again §5.3.3", async () => {
    const id = uniqueId();
    expect(await attempt([{ ...named(), id }, named(), { ...named(), id }])).toEqual(
      duplicate("2.id"),
    );
  });

  test("names the id and the username of one user, and those of others", async () => {
    const { id, shown } = await createUser({ id: uniqueId() });
    const twice = named();
    expect(await attempt([{ id, username: String(shown.username) }, twice, twice])).toEqual(
      duplicate("0.id", "0.username", "2.username"),
    );
  });

  test("seals passwords, with which the users log in §5.3.1", async () => {
    const users = ["the first secret", "the second secret"].map((password) => ({
      ...named(),
      password,
    }));
    await create(users);
    for (const { username, password } of users) {
      const row = await database
        .prepare("SELECT * FROM users WHERE username = ?")
        .bind(username)
        .first();
      expect(JSON.stringify(row)).not.toContain(password);
      expect((row as { sealedPassword: unknown }).sealedPassword).toEqual(expect.any(String));
      expect((await logIn(username, password)).status).toBe(200);
      expect((await logIn(username, "another secret")).status).toBe(400);
    }
  });

  test.each<[string, Sent, string[]]>([
    ["an object", { json: { username: "ada" } }, ["body"]],
    ["null", { json: null }, ["body"]],
    ["text", { json: "ada" }, ["body"]],
    ["nothing", { headers: { "Content-Type": "application/json" } }, ["body"]],
    ["malformed JSON", { body: '[{"username":', headers: {} }, ["body"]],
    ["null among users", { json: [{}, null] }, ["1"]],
    ["text among users", { json: ["ada"] }, ["0"]],
    ["an array among users", { json: [{}, {}, []] }, ["2"]],
    ["a reserved username", { json: [{}, { username: "login" }] }, ["1.username"]],
    ["a password that is a number", { json: [{ password: 1 }] }, ["0.password"]],
    ["an id that is text", { json: [{ id: "1" }] }, ["0.id"]],
    ["an id below zero", { json: [{}, { id: -1 }] }, ["1.id"]],
    [
      "several users at fault",
      { json: [{ username: " " }, {}, { email: 7, userStatus: 1.5 }] },
      ["0.username", "2.email", "2.userStatus"],
    ],
    ["one bad user among good ones", { json: [named(), { ...named(), id: -1 }] }, ["1.id"]],
    ["101 users", { json: Array.from({ length: 101 }, () => ({})) }, ["body"]],
  ])("refuses %s, naming where it is, and creates none §2.4.1 §5.3.2", async (_, sent, paths) => {
    const before = await countUsers();
    const headers = { "Content-Type": "application/json", ...sent.headers };
    expect(outcome(await send("POST", path, { ...sent, headers }))).toEqual(
      refusal(400, "Invalid user supplied", ...paths),
    );
    expect(await countUsers()).toBe(before);
  });

  test("refuses another media type, and a body of more than 256 KiB §2.3.1", async () => {
    const headers = { "Content-Type": "text/plain" };
    expect(outcome(await send("POST", path, { body: "[]", headers }))).toEqual(
      refusal(415, "Unsupported media type"),
    );
    const users = Array.from({ length: 65 }, () => ({ firstName: "x".repeat(4096) }));
    expect(outcome(await create(users))).toEqual(refusal(413, "Content too large"));
  });

  test.each([
    ["protected", 1, 1],
    ["protected", 5, 5],
    ["protected", 0, 1],
    ["open", 5, 1],
  ] as const)(
    "in %s access %i users count as %i requests §6.7.7 §V2.4",
    async (ACCESS, count, counted) => {
      const REQUESTS = new CountingLimit();
      const client = clientWith({ ACCESS, REQUESTS });
      const headers = { "CF-Connecting-IP": "2001:db8::1" };
      expect(
        (await client("POST", path, { json: Array.from({ length: count }, named), headers }))
          .status,
      ).toBe(200);
      expect(REQUESTS.keys).toEqual(Array.from({ length: counted }, () => "2001:db8:0:0::/64"));
    },
  );

  test("creates none where they are more than the limit of requests has left, and looks no further §6.7.7 §V2.4", async () => {
    const REQUESTS = new CountingLimit(4);
    const calls = new Calls();
    const client = clientWith({ ACCESS: "protected", REQUESTS, ...databaseThrough(calls) });
    const answer = await client("POST", path, { json: Array.from({ length: 50 }, named) });
    expect(outcome(answer)).toEqual(refusal(429, "Too many requests"));
    expect(REQUESTS.keys).toHaveLength(5);
    expect(calls.count).toBe(callsFor(0));
  });

  test("counts an array that is refused as one request §6.7.7", async () => {
    const REQUESTS = new CountingLimit();
    const client = clientWith({ ACCESS: "protected", REQUESTS });
    const json = [named(), named(), { username: "" }];
    expect((await client("POST", path, { json })).status).toBe(400);
    expect(REQUESTS.keys).toHaveLength(1);
  });
});
