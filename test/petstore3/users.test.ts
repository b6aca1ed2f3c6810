import { describe, expect, test } from "vitest";
import type { NewUser } from "../../src/user/user.ts";
import { send } from "../client.ts";
import type { Answer } from "../client.ts";
import {
  API_KEY,
  PROTECTED,
  bearer,
  clientWith,
  createUser,
  done,
  etagOf,
  logIn,
  outcome,
  refusal,
  uniqueId,
  uniqueName,
  userPath,
  withKey,
} from "../fixtures.ts";
import { PETSTORE3_PATH } from "../../src/http/base-path.ts";
import { basePath3, send3 } from "./client.ts";

const guarded = clientWith(PROTECTED, { base: PETSTORE3_PATH });

const ANY_ID = { id: expect.any(Number) as number };

const members = {
  firstName: "Ann",
  lastName: "Lee",
  email: "ann@pets.example",
  phone: "+49 30 123456",
  userStatus: 1,
};

const newUser = () => ({ username: uniqueName("ann"), ...members, password: "s3cret" });

const tokenOf3 = ({ json }: Answer): string => String(json).split(": ")[1] ?? "";

describe.each([
  ["open", send3, { password: "s3cret" }],
  ["protected", guarded, {}],
] as const)("where access is %s", (access, client, password) => {
  const headers = access === "open" ? {} : { api_key: API_KEY };
  const shownAs = (user: NewUser) => ({ ...user, password: undefined, ...password });
  const look = async (username: string) => client("GET", userPath(username), { headers });

  test("POST /user returns the user as a look-up shows it, also for the same content again §11.6.1", async () => {
    const user = newUser();
    const created = await client("POST", "/user", { json: user });
    const shown = await look(user.username);
    expect(created.json).toEqual({ ...ANY_ID, ...shownAs(user) });
    for (const answer of [created, await client("POST", "/user", { json: user })]) {
      expect([answer.status, answer.text, etagOf(answer)]).toEqual([
        200,
        shown.text,
        etagOf(shown),
      ]);
      expect(answer.headers.get("cache-control")).toBe("no-store, no-transform");
    }
  });

  test("PUT /user/{username} returns the user as changed §11.6.1", async () => {
    const user = newUser();
    await client("POST", "/user", { json: user });
    const username = uniqueName("renamed");
    for (const json of [{ phone: "1" }, { id: 7, username, password: "" }]) {
      const changed = await client("PUT", userPath(user.username), { json, headers });
      const shown = await look({ ...user, ...json }.username);
      expect([changed.status, changed.text, etagOf(changed)]).toEqual([
        200,
        shown.text,
        etagOf(shown),
      ]);
    }
    expect((await look(username)).json).toEqual({
      ...ANY_ID,
      ...shownAs({ ...user, username, phone: "1" }),
    });
  });

  test("createWithList returns the users in their order §11.6.2", async () => {
    const users: NewUser[] = [
      newUser(),
      { id: uniqueId() },
      { ...newUser(), id: uniqueId(), password: "" },
      {},
      newUser(),
    ];
    const created = await client("POST", "/user/createWithList", { json: users });
    expect(created.status).toBe(200);
    const shown = created.json as NewUser[];
    expect(shown).toEqual(
      users.map((user) => ({
        ...ANY_ID,
        ...(user.password ? shownAs(user) : { ...user, password: undefined }),
      })),
    );
    for (const { username, ...user } of shown.filter((each) => each.username)) {
      expect((await look(String(username))).json).toEqual({ username, ...user });
    }
    expect(new Set(shown.map(({ id }) => id)).size).toBe(users.length);
    expect((await client("POST", "/user/createWithList", { json: [] })).text).toBe("[]");
  });
});

test("createWithList with a key returns the same ids again, whatever became of the users §11.6.3", async () => {
  const [ann, bob] = [newUser(), newUser()];
  const users: NewUser[] = [ann, { id: uniqueId() }, {}, bob];
  const create = async (client = send3) =>
    client("POST", "/user/createWithList", withKey(ann.username, { json: users }));
  // An id that was chosen before is skipped.
  const { id: next } = (await send3("POST", "/user", { json: {} })).json as { id: number };
  await createUser({ id: next + 2 });
  const created = await create();
  const ids = (created.json as NewUser[]).map(({ id }) => id);
  expect(ids).toEqual([next + 1, users[1]?.id, next + 3, next + 4]);
  await send3("PUT", userPath(ann.username), { json: { username: uniqueName("renamed") } });
  await send3("DELETE", userPath(bob.username));
  const taken = await send3("POST", "/user", { json: { ...newUser(), username: ann.username } });
  expect(taken.status).toBe(200);
  expect(outcome(await create())).toEqual(outcome(created));
  expect(outcome(await create(send))).toEqual(done("ok"));
});

