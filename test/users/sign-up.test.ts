import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createUser, getJson, logIn, protectedEnv, sandbox, send, uniqueName } from "../client.ts";

const ANN = { firstName: "Ann", email: "ann@pets.example", password: "s3cret, söcret", phone: "1", userStatus: 0 };

const signUp = async (json: object) => send("POST", "/v2/user", { json });

const countUsers = async () => env.DB.prepare("SELECT count(*) AS count FROM users").first<number>("count");

describe("POST /user", () => {
  test("accepts an empty object, which creates a user that cannot be looked up", async () => {
    const before = await countUsers();
    for (const json of [{}, { username: null, firstName: null, password: null }]) {
      const { message, ...body } = await (await signUp(json)).json<{ message: string }>();
      expect(body).toEqual({ code: 200, type: "unknown" });
      expect(message).toMatch(/^\d+$/);
    }
    expect(await countUsers()).toBe((before ?? 0) + 2);
    expect((await send("GET", "/v2/user/null")).status).toBe(404);
  });

  test.each([..."a/b 100% a?b#c null Login".split(" "), " a", "🐕".repeat(128)])(
    "accepts the username %j, which can be looked up",
    async (username) => {
      await createUser({ username });
      const path = `/v2/user/${encodeURIComponent(username)}`;
      expect(await getJson(path)).toMatchObject({ username });
      expect((await send("PUT", path, { json: { phone: "1" } })).status).toBe(200);
      const deleted = await send("DELETE", path);
      expect(await deleted.json()).toMatchObject({ code: 200, message: username });
      expect((await send("GET", path)).status).toBe(404);
    },
  );

  test.each([".", ".."])("rejects the username %j, which URLs remove from the path", async (username) => {
    for (const base of ["/v2", "/api/v3"]) {
      for (const [path, json, at] of [
        ["/user", { username }, "username"],
        ["/user/createWithList", [{}, { username }], "1.username"],
      ] as const) {
        const rejected = await send("POST", base + path, { json });
        expect(rejected.status).toBe(base === "/v2" ? 400 : 422);
        expect(await rejected.json()).toMatchObject({ errors: [{ path: at }] });
      }
      const user = await createUser();
      const renamed = await send("PUT", `${base}/user/${user.username}`, { json: { username } });
      expect(await renamed.json()).toMatchObject({ errors: [{ path: "username" }] });
    }
    const json = { users: [{ username }] };
    const filled = await send("PUT", `${sandbox()}/data`, { json });
    expect(await filled.json()).toMatchObject({ code: 400, errors: [{ path: "users.0.username" }] });
  });

  test("treats usernames that differ only in case as different", async () => {
    const one = await createUser({ username: "CaseSensitive" });
    const two = await createUser({ username: "casesensitive" });
    expect(await getJson("/v2/user/CaseSensitive")).toEqual(one);
    expect(await getJson("/v2/user/casesensitive")).toEqual(two);
    expect((await send("GET", "/v2/user/CASESENSITIVE")).status).toBe(404);
  });

  test("treats an empty password as no password", async () => {
    const username = uniqueName("ann");
    const { id } = await createUser({ username, password: "" });
    expect(await getJson(`/v2/user/${username}`)).toEqual({ id, username });
    expect((await signUp({ username })).status).toBe(200);
    expect((await send("GET", `/v2/user/login?username=${username}&password=`)).status).toBe(400);
  });

  test("with a username or an ID in use returns 409, and names what is a duplicate", async () => {
    const [ann, bob] = [await createUser(ANN), await createUser()];
    for (const [json, path] of [
      [{ username: ann.username }, /^username$/],
      [{ id: ann.id }, /^id$/],
      [{ id: ann.id, username: uniqueName("eve") }, /^id$/],
      [{ id: ann.id, username: bob.username }, /^(id|username)$/],
    ] as const) {
      const response = await signUp({ firstName: "Eve", ...json });
      expect(response.status).toBe(409);
      expect(await response.json()).toMatchObject({
        message: expect.stringMatching(/duplicate/i),
        errors: [{ path: expect.stringMatching(path) }],
      });
    }
  });

  test.each([
    ["another password", { ...ANN, password: "mine" }],
    ["no password", { ...ANN, password: undefined }],
    ["no other fields", {}],
  ])("cannot take over a username: %s", async (_, fields) => {
    const user = await createUser(ANN);
    const token = await logIn(user, { env: protectedEnv });
    const json = { ...fields, username: user.username };
    const rejected = await signUp(json);
    expect(await rejected.json()).toMatchObject({ code: 409, errors: [{ path: "username" }] });
    expect((await send("POST", "/v2/user/createWithList", { json: [json] })).status).toBe(409);
    expect(await getJson(`/v2/user/${user.username}`)).toEqual(user);
    const headers = { authorization: `Bearer ${token}` };
    const init = { headers, env: protectedEnv };
    expect((await send("GET", `/v2/user/${user.username}`, init)).status).toBe(200);
  });

  test("without a username is a retry if the user with that ID has the same content", async () => {
    const { id } = await createUser({ username: undefined, password: "secret" });
    expect((await signUp({ id, password: "secret" })).status).toBe(200);
    for (const other of [{ password: "another" }, { phone: "1" }, {}]) {
      const rejected = await signUp({ id, ...other });
      expect(await rejected.json()).toMatchObject({ code: 409, errors: [{ path: "id" }] });
    }
  });

  test("generates IDs that skip those that clients chose, and are not exhausted by 2^53-1", async () => {
    const before = await createUser();
    await createUser({ id: Number.MAX_SAFE_INTEGER });
    await createUser({ id: before.id + 1 });
    expect(await createUser()).toMatchObject({ id: before.id + 2 });
  });
});

