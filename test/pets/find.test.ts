import { describe, expect, test } from "vitest";
import { createPet, send, uniqueName, type ShownPet } from "../client.ts";

async function find(path: string): Promise<ShownPet[]> {
  const response = await send("GET", `/v2/pet/${path}`);
  expect(response.status).toBe(200);
  return response.json();
}

describe("GET /pet/findByStatus", () => {
  test.each([
    ["?status=available", ["available"]],
    ["?status=pending&status=sold", ["pending", "sold"]],
    ["?status=sold,pending&status=available", ["available", "pending", "sold"]],
    ["?status=sold,sold&status=sold", ["sold"]],
    ["?status=%09sold%20%09&status=%20pending", ["pending", "sold"]],
    ["?status%5B0%5D=sold&status%5B1%5D=pending", ["pending", "sold"]],
    ["?status=sold&status[]=pending", ["pending", "sold"]],
  ])("%s finds the pets with the status %j, each once, in ascending order of ID", async (query, statuses) => {
    const last = await createPet();
    const created = [last];
    for (const [ahead, status] of [
      [4000, "sold"],
      [3000, "available"],
      [2000, "pending"],
    ] as const) {
      created.push(await createPet({ id: last.id * 100_000 + ahead, status }));
    }
    const found = await find(`findByStatus${query}`);
    for (const pet of created) {
      expect(found.filter(({ id }) => id === pet.id)).toEqual(statuses.includes(pet.status ?? "") ? [pet] : []);
    }
    expect(new Set(found.map(({ status }) => status))).toEqual(new Set(statuses));
    const ids = found.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
  });

  test.each([
    ..."? ?status= ?Status=sold ?status[a]=sold ?status[][]=sold ?status=Sold ?status=%20".split(" "),
    ..."?status=sold, ?status=sold,lost ?status=sold;pending ?status=sold&status=".split(" "),
  ])("%s is rejected", async (query) => {
    const response = await send("GET", `/v2/pet/findByStatus${query}`);
    const { message, errors } = await response.json<{ message: string; errors: object[] }>();
    expect([response.status, message]).toEqual([400, "Invalid status value"]);
    expect(errors).toMatchObject([{ path: expect.stringMatching(/^status/) }]);
  });
});

describe("GET /pet/findByTags", () => {
  test("finds the pets with any of the tags, each once, in ascending order of ID", async () => {
    const [a, b, c] = [uniqueName("a"), uniqueName("b"), uniqueName("c")];
    const one = await createPet({ tags: [a] });
    const two = await createPet({ tags: [{ name: b }, { id: 7, name: a }] });
    const three = await createPet({ tags: [b, b] });
    const four = await createPet({ tags: [c, {}] });
    expect(await find(`findByTags?tags=${a}`)).toEqual([one, two]);
    expect(await find(`findByTags?tags=${b}`)).toEqual([two, three]);
    expect(await find(`findByTags?tags=${b},${a}`)).toEqual([one, two, three]);
    expect(await find(`findByTags?tags=${b}&tags=${a},%20${c}`)).toEqual([one, two, three, four]);
    expect(await find(`findByTags?tags[]=${c}&tags[1]=${a}`)).toEqual([one, two, four]);
    expect(await find(`findByTags?tags=${a},${a}&tags=${uniqueName("unknown")}`)).toEqual([one, two]);
  });

  test("matches tag names exactly and case-sensitively", async () => {
    const tag = uniqueName("Tag é");
    const pet = await createPet({ tags: [tag] });
    expect(await find(`findByTags?${new URLSearchParams({ tags: tag }).toString()}`)).toEqual([pet]);
    for (const other of [tag.toLowerCase(), tag.slice(0, -1), `${tag}0`, tag.normalize("NFD"), "Tag%", "%", "Tag*"]) {
      expect(await find(`findByTags?${new URLSearchParams({ tags: other }).toString()}`)).toEqual([]);
    }
  });

  test("accepts at most 20 names", async () => {
    const tag = uniqueName("tag");
    const pet = await createPet({ tags: [tag] });
    const others = Array.from({ length: 19 }, (_, index) => `other-${index}`);
    expect(await find(`findByTags?tags=${[...others, tag].join(",")}`)).toEqual([pet]);
    const tooMany = [...others, tag, "more"].join(",");
    const response = await send("GET", `/v2/pet/findByTags?tags=${tooMany}`);
    expect(await response.json()).toMatchObject({ code: 400, errors: [{ path: "tags" }] });
  });

  test.each(
    "? ?tags ?tags= ?Tags=a ?tags=a, ?tags=,a ?tags=a,,b ?tags=a&tags= ?tags=%00 ?tags=%FF ?tags=a,%C3 ?tags[]=a%FF".split(
      " ",
    ),
  )("%s is rejected", async (query) => {
    const response = await send("GET", `/v2/pet/findByTags${query}`);
    const { message, errors } = await response.json<{ message: string; errors: object[] }>();
    expect([response.status, message]).toEqual([400, "Invalid tag value"]);
    expect(errors).toMatchObject([{ path: expect.stringMatching(/^tags/) }]);
  });
});
