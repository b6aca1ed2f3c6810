import { describe, expect, test } from "vitest";
import { attemptLogin, createUser, getJson, logIn, protectedEnv, send, uniqueName } from "../client.ts";

const ANN = { firstName: "Ann", lastName: "Lee", email: "ann@pets.example", userStatus: 1 };
const base = "/api/v3";

test("POST /user returns the user like a lookup, also for a repeated request", async () => {
  const json = { ...ANN, username: uniqueName("ann"), password: "secret" };
  const created = await send("POST", "/api/v3/user", { json });
  const user = await created.json<{ id: number }>();
  expect(user).toEqual({ id: user.id, ...json });
  const found = await send("GET", `/api/v3/user/${json.username}`);
  expect(await found.json()).toEqual(user);
  expect(created.headers.get("etag")).toBe(found.headers.get("etag"));
  expect(created.headers.get("cache-control")).toBe("no-store, no-transform");
  const again = await send("POST", "/api/v3/user", { json });
  expect([again.status, await again.json()]).toEqual([200, user]);
});

test("POST /user/createWithList returns the users in order", async () => {
  const username = uniqueName("ann");
  const users = [{ ...ANN, username }, {}, { username: uniqueName("bob"), id: 12_345 }];
  const response = await send("POST", "/api/v3/user/createWithList", { json: users });
  expect(response.status).toBe(200);
  const shown = await response.json<{ id: number }[]>();
  expect(shown).toEqual(users.map((user, index) => ({ id: shown[index]?.id, ...user })));
  expect(shown[2]?.id).toBe(12_345);
  expect(await getJson(`/api/v3/user/${username}`)).toEqual(shown[0]);
});

describe("a login", () => {
  test("returns a JSON string", async () => {
    const response = await attemptLogin(await createUser(), { base });
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(await response.json()).toMatch(/^Logged in user session: [\w-]{43}$/);
  });

  test("is valid in both APIs until a logout in either", async () => {
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

test("a logout returns a line of text", async () => {
  const logout = await send("GET", "/api/v3/user/logout");
  expect([logout.status, await logout.text()]).toEqual([200, "User logged out"]);
});
