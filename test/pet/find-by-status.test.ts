import { expect, test } from "vitest";
import type { Pet } from "../../src/pet/contract.ts";
import { send } from "../client.ts";
import { createPet, outcome, refusal, uniqueId } from "../fixtures.ts";

async function find(query: string): Promise<Pet[]> {
  const answer = await send("GET", `/pet/findByStatus${query}`);
  expect(answer.status).toBe(200);
  return answer.json as Pet[];
}

/** One pet of each status and one of none, in an order that is neither theirs nor the list's. */
async function onePetEach() {
  const sold = (await createPet({ status: "sold" })).shown;
  const available = (await createPet({ status: "available", tags: ["x"] })).shown;
  const none = (await createPet()).shown;
  const pending = (await createPet({ status: "pending", category: { id: 0 } })).shown;
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
])("findByStatus$query finds pets that are $statuses §3.8.1", async ({ query, statuses }) => {
  const pets = await onePetEach();
  const found = await find(query);
  for (const status of statuses) expect(found).toContainEqual(pets[status]);
  expect(found).not.toContainEqual(pets.none);
  expect(new Set(found.map(({ status }) => status))).toEqual(new Set(statuses));
});

test.each([
  "?status=sold",
  "?status=sold,sold",
  "?status=sold&status=sold",
  "?status=sold,available&status=pending&status=sold",
])("findByStatus%s lists each pet once, by ascending id §3.8.3", async (query) => {
  const last = uniqueId();
  await createPet({ id: last, status: "sold" });
  await createPet({ id: last - 2, status: "sold" });
  await createPet({ id: last - 1, status: "sold" });
  const ids = (await find(query)).map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining([last - 2, last - 1, last]));
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
});

test.each([
  "",
  "?",
  "?status",
  "?status=",
  "?Status=sold",
  "?status=lost",
  "?status=Sold",
  "?status=SOLD",
  "?status=%20sold",
  "?status=sold,",
  "?status=,sold",
  "?status=sold,,pending",
  "?status=sold,lost",
  "?status=sold&status=",
  "?status=sold&status=lost",
  "?status=sold;pending",
  "?status[]=sold",
  "?status=sold%00",
])("findByStatus%s is refused §3.8.2", async (query) => {
  const answer = await send("GET", `/pet/findByStatus${query}`);
  expect(outcome(answer)).toEqual(refusal(400, "Invalid status value", "status"));
});