describe.each(["createWithArray", "createWithList"])("POST /user/%s", (operation) => {
  const create = async (json: unknown) => send("POST", `/v2/user/${operation}`, { json });

  test("creates all users with ascending IDs, and accepts an empty array", async () => {
    const users = [1, 2, 3].map((phone) => ({ username: uniqueName("many"), phone: `${phone}` }));
    // Sending the same again is a retry.
    for (const json of [[], [...users, {}, {}], users]) {
      const response = await create(json);
      expect(await response.json()).toEqual({ code: 200, type: "unknown", message: "ok" });
    }
    const shown = [];
    for (const { username } of users) {
      shown.push(await getJson<{ id: number }>(`/v2/user/${username}`));
    }
    const [first = 0] = shown.map(({ id }) => id);
    expect(shown).toEqual(users.map((user, index) => ({ id: first + index, ...user })));
  });

  test("skips generated IDs that are in use or in the request", async () => {
    const { id } = await createUser();
    await createUser({ id: id + 2 });
    const usernames = [1, 2, 3, 4].map(() => uniqueName("ids"));
    await create(usernames.map((username, index) => (index === 2 ? { username, id: id + 4 } : { username })));
    const ids = [];
    for (const username of usernames) {
      ids.push((await getJson<{ id: number }>(`/v2/user/${username}`)).id);
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
    const twice = { username: uniqueName("twice") };
    expect((await create([twice, { ...twice, phone: "2" }])).status).toBe(409);
    expect((await send("GET", `/v2/user/${twice.username}`)).status).toBe(404);
  });

  test("names the users and their invalid fields", async () => {
    const rejected = await create([{}, { userStatus: "0" }, { username: "" }, []]);
    expect(await rejected.json()).toMatchObject({
      code: 400,
      errors: [{ path: "1.userStatus" }, { path: "2.username" }, { path: "3" }],
    });
    const { username } = await createUser();
    const taken = await create([{}, { username, phone: "1" }]);
    expect(await taken.json()).toMatchObject({ code: 409, errors: [{ path: "1.username" }] });
  });

  test.each([[{}], [null]])("rejects %j, which is not an array of users", async (json) => {
    const response = await create(json);
    expect(await response.json()).toMatchObject({ code: 400, errors: [{ path: "body" }] });
  });

  test("accepts at most 100 users", async () => {
    expect((await create(Array.from({ length: 100 }, () => ({})))).status).toBe(200);
    const rejected = await create(Array(101).fill(7));
    const { code, errors } = await rejected.json<{ code: number; errors: object[] }>();
    expect([code, errors.length]).toEqual([400, 1]);
  });
});
