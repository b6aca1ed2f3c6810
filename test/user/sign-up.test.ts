import { afterEach, describe, expect, test, vi } from "vitest";
import { send } from "../client.ts";
import type { Answer } from "../client.ts";
import {
  PROTECTED,
  clientWith,
  countOf,
  createUser,
  done,
  etagOf,
  logIn,
  outcome,
  refusal,
  tokenOf,
  uniqueName,
  withKey,
} from "../fixtures.ts";
import { CountingLimit } from "../limiters.ts";
import { comparable, costOf } from "./secrecy.ts";
import { countedAs } from "../engine.ts";
import { words } from "../spellings.ts";

const guarded = clientWith(PROTECTED);

afterEach(() => {
  vi.restoreAllMocks();
});

const signUp = (json: object): Promise<Answer> => send("POST", "/user", { json });

const members = {
  firstName: "Ann",
  lastName: "Lee",
  email: "ann@pets.example",
  password: "s3cret, söcret",
  phone: "+49 30 123456",
  userStatus: 0,
};

const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  // Some break two rules: the first is named.
  "username §5.1.1 §5.1.2": [
    ...words(" login logout createWithArray createWithList . .. \u00A0\u2003 \t\n ann\n ann\0"),
    ...words("ann\u007F ann\u0085"),
    " ",
    "x".repeat(129),
    "🐕".repeat(129),
    7,
    true,
    ["ann"],
    { name: "ann" },
  ],
  firstName: [7],
  lastName: [["Lee"]],
  email: [{}, false],
  password: [12_345, true, ["p"], "a\0"],
  phone: [4_930_123_456, "\uD83D"],
  "userStatus §2.7.1 §2.7.2": ["0", "", 1.5, true, 2 ** 53],
};

test.each(
  Object.entries(WRONG).flatMap(([member, values]) =>
    values.map((value): [string, unknown] => [member, value]),
  ),
)(
  "a user with a wrong %s is refused at a sign-up and an update, and nothing is stored: %j §5.0 §V2.2",
  async (which, value) => {
    const [member = ""] = which.split(" ");
    const refused = refusal(400, "Invalid user supplied", member);
    const { path, shown, etag } = await createUser(members);
    const before = await countOf("users");
    const json = { firstName: "Eve", [member]: value };
    expect(outcome(await signUp({ username: uniqueName("eve"), ...json }))).toEqual(refused);
    expect(await countOf("users")).toBe(before);
    expect(outcome(await send("PUT", path, { json }))).toEqual(refused);
    const kept = await send("GET", path);
    expect([kept.json, etagOf(kept)]).toEqual([shown, etag]);
  },
);

test("usernames are case-sensitive §5.1.3", async () => {
  const { path, shown } = await createUser({ username: "CaseSensitive", firstName: "Ann" });
  const other = await createUser({ username: "casesensitive", firstName: "Bob" });
  expect(other.id).not.toBe(shown.id);
  expect((await send("GET", path)).json).toEqual(shown);
  expect((await send("GET", "/user/CASESENSITIVE")).status).toBe(404);
});

test("an id of one user with the username of another is a duplicate of both §5.2.3", async () => {
  const [ann, bob] = [await createUser(), await createUser()];
  const refused = await signUp({ id: ann.id, username: bob.shown.username });
  expect(outcome(refused)).toEqual(refusal(409, "Duplicate user", "id", "username"));
});

test.each(["with", "without"])(
  "signing up again with the same content, %s the id, answers 200 with the id §5.2.4",
  async (how) => {
    const user = { username: uniqueName("ann"), ...members };
    const { id, path, etag } = await createUser(user);
    const again = { ...user, ...(how === "with" && { id }) };
    expect(outcome(await signUp(again))).toEqual(done(String(id)));
    expect((await send("GET", path)).headers.get("etag")).toBe(etag);
  },
);

