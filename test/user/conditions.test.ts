import { expect, test } from "vitest";
import { send } from "../client.ts";
import { createUser, etagOf, outcome, refusal, uniqueName, userPath } from "../fixtures.ts";

const CHANGED = refusal(412, "User does not meet the precondition");
const MISSING = refusal(404, "User not found");
const json = { firstName: "Eve" };

test("a user carries a strong ETag, the same at each look-up, another after each change", async () => {
  const { path, etag } = await createUser({ password: "secret" });
  expect(etag).toMatch(/^"[^"]+"$/);
  expect(etagOf(await send("GET", path))).toBe(etag);
  expect(etagOf(await send("HEAD", path))).toBe(etag);
  const unchanged = await send("GET", path, { headers: { "If-None-Match": etag } });
  expect(unchanged.headers.get("cache-control")).toBe("no-store, no-transform");
  await send("PUT", path, { json: { password: "new" } });
  expect(etagOf(await send("GET", path))).not.toBe(etag);
});

test("of two editors of one user the slower gets 412 and overwrites nothing", async () => {
  const { path, etag, shown } = await createUser();
  const headers = { "If-Match": etag };
  expect((await send("PUT", path, { json: { firstName: "Bob" }, headers })).status).toBe(200);
  expect(outcome(await send("PUT", path, { json, headers }))).toEqual(CHANGED);
  expect(outcome(await send("DELETE", path, { headers }))).toEqual(CHANGED);
  expect((await send("GET", path)).json).toEqual({ ...shown, firstName: "Bob" });
});

test("a rename under a stale tag is 412 and renames nobody", async () => {
  const { path, shown } = await createUser();
  const username = uniqueName("renamed");
  const headers = { "If-Match": '"stale"' };
  expect(outcome(await send("PUT", path, { json: { username }, headers }))).toEqual(CHANGED);
  expect((await send("GET", path)).json).toEqual(shown);
  expect(outcome(await send("GET", userPath(username)))).toEqual(MISSING);
});