test("a taken id or username is 409, which names it §11.2.4", async () => {
  const [ann, bob] = [await createUser(members), await createUser()];
  const { username } = ann.shown;
  for (const [method, path, json, ...paths] of [
    ["POST", "/user", { username, firstName: "Eve" }, "username"],
    ["POST", "/user", { id: ann.id, username: bob.shown.username }, "id", "username"],
    ["POST", "/user/createWithList", [newUser(), { username }], "1.username"],
    ["POST", "/user/createWithList", [{ id: ann.id }, ann.shown], "0.id", "1.id", "1.username"],
    ["PUT", bob.path, { username }, "username"],
  ] as const) {
    const refused = await send3(method, path, { json });
    const { status, json: body } = outcome(refused);
    const { message, errors } = body as { message: string; errors: { path: string }[] };
    expect([status, message]).toEqual([409, "Duplicate user"]);
    expect(errors.map((error) => error.path).toSorted()).toEqual([...paths]);
  }
  expect((await send3("GET", ann.path)).json).toEqual(ann.shown);
});

test("there is no createWithArray §11.1.1", async () => {
  const refused = await send3("POST", "/user/createWithArray", { json: [newUser()] });
  expect(outcome(refused)).toEqual(refusal(405, "Method not allowed"));
  expect(refused.headers.get("allow")).toBe("GET, HEAD, PUT, DELETE, OPTIONS");
  expect(outcome(await send3("GET", "/user/createWithArray"))).toEqual(
    refusal(400, "Invalid username supplied", "username"),
  );
});

describe("a login", () => {
  test("answers a string with the token, which is good at both base paths §11.1.2 §11.6.4", async () => {
    const user = newUser();
    await send3("POST", "/user", { json: user });
    const login = await logIn(user.username, user.password, send3);
    expect([login.status, login.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(login.json).toMatch(/^Logged in user session: [\w-]{43}$/);
    expect(login.headers.getSetCookie()).toEqual([
      `session=${tokenOf3(login)}; HttpOnly; SameSite=Strict; Path=${basePath3()}; Max-Age=3600`,
    ]);
    expect(login.headers.get("x-rate-limit")).toMatch(/^\d+$/);
    expect(Date.parse(login.headers.get("x-expires-after") ?? "")).toBeGreaterThan(Date.now());
    const wrong = await logIn(user.username, "wrong", send3);
    expect(outcome(wrong)).toEqual(refusal(400, "Invalid username/password supplied"));
    expect(outcome(await send3("GET", "/user/login"))).toEqual(outcome(wrong));
  });

  test("lasts until a logout at either base path §11.0 §11.1.3", async () => {
    const user = newUser();
    await guarded("POST", "/user", { json: user });
    const path = userPath(user.username);
    const atV2 = clientWith(PROTECTED);
    for (const leave of [guarded, atV2]) {
      const headers = bearer(tokenOf3(await logIn(user.username, user.password, guarded)));
      for (const client of [guarded, atV2]) {
        expect((await client("GET", path, { headers })).status).toBe(200);
      }
      const left = await leave("GET", "/user/logout", { headers });
      const base = leave === guarded ? "/api/v3" : "/v2";
      expect(left.headers.get("set-cookie")).toContain(
        `session=; HttpOnly; SameSite=Strict; Path=${base};`,
      );
      for (const client of [guarded, atV2]) {
        expect((await client("GET", path, { headers })).status).toBe(401);
      }
    }
  });
});

test.each([
  ["DELETE", "/pet/7", "Pet deleted", "text/plain; charset=utf-8"],
  ["GET", "/user/logout", "User logged out", "text/plain; charset=utf-8"],
  ["DELETE", "/store/order/7", "", null],
  ["DELETE", "/user/eve", "", null],
])("%s %s answers %j as %s §11.1.3", async (method, path, line, type) => {
  await send("POST", "/pet", { json: { id: 7, name: "Rex", photoUrls: [] } });
  await send("POST", "/store/order", { json: { id: 7 } });
  await send("POST", "/user", { json: { username: "eve" } });
  const { status, text, headers } = await send3(method, path);
  expect([status, text]).toEqual([200, line]);
  expect(headers.get("content-type")).toBe(type);
});
