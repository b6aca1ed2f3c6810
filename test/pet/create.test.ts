import { expect, test } from "vitest";
import type { Pet } from "../../src/pet/contract.ts";
import { send } from "../client.ts";
import { createPet, etagOf, outcome, refusal, success, uniqueId } from "../fixtures.ts";

const required = { name: "Rex", photoUrls: "rex.png" };

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
