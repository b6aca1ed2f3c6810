import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { always, timeFor, tries } from "../drawn.ts";

const MAX_ID = Number.MAX_SAFE_INTEGER;

const RESOURCES = ["pets", "orders", "users"] as const;
type Resource = (typeof RESOURCES)[number];

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

/** Generates an id, chooses one, or deletes it. */
type Step = "generate" | { readonly choose: number } | { readonly delete: number };

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

/** What comes of these steps in an empty table, and what a plain set of used ids says of it. */
async function outcomesOf(resource: Resource, steps: readonly Step[]) {
  await reset();
  const used = new Set<number>();
  const live = new Set<number>();
  const smallestUnused = () => {
    let id: number = FIRST[resource];
    while (used.has(id)) id += 1;
    return id;
  };
  const expected = steps.map((step) => {
    if (step !== "generate" && "delete" in step) {
      live.delete(step.delete);
      return [];
    }
    const id = step === "generate" ? smallestUnused() : step.choose;
    if (live.has(id)) return [];
    live.add(id);
    used.add(id);
    return [{ id }];
  });

  const results = await env.DB.batch(
    steps.map((step) => {
      if (step === "generate") return insertion(resource);
      return "delete" in step ? deletion(resource, step.delete) : insertion(resource, step.choose);
    }),
  );

  const next = smallestUnused();
  return {
    stored: {
      ids: results.map(({ results: rows }) => rows),
      next: await Promise.all(RESOURCES.map(nextOf)),
      ranges: await Promise.all(RESOURCES.map(rangesOf)),
    },
    // The other tables are as they were.
    expected: {
      ids: expected,
      next: RESOURCES.map((each) => (each === resource ? next : FIRST[each])),
      ranges: RESOURCES.map((each) => (each === resource ? runsOf(used, next) : [])),
    },
  };
}

const generated = (count: number): Step[] => Array<Step>(count).fill("generate");
const chosen = (...ids: readonly number[]): Step[] => ids.map((id) => ({ choose: id }));
const deleted = (...ids: readonly number[]): Step[] => ids.map((id) => ({ delete: id }));
const upTo = (count: number, idOf: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => idOf(index));

/** Steps in a table whose first generated id is this one. */
const SEQUENCES: Readonly<Record<string, (first: number) => readonly Step[]>> = {
  "generated one after the other": () => generated(3),
  "chosen as the next ones": (first) => [...chosen(first, first + 1), ...generated(1)],
  "chosen ahead, until the sequence gets there": (first) => [
    ...chosen(first + 2, first + 3),
    ...generated(3),
  ],
  "of two runs, and then the id between them": () => chosen(100, 101, 103, 104, 102),
  "at either end of a run": () => chosen(100, 99, 101),
  "of long runs, in whatever order they come": () =>
    chosen(
      ...upTo(300, (index) => 1000 + index),
      ...upTo(300, (index) => 2300 - index),
      ...upTo(300, (index) => 3000 + ((index * 7) % 300)),
    ),
  "2^53-1 and its neighbours": () => [...chosen(MAX_ID, MAX_ID - 1, MAX_ID - 3), ...generated(2)],
  "deleted, whether they were generated or chosen": (first) => [
    ...generated(1),
    ...chosen(first + 1, first + 3),
    ...deleted(first, first + 1, first + 3),
    ...generated(3),
  ],
  "deleted and chosen again": (first) => [
    ...chosen(first, 50),
    ...deleted(first, 50),
    ...chosen(first, 50),
  ],
  "taken, which are refused": (first) => chosen(first, 50, first, 50),
};

const RUNS = tries(150);

describe.each(RESOURCES)("the ids of %s are those of a plain set of used ids", (resource) => {
  test.each(Object.entries(SEQUENCES))("where they are %s §1.5.1 §1.5.3", async (_, steps) => {
    const { stored, expected } = await outcomesOf(resource, steps(FIRST[resource]));
    expect(stored).toEqual(expected);
  });

  test(
    "after any sequence of inserts and deletes §1.5.4",
    async () => {
      const anId = fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: FIRST[resource], max: 25 }) },
        { weight: 1, arbitrary: fc.integer({ min: MAX_ID - 3, max: MAX_ID }) },
      );
      const step = fc.oneof(
        fc.constant<Step>("generate"),
        anId.map((choose): Step => ({ choose })),
        anId.map((id): Step => ({ delete: id })),
      );
      await always(
        [fc.array(step, { minLength: 1, maxLength: 40 })],
        { runs: RUNS },
        async (steps) => {
          const { stored, expected } = await outcomesOf(resource, steps);
          expect(stored).toEqual(expected);
        },
      );
    },
    timeFor(RUNS),
  );
});
