import { expect, test } from "vitest";
import { send } from "../client.ts";
import { createPet, outcome, success } from "../fixtures.ts";

const base = { name: "Rex", photoUrls: "rex.png" };

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
])("%j comes back as it was sent", async (members) => {
  const { id, path, shown } = await createPet(members);
  expect(shown).toEqual({ id, ...base, ...members });
  expect(outcome(await send("GET", path))).toEqual(success({ id, ...base, ...members }));
});

test("null in a tag or a category is the same as leaving the member out", async () => {
  const { id, path } = await createPet({
    category: { id: null, name: "Dogs" },
    tags: [{ id: 1, name: null }],
  });
  const pet = { id, ...base, category: { name: "Dogs" }, tags: [{ id: 1 }] };
  expect(outcome(await send("GET", path))).toEqual(success(pet));
});