test.each(["", "/createWithArray", "/createWithList"])(
  "a sign-up at /user%s with an empty password stores none, and equals one without §5.5.6",
  async (below) => {
    const user = { username: uniqueName("ann") };
    const create = async (json: object) =>
      send("POST", `/user${below}`, withKey(user.username, { json: below ? [json] : json }));
    const created = await create({ ...user, password: "" });
    expect(outcome(await create(user))).toEqual(outcome(created));
    const { json } = await send("GET", `/user/${user.username}`);
    expect(json).toEqual({ ...user, id: expect.any(Number) as number });
    expect((await signUp({ ...user, password: "" })).status).toBe(200);
    expect((await logIn(user.username, "")).status).toBe(400);
    await send("PUT", `/user/${user.username}`, { json: { password: "secret" } });
    expect((await logIn(user.username, "secret")).status).toBe(200);
  },
);

test("a taken id names no username as a duplicate where none was sent", async () => {
  const { id } = await createUser();
  const refused = await signUp({ id, firstName: "Eve" });
  expect(outcome(refused)).toEqual(refusal(409, "Duplicate user", "id"));
});

describe("a sign-up with the username of another", () => {
  const owner = { password: "the secret of the owner", email: "ann@pets.example", userStatus: 1 };
  /** What somebody else may send beside the username. */
  const others: Record<string, object> = {
    "another password": { ...owner, password: "mine" },
    "a password of the same length": { ...owner, password: owner.password.toUpperCase() },
    "no password": { ...owner, password: undefined },
    "another email": { ...owner, email: "eve@pets.example" },
    "the right password and nothing else": { password: owner.password },
    "nothing else": {},
  };

  test.each(Object.keys(others))("takes nothing over: %s §V6.3 §R6", async (what) => {
    const { path, shown, etag } = await createUser(owner);
    const { username } = shown;
    const token = tokenOf(await logIn(username, owner.password, guarded));
    for (const client of [send, guarded]) {
      const json = { ...others[what], username };
      expect((await client("POST", "/user", { json })).status).toBe(409);
      expect((await client("POST", "/user/createWithArray", { json: [json] })).status).toBe(409);
    }
    const after = await send("GET", path);
    expect([after.json, etagOf(after)]).toEqual([shown, etag]);
    expect((await logIn(username, owner.password)).status).toBe(200);
    expect((await logIn(username, "mine")).status).toBe(400);
    const headers = { Authorization: `Bearer ${token}` };
    expect((await guarded("GET", path, { headers })).status).toBe(200);
  });

  test("is answered that it is a duplicate, and no more, whatever else it says §V6.3 §R6", async () => {
    const { shown } = await createUser(owner);
    const { username } = shown;
    const answers = [];
    for (const other of Object.values(others)) {
      const json = { ...other, username };
      const { answer, cost } = await costOf(async (client) => client("POST", "/user", { json }));
      answers.push({ text: answer.text, headers: comparable(answer), cost });
    }
    const [first, ...more] = answers;
    expect(JSON.parse(first?.text ?? "")).toEqual({
      code: 409,
      type: "error",
      message: "Duplicate user",
      errors: [{ path: "username", message: "is a duplicate: another user has it" }],
    });
    expect(first?.cost).toMatchObject({ d1: 1, kv: 0, opens: 1, comparisons: 1 });
    for (const answer of more) expect(answer).toEqual(first);
  });

  // A client that knows everything about an account except the password learns from 200 instead of 409 that a guess was
  // right.
  test("is no way around the limit of logins: guesses of a password count as attempts to log in §V6.3", async () => {
    const user = { username: uniqueName("ann"), password: "secret" };
    await createUser(user);
    const LOGINS = new CountingLimit(2);
    const client = clientWith({ LOGINS, ACCESS: "protected" });
    const headers = { "CF-Connecting-IP": "192.0.2.1" };
    const statuses = [];
    for (const password of ["one", "two", "secret"]) {
      const json = { ...user, password };
      statuses.push((await client("POST", "/user", { json, headers })).status);
    }
    expect(statuses).toEqual([409, 409, 429]);
    expect(new Set(LOGINS.keys)).toEqual(new Set([countedAs(`${user.username} 192.0.2.1`)]));
  });
});
