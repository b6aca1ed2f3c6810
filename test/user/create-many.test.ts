import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { send } from "../client.ts";
import type { Sent } from "../client.ts";
import {
  clientWith,
  countOf,
  createUser,
  done,
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
  readonly username?: string | null | undefined;
  readonly password?: string;
  readonly firstName?: string;
}

const countUsers = async () => countOf("users");

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

const named = (): { username: string } => ({ username: uniqueName("many") });

describe.each(["/user/createWithArray", "/user/createWithList"])("POST %s", (path) => {
  const create = async (users: readonly NewUser[]) => send("POST", path, { json: users });

  /** What became of it, and how many users there are more. */
  async function attempt(users: readonly NewUser[]): Promise<Outcome & { readonly added: number }> {
    const before = await countUsers();
    const { status, json } = await create(users);
    return { status, json, added: (await countUsers()) - before };
  }

  test.each([
    ["nobody", []],
    ["users without a username, who are no duplicates of each other", [{}, { username: null }, {}]],
  ])("accepts %s §5.3.1", async (_, users) => {
    for (let time = 0; time < 2; time++) {
      expect(await attempt(users)).toEqual({ ...done("ok"), added: users.length });
    }
  });

  test("gives the ids that one user after the other would get, whatever ids are taken §5.3.1", async () => {
    // Ids that were brought, by any run: they are not given out.
    const used = new Set<number>();
    const mayBring = (id: number) => !used.has(id) && used.add(id).has(id);
    await fc.assert(
      fc.asyncProperty(
        // Ids beyond the next one: taken before, and brought by the users themselves.
        fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 20 }),
        fc.array(fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }), { maxLength: 30 }),
        async (taken, wanted) => {
          const { id: last } = await createUser();
          const before = taken
            .map((ahead) => ({ ...named(), id: last + 1 + ahead }))
            .filter(({ id }) => mayBring(id));
          await create(before);
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
  });

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
    await database.prepare("DELETE FROM users WHERE id = ?").bind(highest.id).run();
    await create(users);
    expect(await idsOf(users)).toEqual([last + 1, highest.id, last + 2]);
  });

  test("creates 100 users with all their members, and keeps every character §2.8 §5.3.1", async () => {
    const text = "'\"\\\n\r\t\b\u0001\u007f\u2028🐕é%_$.[]{}";
    const users = Array.from({ length: 100 }, (_, index) => ({
      ...named(),
      id: uniqueId(),
      firstName: text,
      lastName: `${index}`,
      email: "null",
      phone: "1e3",
      password: text,
      userStatus: index % 2 === 0 ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER,
    }));
    expect(outcome(await send("POST", path, { json: users }))).toEqual(done("ok"));
    for (const user of users.slice(95)) {
      expect((await send("GET", userPath(user.username))).json).toEqual(user);
    }
  });

  test.each<[string, (taken: NewUser, one: NewUser, id: number) => NewUser[], string[]]>([
    ["usernames of others", ({ username }) => [named(), { username }], ["1.username"]],
    ["ids of others", ({ id }) => [named(), { ...named(), id }], ["1.id"]],
    [
      "a username that it has twice",
      (_, one) => [one, named(), { ...one, firstName: "Another" }],
      ["2.username"],
    ],
    [
      "an id that it has twice",
      (_, one, id) => [{ ...one, id }, named(), { ...named(), id }],
      ["2.id"],
    ],
    ["several of them", (taken, one) => [taken, one, one], ["0.id", "0.username", "2.username"]],
  ])(
    "refuses %s, naming each where it comes again, and creates none §5.3.3",
    async (_, of, paths) => {
      const { id, path: taken, shown } = await createUser({ id: uniqueId() });
      const one = named();
      expect(await attempt(of({ id, username: shown.username }, one, uniqueId()))).toEqual({
        ...refusal(409, "Duplicate user", ...paths),
        added: 0,
      });
      expect((await send("GET", taken)).json).toEqual(shown);
      expect((await send("GET", userPath(one.username))).status).toBe(404);
    },
  );

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
      refusal(415, "Unsupported media type", "Content-Type"),
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
