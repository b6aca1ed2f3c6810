import { expect, test } from "vitest";
import { send } from "../client.ts";
import { createUser, done, logIn, outcome, refusal, uniqueName, userPath } from "../fixtures.ts";

const MISSING = refusal(404, "User not found");

test("DELETE of a user answers the username; then nobody finds the user or logs in §2.8 §5.6", async () => {
  const username = uniqueName("änn lee");
  const { path } = await createUser({ username, password: "secret" });
  expect(outcome(await send("DELETE", path))).toEqual(done(username));
  expect(outcome(await send("GET", path))).toEqual(MISSING);
  expect((await logIn(username, "secret")).status).toBe(400);
});

test("a second DELETE of a user is 404", async () => {
  const { path } = await createUser();
  await send("DELETE", path);
  expect(outcome(await send("DELETE", path))).toEqual(MISSING);
});

test("DELETE of a user that never existed is 404 §5.6", async () => {
  expect(outcome(await send("DELETE", userPath(uniqueName("nobody"))))).toEqual(MISSING);
});

test("DELETE leaves other users alone", async () => {
  const other = await createUser({ firstName: "Ann" });
  await send("DELETE", (await createUser()).path);
  expect((await send("GET", other.path)).json).toEqual(other.shown);
});
