import { expect, test } from "vitest";
import { send } from "../client.ts";
import { createPet, etagOf, outcome, refusal, success } from "../fixtures.ts";

const CHANGED = refusal(412, "Pet does not meet the precondition");

test("a pet carries a strong ETag, the same at each look-up, another after each change", async () => {
  const { path, etag, shown } = await createPet();
  expect(etag).toMatch(/^"[^"]+"$/);
  expect(etagOf(await send("GET", path))).toBe(etag);
  expect(etagOf(await send("HEAD", path))).toBe(etag);
  const updated = etagOf(await send("PUT", "/pet", { json: { ...shown, name: "Max" } }));
  expect(updated).toMatch(/^"[^"]+"$/);
  expect(updated).not.toBe(etag);
  expect(etagOf(await send("GET", path))).toBe(updated);
});

test("an answer with an ETag may not be transformed on its way, and nor may a 304", async () => {
  const { path, etag, shown } = await createPet();
  const unchanged = { headers: { "If-None-Match": etag } };
  for (const answer of [
    await send("GET", path),
    await send("HEAD", path),
    await send("GET", path, unchanged),
    await send("PUT", "/pet", { json: shown }),
    await send("POST", "/pet", { json: shown }),
  ]) {
    expect(etagOf(answer)).toMatch(/^"\d+"$/);
    expect(answer.headers.get("cache-control")).toBe("private, no-cache, no-transform");
  }
});

test("If-None-Match with the tag of an earlier state gives the pet as it is now", async () => {
  const { path, etag, shown } = await createPet();
  await send("PUT", "/pet", { json: { ...shown, name: "Max" } });
  const answer = await send("GET", path, { headers: { "If-None-Match": etag } });
  expect(outcome(answer)).toEqual(success({ ...shown, name: "Max" }));
});

test("of two editors of one pet the slower gets 412 and overwrites nothing", async () => {
  const { path, etag, shown } = await createPet();
  const headers = { "If-Match": etag };
  const faster = { ...shown, name: "Max" };
  const slower = { ...shown, name: "Bello" };
  expect((await send("PUT", "/pet", { json: faster, headers })).status).toBe(200);
  expect(outcome(await send("PUT", "/pet", { json: slower, headers }))).toEqual(CHANGED);
  expect(outcome(await send("DELETE", path, { headers }))).toEqual(CHANGED);
  expect((await send("GET", path)).json).toEqual(faster);
});

test("a pet created again under its old id does not match the tag it had before", async () => {
  const { path, etag, shown } = await createPet();
  await send("DELETE", path);
  await createPet(shown);
  const headers = { "If-Match": etag };
  expect(outcome(await send("PUT", "/pet", { json: shown, headers }))).toEqual(CHANGED);
});
