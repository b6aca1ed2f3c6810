import { expect, test } from "vitest";
import type { Pet } from "../../src/pet/pet.ts";
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

/** Values that a member must not have, by the path that is at fault. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  "name §2.5.4": [undefined, null, "", 7, ["Rex"]],
  "photoUrls §2.5.4 §3.1.1": [undefined, null, "", 7, true, { 0: "rex.png" }],
  "photoUrls.0": [[null]],
  "photoUrls.1": [["rex.png", 7]],
  "status §3.3": ["Available", "lost", "", "available,sold", "sold ", 1, ["sold"]],
  category: ["Dogs", [], 7],
  "category.id": [{ id: "1" }, { id: 1.5 }],
  "category.name": [{ name: 1 }, { name: "\0" }],
  tags: ["brown", { name: "brown" }],
  "tags.0": [[7], [[]]],
  "tags.1": [
    ["brown", null],
    ["brown", "\uDFFF"],
  ],
  "tags.0.id §2.7.1": [[{ id: "1" }], [{ id: 1.5 }]],
  "tags.1.name": [[{ name: "brown" }, { name: 7 }]],
};

test.each(
  Object.entries(WRONG).flatMap(([path, values]) =>
    values.map((value): [string, unknown] => [path, value]),
  ),
)(
  "a pet with a wrong %s is refused with its path, whether or not it exists: %j §3.0 §3.5.2 §V2.2",
  async (which, value) => {
    const [path = ""] = which.split(" ");
    const [member = ""] = path.split(".");
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
