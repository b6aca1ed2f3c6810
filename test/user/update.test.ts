import { expect, test } from "vitest";
import { send } from "../client.ts";
import { createUser, done, logIn, outcome, refusal, uniqueName, userPath } from "../fixtures.ts";

const members = {
  firstName: "Ann",
  lastName: "Lee",
  email: "ann@pets.example",
  password: "old password",
  phone: "1",
  userStatus: 0,
};

const nothing = Object.fromEntries(Object.keys(members).map((member) => [member, null]));

test.each<object>([{}, { id: null, username: null, ...nothing }, { password: "" }])(
  "PUT of %j is valid and keeps everything §2.8 §5.4.1 §5.5.6",
  async (json) => {
    const { id, path, shown } = await createUser(members);
    expect(outcome(await send("PUT", path, { json }))).toEqual(done(String(id)));
    expect((await send("GET", path)).json).toEqual(shown);
  },
);

test("a new password replaces the old one §V6.2", async () => {
  const { path, shown } = await createUser(members);
  await send("PUT", path, { json: { password: "new password" } });
  expect((await logIn(shown.username, "new password")).status).toBe(200);
  expect((await logIn(shown.username, members.password)).status).toBe(400);
});

test("a new username renames the user, its password included §5.4.2", async () => {
  const { id, path, shown } = await createUser(members);
  const username = uniqueName("renamed");
  expect(outcome(await send("PUT", path, { json: { username } }))).toEqual(done(String(id)));
  expect(outcome(await send("GET", path))).toEqual(refusal(404, "User not found"));
  expect((await send("GET", userPath(username))).json).toEqual({ ...shown, username });
  expect((await logIn(username, members.password)).status).toBe(200);
  expect((await logIn(shown.username, members.password)).status).toBe(400);
});

test("the old name of a renamed user is free §5.4.2", async () => {
  const { path, shown } = await createUser();
  await send("PUT", path, { json: { username: uniqueName("renamed") } });
  const other = await createUser({ username: shown.username, firstName: "Eve" });
  expect(other.id).not.toBe(shown.id);
});

test("a rename to the name that the user has changes nothing", async () => {
  const { id, path, shown } = await createUser(members);
  const json = { username: shown.username };
  expect(outcome(await send("PUT", path, { json }))).toEqual(done(String(id)));
  expect((await send("GET", path)).json).toEqual(shown);
});

test("a rename to a name that is taken is a duplicate and changes neither user §5.4.2", async () => {
  const [ann, bob] = [await createUser(members), await createUser(members)];
  const json = { username: bob.shown.username, firstName: "Eve" };
  const refused = await send("PUT", ann.path, { json });
  expect(outcome(refused)).toEqual(refusal(409, "Duplicate user", "username"));
  expect(refused.text).toContain("is a duplicate");
  expect((await send("GET", ann.path)).json).toEqual(ann.shown);
  expect((await send("GET", bob.path)).json).toEqual(bob.shown);
});

test("a rename of nobody to a name that is taken is 404", async () => {
  const { shown } = await createUser();
  const json = { username: shown.username };
  const answer = await send("PUT", userPath(uniqueName("nobody")), { json });
  expect(outcome(answer)).toEqual(refusal(404, "User not found"));
});
