import { expect, test } from "vitest";
import { send } from "../client.ts";
import { createPet, done, outcome, refusal } from "../fixtures.ts";

test("DELETE of a pet answers its id; then nothing finds the pet §2.8 §3.7.1 §3.7.2", async () => {
  const { id, path } = await createPet({ status: "sold", tags: ["gone"] });
  expect(outcome(await send("DELETE", path))).toEqual(done(String(id)));
  expect(outcome(await send("GET", path))).toEqual(refusal(404, "Pet not found"));
  expect((await send("GET", "/pet/findByTags?tags=gone")).json).toEqual([]);
  const sold = (await send("GET", "/pet/findByStatus?status=sold")).json;
  expect(sold).not.toContainEqual(expect.objectContaining({ id }));
});

test("a second DELETE of a pet is 404 §3.7.2", async () => {
  const { path } = await createPet();
  await send("DELETE", path);
  expect(outcome(await send("DELETE", path))).toEqual(refusal(404, "Pet not found"));
});

test("DELETE leaves other pets alone", async () => {
  const other = await createPet();
  const { path } = await createPet();
  await send("DELETE", path);
  expect((await send("GET", other.path)).json).toEqual(other.shown);
});

test.each(["", "special-key", "wrong", "a b,c"])(
  "in open mode the api_key %j of a DELETE is ignored §3.7.1 §6.4.1",
  async (key) => {
    const { id, path } = await createPet();
    const answer = await send("DELETE", path, { headers: { api_key: key } });
    expect(outcome(answer)).toEqual(done(String(id)));
  },
);

test("a deleted pet's id may be taken again, by another pet with another ETag", async () => {
  const first = await createPet();
  await send("DELETE", first.path);
  const second = await createPet(first.shown);
  expect(second.id).toBe(first.id);
  expect(second.etag).not.toBe(first.etag);
});
