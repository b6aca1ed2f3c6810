import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { drawn, timeFor, tries } from "../drawn.ts";

const MAX_ID = Number.MAX_SAFE_INTEGER;

type Resource = "pets" | "orders" | "users";

/** The members that a row cannot be without, by table. */
const NEEDED = {
  pets: { columns: `"name", "photoUrls"`, values: `'Rex', '"a.png"'` },
  orders: { columns: `"quantity"`, values: "1" },
  users: { columns: `"credentialId"`, values: "'c'" },
} as const;

const FIRST = { pets: 1, orders: 11, users: 1 } as const;

/** Inserts a row under this id, or under the next one. */
function insertion(resource: Resource, id?: number): D1PreparedStatement {
  const { columns, values } = NEEDED[resource];
  return env.DB.prepare(
    `insert into ${resource} ("id", ${columns})
     values (coalesce(?1, (select "next" from id_sequences where resource = '${resource}')), ${values})
     on conflict do nothing returning "id"`,
  ).bind(id ?? null);
}

const deletion = (resource: Resource, id: number) =>
  env.DB.prepare(`delete from ${resource} where "id" = ?`).bind(id);

async function insert(resource: Resource, id?: number): Promise<number | undefined> {
  return (await insertion(resource, id).first<{ id: number }>())?.id;
}

async function chosen(resource: Resource, ids: readonly number[]): Promise<void> {
  await env.DB.batch(ids.map((id) => insertion(resource, id)));
}

const nextOf = async (resource: Resource) =>
  env.DB.prepare("select next from id_sequences where resource = ?")
    .bind(resource)
    .first<number>("next");

async function rangesOf(resource: Resource): Promise<[number, number][]> {
  const { results } = await env.DB.prepare(
    "select first, last from id_ranges where resource = ? order by first",
  )
    .bind(resource)
    .all<{ first: number; last: number }>();
  return results.map(({ first, last }) => [first, last]);
}

/** Empties a table and starts its ids again. */
async function reset(): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("delete from pets"),
    env.DB.prepare("delete from orders"),
    env.DB.prepare("delete from users"),
    env.DB.prepare("delete from id_ranges"),
    ...Object.entries(FIRST).map(([resource, next]) =>
      env.DB.prepare("update id_sequences set next = ? where resource = ?").bind(next, resource),
    ),
  ]);
}

beforeEach(reset);

