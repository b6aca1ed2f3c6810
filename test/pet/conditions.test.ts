import { expect, test } from "vitest";
import { send } from "../client.ts";
import {
  NOT_NAMING,
  STRONGLY_NAMING,
  WEAKLY_NAMING,
  WEAKLY_NAMING_ONLY,
  createPet,
  done,
  etagOf,
  outcome,
  refusal,
  success,
  uniqueId,
} from "../fixtures.ts";

const CHANGED = refusal(412, "Pet does not meet the precondition");
const MISSING = refusal(404, "Pet not found");

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

test.each(WEAKLY_NAMING)("If-None-Match with %s gives 304 without a body", async (_, header) => {
  const { path, etag } = await createPet();
  const headers = { "If-None-Match": header(etag) };
  for (const method of ["GET", "HEAD"]) {
    const answer = await send(method, path, { headers });
    expect([answer.status, answer.text, etagOf(answer)]).toEqual([304, "", etag]);
  }
});

test("what carries an ETag may not be transformed on its way, a 304 neither", async () => {
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

test.each(NOT_NAMING)("If-None-Match with %s gives the pet", async (_, header) => {
  const { path, etag, shown } = await createPet();
  const headers = { "If-None-Match": header(etag) };
  expect(outcome(await send("GET", path, { headers }))).toEqual(success(shown));
  const head = await send("HEAD", path, { headers });
  expect([head.status, head.text]).toEqual([200, ""]);
});

test("If-None-Match with the tag of an earlier state gives the pet as it is now", async () => {
  const { path, etag, shown } = await createPet();
  await send("PUT", "/pet", { json: { ...shown, name: "Max" } });
  const answer = await send("GET", path, { headers: { "If-None-Match": etag } });
  expect(outcome(answer)).toEqual(success({ ...shown, name: "Max" }));
});

test("If-None-Match: * finds no pet that does not exist", async () => {
  const answer = await send("GET", `/pet/${uniqueId()}`, { headers: { "If-None-Match": "*" } });
  expect(outcome(answer)).toEqual(MISSING);
});

test.each(STRONGLY_NAMING)("PUT with %s in If-Match changes the pet", async (_, header) => {
  const { etag, shown } = await createPet();
  const json = { ...shown, name: "Max" };
  const answer = await send("PUT", "/pet", { json, headers: { "If-Match": header(etag) } });
  expect(outcome(answer)).toEqual(success(json));
});

test.each([...NOT_NAMING, ...WEAKLY_NAMING_ONLY])(
  "PUT with %s in If-Match is 412 and changes nothing",
  async (_, header) => {
    const { path, etag, shown } = await createPet();
    const json = { ...shown, name: "Max" };
    const answer = await send("PUT", "/pet", { json, headers: { "If-Match": header(etag) } });
    expect(outcome(answer)).toEqual(CHANGED);
    const kept = await send("GET", path);
    expect([kept.json, etagOf(kept)]).toEqual([shown, etag]);
  },
);

test.each(STRONGLY_NAMING)("DELETE with %s in If-Match deletes the pet", async (_, header) => {
  const { id, path, etag } = await createPet();
  const answer = await send("DELETE", path, { headers: { "If-Match": header(etag) } });
  expect(outcome(answer)).toEqual(done(String(id)));
  expect((await send("GET", path)).status).toBe(404);
});

test.each([...NOT_NAMING, ...WEAKLY_NAMING_ONLY])(
  "DELETE with %s in If-Match is 412 and deletes nothing",
  async (_, header) => {
    const { path, etag, shown } = await createPet();
    const answer = await send("DELETE", path, { headers: { "If-Match": header(etag) } });
    expect(outcome(answer)).toEqual(CHANGED);
    expect((await send("GET", path)).json).toEqual(shown);
  },
);

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

test.each(["*", '"1"', 'W/"1"'])(
  "a pet that does not exist is 404 before it is 412: If-Match: %s",
  async (condition) => {
    const id = uniqueId();
    const headers = { "If-Match": condition };
    const json = { id, name: "Max", photoUrls: "max.png" };
    expect(outcome(await send("PUT", "/pet", { json, headers }))).toEqual(MISSING);
    expect(outcome(await send("DELETE", `/pet/${id}`, { headers }))).toEqual(MISSING);
  },
);

test("a pet created again under its old id does not match the tag it had before", async () => {
  const { path, etag, shown } = await createPet();
  await send("DELETE", path);
  await createPet(shown);
  const headers = { "If-Match": etag };
  expect(outcome(await send("PUT", "/pet", { json: shown, headers }))).toEqual(CHANGED);
});
