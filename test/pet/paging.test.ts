import { beforeAll, describe, expect, test } from "vitest";
import { send } from "../client.ts";
import { clientWith } from "../fixtures.ts";
import { Calls, databaseThrough } from "../bindings.ts";
import { words } from "../spellings.ts";
import { idsOf, storePets, walk } from "./lists.ts";

const PETS = 1050;
const STATUSES = ["available", "pending", "sold"] as const;

/** Pets 1 to `PETS` in the plainest way: every third one of a status, tagged `all` and one of seven. */
beforeAll(async () => {
  await storePets(PETS, {
    first: 1,
    tags: "json_array('all', 'of ' || ((i + 1) % 7))",
    status: `json_extract('${JSON.stringify(STATUSES)}', '$[' || ((i + 1) % 3) || ']')`,
  });
});

const ids = (holds: (id: number) => boolean) =>
  Array.from({ length: PETS }, (_, index) => index + 1).filter(holds);

const tagsOf = (kind: string, count: number) =>
  Array.from({ length: count }, (_, tag) => `${kind} ${tag}`);

const LISTS = [
  { list: "/pet/findByStatus?status=sold", expected: ids((id) => id % 3 === 2) },
  { list: "/pet/findByStatus?status=sold,pending,available", expected: ids(() => true) },
  { list: "/pet/findByTags?tags=all", expected: ids(() => true) },
  { list: "/pet/findByTags?tags=of%201,of%203", expected: ids((id) => [1, 3].includes(id % 7)) },
  ...[tagsOf("of", 9), tagsOf("of", 40), [...tagsOf("of", 94), "of%201", "nobody"]].map((tags) => ({
    list: `/pet/findByTags?tags=${tags.join(",")}`,
    expected: ids(() => true),
  })),
];

describe("a list", () => {
  test.each(LISTS)(
    "is complete, once each and in order, without a limit: $list §3.10.2",
    async ({ list, expected }) => {
      const answer = await send("GET", list);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("link")).toBeNull();
      expect(idsOf(answer.json)).toEqual(expected);
    },
  );

  test.each(LISTS)(
    "is walked by the links of its pages: $list §3.10.4",
    async ({ list, expected }) => {
      const pages = await walk(`${list}&limit=100`);
      for (const { ids: page } of pages) expect(page.length).toBeLessThanOrEqual(100);
      expect(pages.flatMap(({ ids: page }) => page)).toEqual(expected);
    },
  );

  test("has no link where its page ends exactly with the last pet §3.10.4", async () => {
    const { json, headers } = await send(
      "GET",
      `/pet/findByTags?tags=all&limit=50&after=${PETS - 50}`,
    );
    expect(idsOf(json)).toHaveLength(50);
    expect(headers.get("link")).toBeNull();
  });

  test("begins behind `after`, whether or not a pet has that id, with and without a limit §3.10.4", async () => {
    const paged = await send("GET", "/pet/findByStatus?status=sold&limit=2&after=4");
    expect(idsOf(paged.json)).toEqual([5, 8]);
    const whole = await send("GET", `/pet/findByStatus?status=sold&after=${PETS - 5}`);
    expect(idsOf(whole.json)).toEqual(ids((id) => id % 3 === 2 && id > PETS - 5));
    const behind = await send(
      "GET",
      "/pet/findByStatus?status=sold&after=9007199254740991&limit=5",
    );
    expect(behind.json).toEqual([]);
  });

  test.each([
    ...words("limit=0 limit=1001 limit=-1 limit=1.5 limit=ten limit= limit=5&limit=6 limit=007"),
    ...words("after=-1 after=x after=1e3 after=9007199254740992 after="),
  ])("with a bad page is refused with 400: %s §3.10.7", async (page) => {
    for (const list of ["/pet/findByStatus?status=sold", "/pet/findByTags?tags=all"]) {
      const answer = await send("GET", `${list}&${page}`);
      expect(answer.status).toBe(400);
      expect(answer.json).toMatchObject({ errors: [{ path: page.split("=")[0] }] });
    }
  });
});

/** What a list costs. @returns the ids of the list, and the rows that D1 reports as read */
async function costOf(tags: readonly string[], page: string) {
  const calls = new Calls();
  const list = `/pet/findByTags?tags=${tags.join(",")}${page}`;
  const answer = await clientWith({ ...databaseThrough(calls) })("GET", list);
  expect(answer.status).toBe(200);
  return { found: idsOf(answer.json), queries: calls.count, rows: calls.rowsRead };
}

/** The rows of a pet besides those of its tags: to find, measure, sum, sort and show it. */
const OF_A_PET = 6;

describe("the cost of a page by several tags", () => {
  const MOST = 100;
  /** More than ten times what the longest page here holds. */
  const PETS_OF_TAG = 210;

  // For each tag pets of its own, and pets that have every tag.
  beforeAll(async () => {
    await storePets(PETS_OF_TAG * MOST, { tags: `json_array('own ' || (i % ${MOST}))` });
    await storePets(PETS_OF_TAG, { tags: `'${JSON.stringify(tagsOf("shared", MOST))}'` });
  });

  const counts = [1, 2, 5, 6, 10, 25, 26, 99, MOST];
  const pages = counts.flatMap((count) =>
    [1, 20].flatMap((limit) => [
      { kind: "shared", count, limit, each: count },
      { kind: "own", count, limit, each: 1 },
    ]),
  );

  test.each(pages)(
    "grows with the page and the tags of its pets: $count $kind tags, limit $limit §3.10.4 §3.10.6",
    async ({ kind, count, limit, each }) => {
      const first = await costOf(tagsOf(kind, count), `&limit=${limit}`);
      const later = await costOf(
        tagsOf(kind, count),
        `&limit=${limit}&after=${first.found.at(-1)}`,
      );
      expect(later.found[0]).toBeGreaterThan(first.found.at(-1) ?? 0);
      for (const { found, queries, rows } of [first, later]) {
        expect(found).toHaveLength(limit);
        expect(queries).toBe(1);
        // Where tags are merged, each is read one row ahead.
        expect(rows).toBeLessThanOrEqual((each + OF_A_PET) * (limit + 1) + count);
      }
    },
  );
});

describe("a long list that is streamed", () => {
  test("is not read beyond its first page for HEAD", async () => {
    const calls = new Calls();
    const answer = await clientWith({ ...databaseThrough(calls) })(
      "HEAD",
      "/pet/findByTags?tags=all",
    );
    expect(answer.status).toBe(200);
    expect(answer.text).toBe("");
    expect(calls.count).toBe(1);
  });

  test("breaks off rather than ending well-formed where a later page fails §3.10.3", async () => {
    const calls = new Calls((call) =>
      call === 0 ? undefined : { when: "before", message: "D1_ERROR: D1 DB is overloaded" },
    );
    await expect(
      clientWith({ ...databaseThrough(calls) })("GET", "/pet/findByTags?tags=all"),
    ).rejects.toThrow("D1 failed");
  });
});