for (const resource of ["pets", "orders", "users"] as const) {
  const first = FIRST[resource];

  describe(`ids of ${resource}`, () => {
    test("are generated one after the other", async () => {
      const ids = [await insert(resource), await insert(resource), await insert(resource)];
      expect(ids).toEqual([first, first + 1, first + 2]);
      expect(await nextOf(resource)).toBe(first + 3);
      expect(await rangesOf(resource)).toEqual([]);
    });

    test("chosen as the next one are counted as if they had been generated", async () => {
      await chosen(resource, [first, first + 1]);
      expect(await nextOf(resource)).toBe(first + 2);
      expect(await rangesOf(resource)).toEqual([]);
      expect(await insert(resource)).toBe(first + 2);
    });

    test("chosen ahead are kept as a run, and skipped when the sequence gets there", async () => {
      await chosen(resource, [first + 2, first + 3]);
      expect(await nextOf(resource)).toBe(first);
      expect(await rangesOf(resource)).toEqual([[first + 2, first + 3]]);
      expect([await insert(resource), await insert(resource), await insert(resource)]).toEqual([
        first,
        first + 1,
        first + 4,
      ]);
      expect(await rangesOf(resource)).toEqual([]);
    });

    test("of two runs become one run when the id between them is chosen", async () => {
      await chosen(resource, [100, 101, 103, 104]);
      expect(await rangesOf(resource)).toEqual([
        [100, 101],
        [103, 104],
      ]);
      await chosen(resource, [102]);
      expect(await rangesOf(resource)).toEqual([[100, 104]]);
    });

    test("extend a run at either end", async () => {
      await chosen(resource, [100, 99, 101]);
      expect(await rangesOf(resource)).toEqual([[99, 101]]);
    });

    test("make one row of a long contiguous run, in whatever order they come", async () => {
      const ascending = Array.from({ length: 300 }, (_, index) => 1000 + index);
      await chosen(resource, ascending);
      expect(await rangesOf(resource)).toEqual([[1000, 1299]]);
      const descending = Array.from({ length: 300 }, (_, index) => 2300 - index);
      await chosen(resource, descending);
      const interleaved = Array.from({ length: 300 }, (_, index) => 3000 + ((index * 7) % 300));
      await chosen(resource, interleaved);
      expect(await rangesOf(resource)).toEqual([
        [1000, 1299],
        [2001, 2300],
        [3000, 3299],
      ]);
      expect(await nextOf(resource)).toBe(first);
    });

    test("are not disturbed by 2^53-1 and its neighbours", async () => {
      await chosen(resource, [MAX_ID, MAX_ID - 1, MAX_ID - 3]);
      expect(await rangesOf(resource)).toEqual([
        [MAX_ID - 3, MAX_ID - 3],
        [MAX_ID - 1, MAX_ID],
      ]);
      expect([await insert(resource), await insert(resource)]).toEqual([first, first + 1]);
    });

    test("are never generated again once deleted, generated or chosen", async () => {
      const generated = await insert(resource);
      await chosen(resource, [first + 1, first + 3]);
      await env.DB.batch([first, first + 1, first + 3].map((id) => deletion(resource, id)));
      expect(generated).toBe(first);
      expect([await insert(resource), await insert(resource), await insert(resource)]).toEqual([
        first + 2,
        first + 4,
        first + 5,
      ]);
    });

    test("that were deleted can be chosen again, which changes nothing for the others", async () => {
      await chosen(resource, [first, 50]);
      await env.DB.batch([deletion(resource, first), deletion(resource, 50)]);
      await chosen(resource, [first, 50]);
      expect(await nextOf(resource)).toBe(first + 1);
      expect(await rangesOf(resource)).toEqual([[50, 50]]);
    });

    test("that are taken are refused, and claim nothing", async () => {
      await chosen(resource, [first, 50]);
      expect(await insert(resource, first)).toBeUndefined();
      expect(await insert(resource, 50)).toBeUndefined();
      expect(await nextOf(resource)).toBe(first + 1);
      expect(await rangesOf(resource)).toEqual([[50, 50]]);
    });

    test("are counted apart from those of other tables", async () => {
      await chosen(resource, [first, 50]);
      for (const other of ["pets", "orders", "users"] as const) {
        const expected = other === resource ? first + 1 : FIRST[other];
        expect(await nextOf(other)).toBe(expected);
        expect(await rangesOf(other)).toEqual(other === resource ? [[50, 50]] : []);
      }
    });
  });
}

/** Runs of these ids beyond `next`: maximal, ascending. */
function runsOf(ids: ReadonlySet<number>, next: number): [number, number][] {
  const runs: [number, number][] = [];
  for (const id of [...ids].filter((used) => used > next).toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && run[1] === id - 1) run[1] = id;
    else runs.push([id, id]);
  }
  return runs;
}

const RUNS = tries(150);

test(
  "any sequence of inserts and deletes keeps the ids as a plain set of used ids says",
  async () => {
    const anId = fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 1, max: 25 }) },
      { weight: 1, arbitrary: fc.integer({ min: MAX_ID - 3, max: MAX_ID }) },
    );
    const step = fc.oneof(
      fc.record({ kind: fc.constant("generate" as const) }),
      fc.record({ kind: fc.constant("choose" as const), id: anId }),
      fc.record({ kind: fc.constant("delete" as const), id: anId }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        await reset();
        const used = new Set<number>();
        const live = new Set<number>();
        const smallestUnused = () => {
          let id = 1;
          while (used.has(id)) id += 1;
          return id;
        };
        const expected = steps.map((each) => {
          if (each.kind === "delete") {
            live.delete(each.id);
            return [];
          }
          const id = each.kind === "choose" ? each.id : smallestUnused();
          if (live.has(id)) return [];
          live.add(id);
          used.add(id);
          return [{ id }];
        });

        const results = await env.DB.batch(
          steps.map((each) => {
            if (each.kind === "delete") return deletion("pets", each.id);
            return insertion("pets", each.kind === "choose" ? each.id : undefined);
          }),
        );

        expect(results.map(({ results: rows }) => rows)).toEqual(expected);
        const next = smallestUnused();
        expect(await nextOf("pets")).toBe(next);
        expect(await rangesOf("pets")).toEqual(runsOf(used, next));
      }),
      drawn(RUNS),
    );
  },
  timeFor(RUNS),
);
