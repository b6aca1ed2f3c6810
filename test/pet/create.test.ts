import { expect, test } from "vitest";
import type { Pet } from "../../src/pet/contract.ts";
import { send } from "../client.ts";
import { createPet, etagOf, outcome, refusal, success, uniqueId } from "../fixtures.ts";

const required = { name: "Rex", photoUrls: "rex.png" };

test("a pet of only name and photoUrls gets an id and nothing else §1.4.1 §3.3 §3.6", async () => {
  const { id, path, shown, etag } = await createPet(required);
  expect(Number.isSafeInteger(id)).toBe(true);
  expect(shown).toEqual({ id, ...required });
  const found = await send("GET", path);
  expect(outcome(found)).toEqual(success(shown));
  expect(etagOf(found)).toBe(etag);
});

test("every member of a pet comes back as it was sent §3.0 §3.4.1", async () => {
  const pet = {
    id: uniqueId(),
    category: { id: 3, name: "Dogs" },
    name: "Rex 🐕",
    photoUrls: "https://pets.example/1.png,https://pets.example/2.png",
    tags: [
      { id: 1, name: "brown" },
      { id: 2, name: "old" },
    ],
    status: "available",
  };
  expect(outcome(await send("POST", "/pet", { json: pet }))).toEqual(success(pet));
  expect(outcome(await send("GET", `/pet/${pet.id}`))).toEqual(success(pet));
});

test.each<object>([
  { tags: [] },
  { tags: [{ id: 0, name: "string" }] },
  {
    tags: [
      { id: 1, name: "brown" },
      { id: 2, name: "brown" },
    ],
  },
  { tags: [{ name: "brown" }] },
  { tags: [{ id: 7 }] },
  { tags: [{}] },
  { tags: [{ id: -7, name: "" }] },
  { tags: ["brown"] },
  { tags: ["brown", { id: 1, name: "old" }, "brown"] },
  { category: { id: 0, name: "string" } },
  { category: { id: 1, name: "Dogs" } },
  { category: { name: "Dogs" } },
  { category: { id: 2 ** 53 - 1 } },
  { category: {} },
  { category: { id: 0, name: "string" }, tags: [{ id: 0, name: "string" }] },
])("a pet with %j comes back as it was sent §3.2", async (members) => {
  const { id, path, shown } = await createPet(members);
  expect(shown).toEqual({ id, ...required, ...members });
  expect(outcome(await send("GET", path))).toEqual(success(shown));
});

test("null on an optional member of a pet, a tag or a category is the same as leaving it out §2.5.3", async () => {
  const nothing = { id: null, category: null, tags: null, status: null };
  const { id, shown, path } = await createPet(nothing);
  expect(shown).toEqual({ id, ...required });
  expect((await send("GET", path)).json).toEqual(shown);
  const within = { category: { id: null, name: "Dogs" }, tags: [{ id: 1, name: null }] };
  const { shown: other } = await createPet(within);
  expect(other).toMatchObject({ category: { name: "Dogs" }, tags: [{ id: 1 }] });
  expect(JSON.stringify(other)).not.toContain("null");
});

test("the id of a deleted pet is not generated again §1.5.3", async () => {
  const deleted = await createPet();
  await send("DELETE", deleted.path);
  expect((await createPet()).id).toBeGreaterThan(deleted.id);
});

test("creating a pet again with the same content answers 200 with the stored pet and its ETag §3.4.2", async () => {
  const pet = {
    id: uniqueId(),
    ...required,
    category: { id: 0, name: "Dogs" },
    tags: ["brown", { id: 1 }],
    status: "sold",
  };
  const { etag } = await createPet(pet);
  const again = await send("POST", "/pet", { json: pet });
  expect(outcome(again)).toEqual(success(pet));
  expect(etagOf(again)).toBe(etag);
});

test("the order of members, null members and unknown ones make no other content §3.4.2", async () => {
  const { id, shown } = await createPet({ id: uniqueId(), category: { id: 1, name: "Dogs" } });
  const again = {
    photoUrls: "rex.png",
    status: null,
    unknown: true,
    category: { name: "Dogs", id: 1 },
    tags: null,
    name: "Rex",
    id,
  };
  expect(outcome(await send("POST", "/pet", { json: again }))).toEqual(success(shown));
});

