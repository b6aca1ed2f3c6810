import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createUser, logIn, protectedEnv, send, uniqueName } from "../client.ts";

const ANN = {
  firstName: "Ann",
  lastName: "Lee",
  email: "ann@pets.example",
  password: "s3cret, söcret",
  phone: "+49 30 123456",
  userStatus: 0,
};

const signUp = async (json: object) => send("POST", "/v2/user", { json });

const countUsers = async () =>
  env.DB.prepare("SELECT count(*) AS count FROM users").first<number>("count");

describe("POST /user", () => {
  test("creates a user, answers with the id, and shows the user with the password", async () => {
    const user = await createUser(ANN);
    const response = await send("GET", `/v2/user/${user.username}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(user);
  });

  test("takes an empty object: such a user exists, and cannot be looked up", async () => {
    const before = await countUsers();
    for (const json of [
      {},
      { username: null, firstName: null, password: null, userStatus: null },
    ]) {
      const response = await signUp(json);
      expect(await response.json()).toEqual({
        code: 200,
        type: "unknown",
        message: expect.stringMatching(/^\d+$/) as string,
      });
    }
    expect(await countUsers()).toBe((before ?? 0) + 2);
    for (const username of ["null", "undefined"]) {
      expect((await send("GET", `/v2/user/${username}`)).status).toBe(404);
    }
  });

  test.each([
    "a",
    "x".repeat(128),
    "🐕".repeat(128),
    "a b",
    " a",
    "a/b",
    "a%b",
    "100%",
    "é",
    "漢字",
    "a?b#c",
    "a+b'",
    "null",
    "Login",
  ])("takes the username %j, which its path reaches", async (username) => {
    await createUser({ username });
    const path = `/v2/user/${encodeURIComponent(username)}`;
    expect(await (await send("GET", path)).json()).toMatchObject({ username });
    expect((await send("PUT", path, { json: { phone: "1" } })).status).toBe(200);
    expect(await (await send("DELETE", path)).json()).toMatchObject({
      code: 200,
      message: username,
    });
    expect((await send("GET", path)).status).toBe(404);
  });

  test.each([
    ["username", ""],
    ["username", " "],
    ["username", "\u00A0\u2003"],
    ["username", "\t\n"],
    ["username", "login"],
    ["username", "logout"],
    ["username", "createWithArray"],
    ["username", "createWithList"],
    ["username", "ann\n"],
    ["username", "ann\0"],
    ["username", "ann\u007F"],
    ["username", "ann\u0085"],
    ["username", "x".repeat(129)],
    ["username", "🐕".repeat(129)],
    ["username", 7],
    ["username", ["ann"]],
    ["firstName", 7],
    ["lastName", ["Lee"]],
    ["email", false],
    ["email", "x".repeat(4097)],
    ["password", 12_345],
    ["password", "a\0"],
    ["phone", 4_930_123_456],
    ["phone", "\uD83D"],
    ["userStatus", "0"],
    ["userStatus", 1.5],
    ["userStatus", true],
    ["userStatus", 2 ** 53],
    ["id", "1"],
    ["id", -1],
    ["id", 2 ** 53],
  ])(
    "with %s %j is refused at a sign-up and at an update, and nothing is stored",
    async (member, value) => {
      const user = await createUser(ANN);
      const before = await countUsers();
      const refused = { code: 400, message: "Invalid user supplied", errors: [{ path: member }] };
      const created = await signUp({
        username: uniqueName("eve"),
        firstName: "Eve",
        [member]: value,
      });
      expect(await created.json()).toMatchObject(refused);
      const path = `/v2/user/${user.username}`;
      const updated = await send("PUT", path, { json: { firstName: "Eve", [member]: value } });
      expect(await updated.json()).toMatchObject(refused);
      expect(await countUsers()).toBe(before);
      expect(await (await send("GET", path)).json()).toEqual(user);
    },
  );

  test.each([-1, 1, Number.MAX_SAFE_INTEGER])("takes the userStatus %i", async (userStatus) => {
    const { username } = await createUser({ userStatus });
    expect(await (await send("GET", `/v2/user/${username}`)).json()).toMatchObject({ userStatus });
  });

  test("takes usernames that differ in case only for two users", async () => {
    const one = await createUser({ username: "CaseSensitive" });
    const two = await createUser({ username: "casesensitive" });
    expect(await (await send("GET", "/v2/user/CaseSensitive")).json()).toEqual(one);
    expect(await (await send("GET", "/v2/user/casesensitive")).json()).toEqual(two);
    expect((await send("GET", "/v2/user/CASESENSITIVE")).status).toBe(404);
  });

  test.each([true, false])(
    "answers the same content again with the id; with the id in the body: %j",
    async (withId) => {
      const { id, ...user } = await createUser(ANN);
      const response = await signUp(withId ? { ...user, id } : user);
      expect(await response.json()).toEqual({ code: 200, type: "unknown", message: String(id) });
    },
  );

  test("takes an empty password for none", async () => {
    const username = uniqueName("ann");
    const { id } = await createUser({ username, password: "" });
    expect(await (await send("GET", `/v2/user/${username}`)).json()).toEqual({ id, username });
    expect((await signUp({ username })).status).toBe(200);
    expect((await send("GET", `/v2/user/login?username=${username}&password=`)).status).toBe(400);
  });

  test("with a taken username, id, or both is a duplicate, which names them", async () => {
    const [ann, bob] = [await createUser(ANN), await createUser()];
    for (const [json, path] of [
      [{ username: ann.username }, /^username$/],
      [{ id: ann.id }, /^id$/],
      [{ id: ann.id, username: uniqueName("eve") }, /^id$/],
      [{ id: ann.id, username: bob.username }, /^(id|username)$/],
    ] as const) {
      const response = await signUp({ firstName: "Eve", ...json });
      expect(response.status).toBe(409);
      const { message, errors } = await response.json<{
        message: string;
        errors: { path: string }[];
      }>();
      expect(message).toMatch(/duplicate/i);
      expect(errors[0]?.path).toMatch(path);
    }
  });

  test.each([
    ["another password", { ...ANN, password: "mine" }],
    ["a password of the same length", { ...ANN, password: ANN.password.toUpperCase() }],
    ["no password", { ...ANN, password: undefined }],
    ["another email", { ...ANN, email: "eve@pets.example" }],
    ["the right password and nothing else", { password: ANN.password }],
    ["nothing else", {}],
  ])("takes nobody's username over: %s", async (_, members) => {
    const user = await createUser(ANN);
    const token = await logIn(user, { env: protectedEnv });
    const json = { ...members, username: user.username };
    const refused = await signUp(json);
    expect(await refused.json()).toMatchObject({ code: 409, errors: [{ path: "username" }] });
    expect((await send("POST", "/v2/user/createWithList", { json: [json] })).status).toBe(409);
    expect(await (await send("GET", `/v2/user/${user.username}`)).json()).toEqual(user);
    const own = await send("GET", `/v2/user/${user.username}`, {
      headers: { authorization: `Bearer ${token}` },
      env: protectedEnv,
    });
    expect(own.status).toBe(200);
  });

  test("passes over ids that clients chose, and is not exhausted by 2^53-1", async () => {
    const before = await createUser();
    await createUser({ id: Number.MAX_SAFE_INTEGER });
    await createUser({ id: before.id + 1 });
    expect(await createUser()).toMatchObject({ id: before.id + 2 });
  });
});

describe.each(["createWithArray", "createWithList"])("POST /user/%s", (operation) => {
  const create = async (json: unknown) => send("POST", `/v2/user/${operation}`, { json });

  test("creates all users, with ids in their order", async () => {
    const users = [1, 2, 3].map((index) => ({
      username: uniqueName("many"),
      firstName: `User ${index}`,
    }));
    const response = await create([...users, {}, {}]);
    expect(await response.json()).toEqual({ code: 200, type: "unknown", message: "ok" });
    const shown = [];
    for (const { username } of users) {
      shown.push(await (await send("GET", `/v2/user/${username}`)).json<{ id: number }>());
    }
    expect(shown).toMatchObject(users);
    const [first = 0, ...ids] = shown.map(({ id }) => id);
    expect(ids).toEqual([first + 1, first + 2]);
  });

  test("takes an empty array", async () => {
    expect(await (await create([])).json()).toMatchObject({ code: 200, message: "ok" });
  });

  test("takes the same users again, as a retry", async () => {
    const users = [{ ...ANN, username: uniqueName("again") }, { username: uniqueName("again") }];
    expect((await create(users)).status).toBe(200);
    expect((await create(users)).status).toBe(200);
  });

  test("passes over an id that is taken or that one of the users brings", async () => {
    const { id } = await createUser();
    await createUser({ id: id + 2 });
    const usernames = [1, 2, 3, 4].map(() => uniqueName("ids"));
    const [one, two, three, four] = usernames;
    await create([
      { username: one },
      { username: two },
      { username: three, id: id + 4 },
      { username: four },
    ]);
    const ids = [];
    for (const username of usernames) {
      ids.push((await (await send("GET", `/v2/user/${username}`)).json<{ id: number }>()).id);
    }
    expect(ids).toEqual([id + 1, id + 3, id + 4, id + 5]);
  });

  test("creates all or none", async () => {
    const { username, id } = await createUser();
    for (const wrong of [{ username }, { id }, { username: "login" }, { userStatus: "0" }, 7]) {
      const other = uniqueName("other");
      const response = await create([{ username: other }, wrong]);
      expect([400, 409]).toContain(response.status);
      expect((await send("GET", `/v2/user/${other}`)).status).toBe(404);
    }
    const twice = uniqueName("twice");
    expect(
      (
        await create([
          { username: twice, phone: "1" },
          { username: twice, phone: "2" },
        ])
      ).status,
    ).toBe(409);
    expect((await send("GET", `/v2/user/${twice}`)).status).toBe(404);
  });

  test("names the users and members at fault", async () => {
    const refused = await create([{}, { userStatus: "0" }, { username: "" }, []]);
    expect(await refused.json()).toMatchObject({
      code: 400,
      errors: [{ path: "1.userStatus" }, { path: "2.username" }, { path: "3" }],
    });
    const { username } = await createUser();
    const taken = await create([{}, { username, phone: "1" }]);
    expect(await taken.json()).toMatchObject({ code: 409, errors: [{ path: "1.username" }] });
  });

  test.each([[{}], [null], ["text"], [7]])("refuses %j, which is no array", async (json) => {
    expect(await (await create(json)).json()).toMatchObject({
      code: 400,
      errors: [{ path: "body" }],
    });
  });

  test("takes a hundred users and no more", async () => {
    expect((await create(Array(100).fill({}))).status).toBe(200);
    const refused = await create(Array(101).fill(7));
    const { code, errors } = await refused.json<{ code: number; errors: object[] }>();
    expect([code, errors.length]).toEqual([400, 1]);
  });
});
