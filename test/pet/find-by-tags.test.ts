import { expect, test } from "vitest";
import type { Pet } from "../../src/pet/pet.ts";
import { send } from "../client.ts";
import { createPet, outcome, refusal, uniqueId, uniqueName } from "../fixtures.ts";
import { words } from "../spellings.ts";

/** The ids of the pets that a query of these values, one parameter each, finds. */
async function find(...values: string[]): Promise<number[]> {
  const query = new URLSearchParams(values.map((value) => ["tags", value]));
  const answer = await send("GET", `/pet/findByTags?${query.toString()}`);
  expect(answer.status).toBe(200);
  return (answer.json as Pet[]).map(({ id }) => id);
}

test("findByTags finds the pets that have any of the tags, each once, by ascending id §3.9.1 §3.9.2", async () => {
  const [a, b, c] = [uniqueName("a"), uniqueName("b"), uniqueName("c")];
  const last = uniqueId();
  await createPet({ id: last, tags: [a] });
  await createPet({ id: last - 1, tags: [{ name: b }, { id: 7, name: a }] });
  await createPet({ id: last - 2, tags: [b, b] });
  await createPet({ id: last - 3, tags: [c] });
  expect(await find(a)).toEqual([last - 1, last]);
  expect(await find(b)).toEqual([last - 2, last - 1]);
  expect(await find(`${a},${b}`)).toEqual([last - 2, last - 1, last]);
  expect(await find(b, a)).toEqual([last - 2, last - 1, last]);
  expect(await find(`${b},${a}`, c, a)).toEqual([last - 3, last - 2, last - 1, last]);
  expect(await find(a, a, `${a},${a}`)).toEqual([last - 1, last]);
  expect(await find(a, uniqueName("unknown"))).toEqual([last - 1, last]);
});

test.each(["tags=black+cat", "tags=black%20cat", "tags[]=white&tags[]=black+cat"])(
  "findByTags reads %s as a space between words §2.4.3",
  async (query) => {
    const { shown } = await createPet({ tags: ["black cat"] });
    expect((await send("GET", `/pet/findByTags?${query}`)).json).toContainEqual(shown);
  },
);

test("findByTags takes 100 tags §2.4.1", async () => {
  const tag = uniqueName("tag");
  const { id } = await createPet({ tags: [tag] });
  const others = Array.from({ length: 99 }, () => uniqueName("other"));
  expect(await find([...others, tag].join(","))).toEqual([id]);
});

test("findByTags compares names exactly §3.9.3", async () => {
  const tag = uniqueName("Tag");
  const { id } = await createPet({ tags: [tag] });
  expect(await find(tag)).toEqual([id]);
  expect(await find(tag.toLowerCase(), tag.toUpperCase(), ` ${tag}`, `${tag} `)).toEqual([]);
  expect(await find(tag.slice(0, -1), `${tag}0`, "%", "Tag%", "Tag*")).toEqual([]);
  const decomposed = uniqueName("é").normalize("NFD");
  await createPet({ tags: [decomposed] });
  expect(await find(decomposed.normalize("NFC"))).toEqual([]);
});

test.each(words("? ?tags ?tags= ?Tags=a ?tags=a, ?tags=,a ?tags=a,,b ?tags=a&tags= ?tags=%00"))(
  "findByTags%s is refused §3.9.2",
  async (query) => {
    const answer = await send("GET", `/pet/findByTags${query}`);
    expect(outcome(answer)).toEqual(refusal(400, "Invalid tag value", "tags"));
  },
);