test.each<[string, Partial<Pet>]>([
  ["name", { name: "Max" }],
  ["photoUrls", { photoUrls: "max.png" }],
  ["form of photoUrls", { photoUrls: ["rex.png"] }],
  ["status", { status: "sold" }],
  ["category", { category: { id: 2 } }],
  ["tags", { tags: ["old"] }],
  ["order of tags", { tags: [{ id: 1, name: "old" }, "brown"] }],
])("a taken id with another %s is refused and changes nothing §3.4.3", async (_, change) => {
  const pet = {
    id: uniqueId(),
    ...required,
    category: { id: 1 },
    tags: ["brown", { id: 1, name: "old" }],
    status: "available",
  };
  const { path, etag } = await createPet(pet);
  const refused = await send("POST", "/pet", { json: { ...pet, ...change } });
  expect(outcome(refused)).toEqual(refusal(405, "Invalid input", "id"));
  expect(refused.text).toContain("taken");
  const kept = await send("GET", path);
  expect(kept.json).toEqual(pet);
  expect(etagOf(kept)).toBe(etag);
});

test("a taken id with fewer members is refused and changes nothing §3.4.3", async () => {
  const { id, path, shown } = await createPet({ id: uniqueId(), status: "sold" });
  const refused = await send("POST", "/pet", { json: { id, ...required } });
  expect(outcome(refused)).toEqual(refusal(405, "Invalid input", "id"));
  expect((await send("GET", path)).json).toEqual(shown);
});

test.each<[string, unknown, string]>([
  ["name", undefined, "name"],
  ["name", null, "name"],
  ["name", "", "name"],
  ["name", 7, "name"],
  ["name", ["Rex"], "name"],
  ["photoUrls", undefined, "photoUrls"],
  ["photoUrls", null, "photoUrls"],
  ["photoUrls", "", "photoUrls"],
  ["photoUrls", 7, "photoUrls"],
  ["photoUrls", true, "photoUrls"],
  ["photoUrls", { 0: "rex.png" }, "photoUrls"],
  ["photoUrls", ["rex.png", 7], "photoUrls.1"],
  ["photoUrls", [null], "photoUrls.0"],
  ["status", "Available", "status"],
  ["status", "lost", "status"],
  ["status", "", "status"],
  ["status", "available,sold", "status"],
  ["status", "sold ", "status"],
  ["status", 1, "status"],
  ["status", ["sold"], "status"],
  ["category", "Dogs", "category"],
  ["category", [], "category"],
  ["category", 7, "category"],
  ["category", { id: "1" }, "category.id"],
  ["category", { id: 1.5 }, "category.id"],
  ["category", { name: 1 }, "category.name"],
  ["category", { name: "\0" }, "category.name"],
  ["tags", "brown", "tags"],
  ["tags", { name: "brown" }, "tags"],
  ["tags", [7], "tags.0"],
  ["tags", [[]], "tags.0"],
  ["tags", ["brown", null], "tags.1"],
  ["tags", ["brown", "\uDFFF"], "tags.1"],
  ["tags", [{ id: "1" }], "tags.0.id"],
  ["tags", [{ id: 1.5 }], "tags.0.id"],
  ["tags", [{ name: "brown" }, { name: 7 }], "tags.1.name"],
])(
  "a pet whose %s is %j is refused, naming it, whether or not it exists §2.5.4 §2.7.1 §2.9.2 §3.0 §3.1.1 §3.3 §3.5.2 §V2.2",
  async (member, value, path) => {
    const json = { ...required, [member]: value };
    expect(outcome(await send("POST", "/pet", { json }))).toEqual(
      refusal(405, "Invalid input", path),
    );
    for (const id of [uniqueId(), (await createPet()).id]) {
      expect(outcome(await send("PUT", "/pet", { json: { ...json, id } }))).toEqual(
        refusal(405, "Validation exception", path),
      );
    }
  },
);

test("a refusal names every member that is at fault §2.9.2", async () => {
  const refused = await send("POST", "/pet", { json: { status: "lost", tags: 1 } });
  expect(outcome(refused)).toEqual(
    refusal(405, "Invalid input", "name", "photoUrls", "tags", "status"),
  );
});
