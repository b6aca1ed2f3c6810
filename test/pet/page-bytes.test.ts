import { beforeAll, describe, expect, test } from "vitest";
import { database } from "../engine.ts";
import { idsOf, openList, walk } from "./lists.ts";

const MIB = 1024 * 1024;
const KIB = 1024;

/** The sizes of pets, which repeat, and the number of pets. */
const KINDS: Readonly<
  Record<string, { readonly sizes: readonly number[]; readonly pets: number }>
> = {
  largest: { sizes: [48 * KIB], pets: 70 },
  mixed: { sizes: [200, 200, 200, 30 * KIB, 200, 2 * KIB], pets: 150 },
  growing: { sizes: Array.from({ length: 60 }, (_, index) => (index + 1) * 800), pets: 60 },
  medium: { sizes: [3 * KIB], pets: 450 },
};

/** The ids of each kind. */
const stored = new Map<string, number[]>();

type Row = readonly [id: number, name: string, photoUrls: string];

/** `photoUrls` of so many bytes as JSON, none of which is longer than it may be. */
function urlsOf(bytes: number): string {
  const urls = [];
  for (let left = bytes - 2; left > 3; left -= 4003)
    urls.push("u".repeat(Math.min(left - 3, 4000)));
  return JSON.stringify(urls);
}

/** The statuses of kinds that are listed by status, too. */
const STATUSES: Readonly<Record<string, string>> = { largest: "pending", mixed: "sold" };

/** Stores pets of a kind: each has a tag of its name. */
async function insert(kind: string, rows: readonly Row[]): Promise<void> {
  const statement = database.prepare(
    "insert into pets (id, name, photoUrls, tags, status) values (?, ?, ?, json_array(?), ?)",
  );
  await database.batch(rows.map((row) => statement.bind(...row, kind, STATUSES[kind] ?? null)));
}

beforeAll(async () => {
  let id = 0;
  for (const [kind, { sizes, pets }] of Object.entries(KINDS)) {
    const rows = Array.from({ length: pets }, (_, pet): Row => {
      const bytes = sizes[pet % sizes.length] ?? 0;
      return [(id += 3), "Pet", urlsOf(bytes - 100)];
    });
    stored.set(
      kind,
      rows.map(([first]) => first),
    );
    await insert(kind, rows);
  }
});

/** Reads a list as a stream. @returns the chunks of each page, which is one query */
async function pagesOf(list: string) {
  const { calls, reader } = await openList(list);
  const pages: Uint8Array[][] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { pages, calls };
    (pages[calls.count - 1] ??= []).push(value);
  }
}

async function idsIn(pages: readonly (readonly Uint8Array[])[]): Promise<number[]> {
  return idsOf(await new Response(new Blob(pages.flat())).json());
}

const LISTS = [
  ...Object.keys(KINDS).map((kind) => ({ list: `/pet/findByTags?tags=${kind}`, kind })),
  { list: "/pet/findByTags?tags=nobody,mixed,none,nothing,no", kind: "mixed" },
  { list: "/pet/findByStatus?status=pending", kind: "largest" },
  { list: "/pet/findByStatus?status=sold,available", kind: "mixed" },
];
const WALKS = [
  { list: "/pet/findByTags?tags=growing", kind: "growing", limit: 1 },
  { list: "/pet/findByTags?tags=mixed", kind: "mixed", limit: 7 },
  { list: "/pet/findByTags?tags=medium", kind: "medium", limit: 100 },
  ...LISTS.flatMap((list) => [30, 1000].map((limit) => ({ ...list, limit }))),
];

describe("a page", () => {
  test.each(WALKS)(
    "has at most 1 MiB of JSON, at least one pet, and a link while there is more: $list, limit $limit §3.10.5",
    async ({ list, kind, limit }) => {
      const pages = await walk(`${list}&limit=${limit}`);
      expect(pages.flatMap(({ ids }) => ids)).toEqual(stored.get(kind));
      for (const { ids, bytes } of pages) {
        expect(ids.length).toBeGreaterThan(0);
        expect(ids.length).toBeLessThanOrEqual(limit);
        // Two brackets, and no comma behind the last.
        expect(bytes).toBeLessThanOrEqual(MIB + 1);
      }
    },
  );

  test.each(["largest", "medium"])(
    "that is cut has at least half a MiB where pets are of one size: %s §3.10.5",
    async (kind) => {
      const [first] = await walk(`/pet/findByTags?tags=${kind}&limit=1000`);
      expect(first?.bytes).toBeGreaterThan(MIB / 2);
    },
  );

  test("of small pets is as long as its limit", async () => {
    const small = Array.from(
      { length: 1001 },
      (_, index) => [1e6 + index, "Rex", '"a.png"'] as const,
    );
    await insert("small", small);
    const pages = await walk("/pet/findByTags?tags=small&limit=1000");
    expect(pages.map(({ ids }) => ids.length)).toEqual([1000, 1]);
  });

  test("counts what a name is as JSON, not as it is stored §3.10.5", async () => {
    const names = Array.from(
      { length: 300 },
      (_, index) => [2e6 + index, "\u0001".repeat(4096), '"a.png"'] as const,
    );
    await insert("escaped", names);
    const pages = await walk("/pet/findByTags?tags=escaped&limit=1000");
    expect(pages.flatMap(({ ids }) => ids)).toHaveLength(300);
    for (const { bytes } of pages) expect(bytes).toBeLessThanOrEqual(MIB + 1);
  });
});

describe("a list without a limit", () => {
  test.each(LISTS)(
    "is complete, in pages of at most 1 MiB and chunks of at most 128 KiB: $list §3.10.3",
    async ({ list, kind }) => {
      const { pages, calls } = await pagesOf(list);
      expect(await idsIn(pages)).toEqual(stored.get(kind));
      for (const page of pages) {
        const bytes = page.reduce((sum, { byteLength }) => sum + byteLength, 0);
        expect(bytes).toBeLessThanOrEqual(MIB + 2);
      }
      for (const { byteLength } of pages.flat()) expect(byteLength).toBeLessThanOrEqual(128 * KIB);
      expect(calls.count).toBe(pages.length);
    },
  );

  test("is read in as few pages as pets of one size allow", async () => {
    const { calls } = await pagesOf("/pet/findByTags?tags=largest");
    // 21 on the first page, which is cut; then 13 at a time.
    expect(calls.count).toBe(5);
  });
});
