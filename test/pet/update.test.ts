import { expect, test } from "vitest";
import { send } from "../client.ts";
import { createPet, etagOf, outcome, refusal, success, uniqueId } from "../fixtures.ts";

const valid = { name: "Max", photoUrls: "max.png" };

test("PUT answers the pet as it is then, and look-ups find it so §3.5.1", async () => {
  const { id, path } = await createPet({ status: "available" });
  const pet = {
    id,
    category: { id: 0, name: "Cats" },
    name: "Max",
    photoUrls: ["max.png"],
    tags: ["old", { id: 0, name: "grey" }],
    status: "sold",
  };
  const updated = await send("PUT", "/pet", { json: pet });
  expect(outcome(updated)).toEqual(success(pet));
  const found = await send("GET", path);
  expect(outcome(found)).toEqual(success(pet));
  expect(etagOf(found)).toBe(etagOf(updated));
});

test("PUT replaces the whole pet: what it leaves out is gone §3.5.1", async () => {
  const { id, path } = await createPet({ category: { id: 1 }, tags: ["old"], status: "sold" });
  await send("PUT", "/pet", { json: { id, ...valid } });
  expect(outcome(await send("GET", path))).toEqual(success({ id, ...valid }));
});

test("a null member in a PUT is gone like one left out §3.5.1", async () => {
  const { id, path } = await createPet({ category: { id: 1 }, tags: ["old"], status: "sold" });
  const json = { id, ...valid, category: null, tags: null, status: null };
  expect(outcome(await send("PUT", "/pet", { json }))).toEqual(success({ id, ...valid }));
  expect(outcome(await send("GET", path))).toEqual(success({ id, ...valid }));
});

test("PUT changes no other pet", async () => {
  const other = await createPet({ status: "pending" });
  const { id } = await createPet();
  await send("PUT", "/pet", { json: { id, ...valid } });
  expect((await send("GET", other.path)).json).toEqual(other.shown);
});

test("PUT of a pet that does not exist is 404 and creates none §3.5.2", async () => {
  const id = uniqueId();
  const answer = await send("PUT", "/pet", { json: { id, ...valid } });
  expect(outcome(answer)).toEqual(refusal(404, "Pet not found"));
  expect((await send("GET", `/pet/${id}`)).status).toBe(404);
});

test("PUT of a deleted pet is 404 and does not bring it back §3.5.2", async () => {
  const { id, path } = await createPet();
  await send("DELETE", path);
  const answer = await send("PUT", "/pet", { json: { id, ...valid } });
  expect(outcome(answer)).toEqual(refusal(404, "Pet not found"));
  expect((await send("GET", path)).status).toBe(404);
});

test("a refused PUT changes nothing", async () => {
  const { id, path, shown, etag } = await createPet({ status: "sold" });
  await send("PUT", "/pet", { json: { id, ...valid, status: "lost" } });
  const kept = await send("GET", path);
  expect(kept.json).toEqual(shown);
  expect(etagOf(kept)).toBe(etag);
});

test("the same PUT twice leaves the same pet", async () => {
  const { id, path } = await createPet();
  const json = { id, ...valid, tags: ["old"] };
  await send("PUT", "/pet", { json });
  expect(outcome(await send("PUT", "/pet", { json }))).toEqual(success(json));
  expect(outcome(await send("GET", path))).toEqual(success(json));
});
