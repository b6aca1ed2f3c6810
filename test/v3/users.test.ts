import { describe, expect, test } from "vitest";
import { createUser, logIn, protectedEnv, send, uniqueName } from "../client.ts";

const ANN = { firstName: "Ann", lastName: "Lee", email: "ann@pets.example", userStatus: 1 };
const base = "/api/v3";

interface ShownUser {
  readonly id: number;
  readonly username?: string;
}

describe("POST /user", () => {
  test("answers with the user as a look-up shows it, also for the same content again", async () => {
    const json = { ...ANN, username: uniqueName("ann"), password: "secret" };
    const created = await send("POST", "/api/v3/user", { json });
    const user = await created.json<ShownUser>();
    expect(user).toEqual({ id: user.id, ...json });
    const found = await send("GET", `/api/v3/user/${json.username}`);
    expect(await found.json()).toEqual(user);
    expect(created.headers.get("etag")).toBe(found.headers.get("etag"));
    expect(created.headers.get("cache-control")).toBe("no-store, no-transform");
    const again = await send("POST", "/api/v3/user", { json });
    expect([again.status, await again.json()]).toEqual([200, user]);
  });

  test("shows no password where access is protected", async () => {
    const json = { username: uniqueName("ann"), password: "secret" };
    const created = await send("POST", "/api/v3/user", { json, env: protectedEnv });
    const user = await created.json<ShownUser>();
    expect(user.username).toBe(json.username);
    const headers = { api_key: protectedEnv.API_KEY };
    const init = { headers, env: protectedEnv };
    const found = await send("GET", `/api/v3/user/${json.username}`, init);
    expect(await found.json()).toEqual({ id: user.id, username: json.username });
  });
});

describe("POST /user/createWithList", () => {
  test("answers with the users in their order", async () => {
    const username = uniqueName("ann");
    const users = [{ ...ANN, username }, {}, { username: uniqueName("bob"), id: 12_345 }];
    const response = await send("POST", "/api/v3/user/createWithList", { json: users });
    expect(response.status).toBe(200);
    const shown = await response.json<ShownUser[]>();
    expect(shown).toEqual(users.map((user, index) => ({ id: shown[index]?.id, ...user })));
    expect(shown[2]?.id).toBe(12_345);
    expect(await (await send("GET", `/api/v3/user/${username}`)).json()).toEqual(shown[0]);
  });

  test("is all or none", async () => {
    const username = uniqueName("none");
    const { username: taken } = await createUser();
    for (const [json, code, path] of [
      [{}, 400, "body"],
      [[{ username }, { userStatus: "0" }], 422, "1.userStatus"],
      [[{ username }, { username: taken, phone: "1" }], 409, "1.username"],
    ] as const) {
      const response = await send("POST", "/api/v3/user/createWithList", { json });
      expect(await response.json()).toMatchObject({ code, errors: [{ path }] });
    }
    expect((await send("GET", `/api/v3/user/${username}`)).status).toBe(404);
  });

  test("has no sibling createWithArray", async () => {
    const response = await send("POST", "/api/v3/user/createWithArray", { json: [{}] });
    expect([400, 404, 405]).toContain(response.status);
  });
});

test("errors of users have the messages of the document", async () => {
  for (const [method, path, json, code, message] of [
    ["GET", "/api/v3/user/nobody", undefined, 404, "User not found"],
    ["PUT", "/api/v3/user/nobody", {}, 404, "user not found"],
    ["DELETE", "/api/v3/user/nobody", undefined, 404, "User not found"],
    ["GET", "/api/v3/user/%20", undefined, 400, "Invalid username supplied"],
    ["PUT", "/api/v3/user/%20", {}, 400, "bad request"],
    ["GET", "/api/v3/user/login", undefined, 400, "Invalid username/password supplied"],
  ] as const) {
    expect(await (await send(method, path, { json })).json()).toMatchObject({ code, message });
  }
});

describe("a login", () => {
  test("answers with a JSON string, and the headers of /v2", async () => {
    const user = await createUser();
    const query = new URLSearchParams({ username: user.username, password: user.password });
    const response = await send("GET", `/api/v3/user/login?${query.toString()}`);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(await response.json()).toMatch(/^Logged in user session: [\w-]{43}$/);
    expect(response.headers.get("set-cookie")).toMatch(/^session=[\w-]{43}; .*Path=\/api\/v3/);
    expect(response.headers.get("x-rate-limit")).toMatch(/^\d+$/);
    expect(response.headers.get("x-expires-after")).toMatch(/Z$/);
  });

  test("is good at both interfaces, until a logout at either", async () => {
    const user = await createUser();
    for (const leaving of ["/v2", "/api/v3"]) {
      const headers = { authorization: `Bearer ${await logIn(user, { base })}` };
      const statusAt = async (at: string) =>
        (await send("GET", `${at}/user/${user.username}`, { headers, env: protectedEnv })).status;
      expect([await statusAt("/v2"), await statusAt("/api/v3")]).toEqual([200, 200]);
      await send("GET", `${leaving}/user/logout`, { headers });
      expect([await statusAt("/v2"), await statusAt("/api/v3")]).toEqual([401, 401]);
    }
  });
});

test("a logout answers with a line of text, and a deletion with nothing", async () => {
  const { username } = await createUser();
  const logout = await send("GET", "/api/v3/user/logout");
  expect(logout.headers.get("content-type")).toMatch(/^text\/plain/);
  expect([logout.status, await logout.text()]).toEqual([200, "User logged out"]);
  const deleted = await send("DELETE", `/api/v3/user/${username}`);
  expect([deleted.status, await deleted.text()]).toEqual([200, ""]);
  expect(deleted.headers.get("content-type")).toBeNull();
});
