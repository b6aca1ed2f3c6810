import { expect, test } from "vitest";
import { send } from "../client.ts";
import {
  NOT_NAMING,
  STRONGLY_NAMING,
  WEAKLY_NAMING,
  WEAKLY_NAMING_ONLY,
  createUser,
  done,
  etagOf,
  outcome,
  refusal,
  success,
  uniqueName,
  userPath,
} from "../fixtures.ts";

const CHANGED = refusal(412, "User does not meet the precondition");
const MISSING = refusal(404, "User not found");
const json = { firstName: "Eve" };

test("a user carries a strong ETag, the same at each look-up, another after each change", async () => {
  const { path, etag } = await createUser({ password: "secret" });
  expect(etag).toMatch(/^"[^"]+"$/);
  expect(etagOf(await send("GET", path))).toBe(etag);
  expect(etagOf(await send("HEAD", path))).toBe(etag);
  await send("PUT", path, { json: { password: "new" } });
  expect(etagOf(await send("GET", path))).not.toBe(etag);
});

test.each(WEAKLY_NAMING)("If-None-Match with %s gives 304 without a body", async (_, header) => {
  const { path, etag } = await createUser();
  const headers = { "If-None-Match": header(etag) };
  for (const method of ["GET", "HEAD"]) {
    const answer = await send(method, path, { headers });
    expect([answer.status, answer.text, etagOf(answer)]).toEqual([304, "", etag]);
    expect(answer.headers.get("cache-control")).toBe("no-store, no-transform");
  }
});

test.each(NOT_NAMING)("If-None-Match with %s gives the user", async (_, header) => {
  const { path, etag, shown } = await createUser();
  const headers = { "If-None-Match": header(etag) };
  expect(outcome(await send("GET", path, { headers }))).toEqual(success(shown));
});

test.each(STRONGLY_NAMING)("PUT with %s in If-Match changes the user", async (_, header) => {
  const { id, path, etag } = await createUser();
  const answer = await send("PUT", path, { json, headers: { "If-Match": header(etag) } });
  expect(outcome(answer)).toEqual(done(String(id)));
});

test.each([...NOT_NAMING, ...WEAKLY_NAMING_ONLY])(
  "PUT with %s in If-Match is 412 and changes nothing",
  async (_, header) => {
    const { path, etag, shown } = await createUser();
    const answer = await send("PUT", path, { json, headers: { "If-Match": header(etag) } });
    expect(outcome(answer)).toEqual(CHANGED);
    const kept = await send("GET", path);
    expect([kept.json, etagOf(kept)]).toEqual([shown, etag]);
  },
);

test.each(STRONGLY_NAMING)("DELETE with %s in If-Match deletes the user", async (_, header) => {
  const { path, etag } = await createUser();
  const answer = await send("DELETE", path, { headers: { "If-Match": header(etag) } });
  expect(answer.status).toBe(200);
  expect((await send("GET", path)).status).toBe(404);
});

test.each([...NOT_NAMING, ...WEAKLY_NAMING_ONLY])(
  "DELETE with %s in If-Match is 412 and deletes nothing",
  async (_, header) => {
    const { path, etag, shown } = await createUser();
    const answer = await send("DELETE", path, { headers: { "If-Match": header(etag) } });
    expect(outcome(answer)).toEqual(CHANGED);
    expect((await send("GET", path)).json).toEqual(shown);
  },
);

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

test.each(["*", '"1"', 'W/"1"'])(
  "a user that does not exist is 404 before it is 412: If-Match: %s",
  async (condition) => {
    const path = userPath(uniqueName("nobody"));
    const headers = { "If-Match": condition };
    expect(outcome(await send("PUT", path, { json, headers }))).toEqual(MISSING);
    expect(outcome(await send("DELETE", path, { headers }))).toEqual(MISSING);
  },
);
