import { expect, test } from "vitest";
import type { Pet } from "../../src/pet/pet.ts";
import { send } from "../client.ts";
import { createPet, outcome, refusal, uniqueId } from "../fixtures.ts";
import { words } from "../spellings.ts";

async function find(query: string): Promise<Pet[]> {
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
  { query: "?status[]=sold", statuses: ["sold"] },
  { query: "?status%5B0%5D=sold&status%5B1%5D=pending", statuses: ["pending", "sold"] },
  { query: "?status=sold&status[]=pending", statuses: ["pending", "sold"] },
])(
  "findByStatus$query finds pets that are $statuses, each once, by ascending id §2.4.3 §3.8.1 §3.8.3",
  async ({ query, statuses }) => {
    const pets = await onePetEach();
    const found = await find(query);
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
    "lost Sold SOLD %20sold sold, ,sold sold,,pending sold,lost sold;pending sold%00 sold&status= sold&status=lost",
  ).map((status) => `?status=${status}`),
])("findByStatus%s is refused §3.8.2", async (query) => {
  const answer = await send("GET", `/pet/findByStatus${query}`);
  expect(outcome(answer)).toEqual(refusal(400, "Invalid status value", "status"));
});
