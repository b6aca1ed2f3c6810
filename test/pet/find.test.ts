import { expect, test } from "vitest";
import type { Pet } from "../../src/pet/pet.ts";
import { send } from "../client.ts";
import { createPet, outcome, refusal, uniqueId, uniqueName } from "../fixtures.ts";
import { words } from "../spellings.ts";

async function findByStatus(query: string): Promise<Pet[]> {
  const answer = await send("GET", `/pet/findByStatus${query}`);
  expect(answer.status).toBe(200);
  return answer.json as Pet[];
}

/** One pet of each status and one of none, in an order that is neither theirs nor the list's. */
async function onePetEach() {
  const last = uniqueId();
  const sold = (await createPet({ id: last, status: "sold" })).shown;
  const available = (await createPet({ id: last - 3, status: "available", tags: ["x"] })).shown;
  const none = (await createPet()).shown;
  const pending = (await createPet({ id: last - 1, status: "pending", category: { id: 0 } })).shown;
  await createPet({ id: last - 2, status: "sold" });
  return { available, pending, sold, none };
}

test.each<{ query: string; statuses: ("available" | "pending" | "sold")[] }>([
  { query: "?status=available", statuses: ["available"] },
  { query: "?status=pending", statuses: ["pending"] },
  { query: "?status=sold", statuses: ["sold"] },
  { query: "?status=available,sold", statuses: ["available", "sold"] },
  { query: "?status=sold%2Cavailable", statuses: ["available", "sold"] },
  { query: "?status=pending&status=sold", statuses: ["pending", "sold"] },
  { query: "?status=sold,pending&status=available", statuses: ["available", "pending", "sold"] },
  { query: "?status=available,pending,sold", statuses: ["available", "pending", "sold"] },
  { query: "?status=sold,sold&status=sold", statuses: ["sold"] },
  { query: "?status=sold,sold,sold&status=available", statuses: ["available", "sold"] },
  { query: "?status=sold&other=1", statuses: ["sold"] },
  { query: "?status=sold,%20pending", statuses: ["pending", "sold"] },
  { query: "?status=%09sold%20%09&status=%20pending", statuses: ["pending", "sold"] },
  { query: "?status[]=sold", statuses: ["sold"] },
  { query: "?status%5B0%5D=sold&status%5B1%5D=pending", statuses: ["pending", "sold"] },
  { query: "?status=sold&status[]=pending", statuses: ["pending", "sold"] },
])(
  "findByStatus$query finds pets that are $statuses, each once, by ascending id §2.4.3 §3.8.1 §3.8.3",
  async ({ query, statuses }) => {
    const pets = await onePetEach();
    const found = await findByStatus(query);
    for (const status of statuses) expect(found).toContainEqual(pets[status]);
    expect(found).not.toContainEqual(pets.none);
    expect(new Set(found.map(({ status }) => status))).toEqual(new Set(statuses));
    const ids = found.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
  },
);

test.each([
  ...words(
    " ? ?status ?status= ?Status=sold ?status[a]=sold ?status[=sold ?[]status=sold ?status[][]=sold",
  ),
  ...words(
    "lost Sold SOLD %C2%A0sold so%20ld %20 sold, ,sold sold,,pending sold,lost sold;pending sold%00 sold&status= sold&status=lost",
  ).map((status) => `?status=${status}`),
])("findByStatus%s is refused §3.8.2", async (query) => {
  const answer = await send("GET", `/pet/findByStatus${query}`);
  expect(outcome(answer)).toEqual(refusal(400, "Invalid status value", "status"));
});

/** The ids of the pets that a query of these values, one parameter each, finds. */
async function findByTags(...values: string[]): Promise<number[]> {
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
  expect(await findByTags(a)).toEqual([last - 1, last]);
  expect(await findByTags(b)).toEqual([last - 2, last - 1]);
  expect(await findByTags(`${a},${b}`)).toEqual([last - 2, last - 1, last]);
  expect(await findByTags(b, a)).toEqual([last - 2, last - 1, last]);
  expect(await findByTags(`${b},${a}`, c, a)).toEqual([last - 3, last - 2, last - 1, last]);
  expect(await findByTags(a, a, `${a},${a}`)).toEqual([last - 1, last]);
  expect(await findByTags(a, uniqueName("unknown"))).toEqual([last - 1, last]);
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
  expect(await findByTags([...others, tag].join(","))).toEqual([id]);
});

test("findByTags compares names exactly §3.9.3", async () => {
  const tag = uniqueName("Tag");
  const { id } = await createPet({ tags: [tag] });
  expect(await findByTags(tag)).toEqual([id]);
  expect(await findByTags(tag.toLowerCase(), tag.toUpperCase(), ` ${tag}`, `${tag} `)).toEqual([]);
  expect(await findByTags(tag.slice(0, -1), `${tag}0`, "%", "Tag%", "Tag*")).toEqual([]);
  const decomposed = uniqueName("é").normalize("NFD");
  await createPet({ tags: [decomposed] });
  expect(await findByTags(decomposed.normalize("NFC"))).toEqual([]);
});

test.each(words("? ?tags ?tags= ?Tags=a ?tags=a, ?tags=,a ?tags=a,,b ?tags=a&tags= ?tags=%00"))(
  "findByTags%s is refused §3.9.2",
  async (query) => {
    const answer = await send("GET", `/pet/findByTags${query}`);
    expect(outcome(answer)).toEqual(refusal(400, "Invalid tag value", "tags"));
  },
);
