import { describe, expect, test } from "vitest";
import { attemptLogin, createUser, send, uniqueName } from "../client.ts";

const ANN = { firstName: "Ann", email: "ann@pets.example", password: "old password", phone: "1", userStatus: 0 };

const look = async (username: string) => send("GET", `/v2/user/${username}`);

describe("PUT /user/{username}", () => {
  test("updates the fields in the body, and keeps the others", async () => {
    const user = await createUser(ANN);
    const json = { phone: "2", userStatus: 7 };
    const response = await send("PUT", `/v2/user/${user.username}`, { json });
    expect(await response.json()).toEqual({ code: 200, type: "unknown", message: String(user.id) });
    expect(await (await look(user.username)).json()).toEqual({ ...user, ...json });
  });

  test.each([
    { password: "" },
    { id: null, username: null, firstName: null, email: null, password: null, userStatus: null },
  ])("with %j changes nothing", async (json) => {
    const user = await createUser(ANN);
    expect((await send("PUT", `/v2/user/${user.username}`, { json })).status).toBe(200);
    expect(await (await look(user.username)).json()).toEqual(user);
  });

  test("validates the type of an ID in the body, and otherwise ignores it", async () => {
    const [user, other] = [await createUser(), await createUser()];
    const rejected = await send("PUT", `/v2/user/${user.username}`, { json: { id: "1" } });
    expect(await rejected.json()).toMatchObject({ code: 400, errors: [{ path: "id" }] });
    for (const id of [user.id + 1000, other.id, null, 0, user.id]) {
      const response = await send("PUT", `/v2/user/${user.username}`, { json: { id } });
      expect(await response.json()).toMatchObject({ code: 200, message: String(user.id) });
    }
    expect(await (await look(user.username)).json()).toEqual(user);
    expect(await (await look(other.username)).json()).toEqual(other);
  });

  test("with a new username renames the user, and the old name can be used again", async () => {
    const user = await createUser(ANN);
    const username = uniqueName("renamed");
    const response = await send("PUT", `/v2/user/${user.username}`, { json: { username } });
    expect(await response.json()).toMatchObject({ code: 200, message: String(user.id) });
    expect(await (await look(username)).json()).toEqual({ ...user, username });
    expect((await look(user.username)).status).toBe(404);
    expect((await attemptLogin({ ...user, username })).status).toBe(200);
    const other = await createUser({ username: user.username });
    expect(other.id).not.toBe(user.id);
  });

  test("with a username in use returns 409, and changes neither user", async () => {
    const [ann, bob] = [await createUser(ANN), await createUser(ANN)];
    const json = { username: bob.username, firstName: "Eve" };
    const response = await send("PUT", `/v2/user/${ann.username}`, { json });
    expect(await response.json()).toMatchObject({
      code: 409,
      message: expect.stringMatching(/duplicate/i) as string,
      errors: [{ path: "username" }],
    });
    expect(await (await look(ann.username)).json()).toEqual(ann);
    expect(await (await look(bob.username)).json()).toEqual(bob);
  });
});

test("DELETE /user/{username} returns the username, frees the name and the ID, and returns 404 the second time", async () => {
  const user = await createUser(ANN);
  const { username } = user;
  const response = await send("DELETE", `/v2/user/${username}`);
  expect(await response.json()).toEqual({ code: 200, type: "unknown", message: username });
  const again = await send("DELETE", `/v2/user/${username}`);
  expect(await again.json()).toEqual({ code: 404, type: "error", message: "User not found" });
  expect((await attemptLogin(user)).status).toBe(400);
  expect(await createUser({ ...user, firstName: "Eve" })).toMatchObject({ id: user.id });
});
