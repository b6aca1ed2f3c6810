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

/** Empties a table and starts its ids again. */
const reset = (resource: Resource): D1PreparedStatement[] => [
  env.DB.prepare(`delete from ${resource}`),
  env.DB.prepare("update id_sequences set next = ? where resource = ?").bind(
    FIRST[resource],
    resource,
  ),
];

/** Generates an id, chooses one, or deletes it. */
type Step = "generate" | { readonly choose: number } | { readonly delete: number };

/** Takes these steps in an empty table. @returns the id that each inserted; `undefined` if it inserted none */
async function idsOf(
  resource: Resource,
  steps: readonly Step[],
): Promise<readonly (number | undefined)[]> {
  const before = reset(resource);
  const results = await env.DB.batch<{ id: number }>([
    ...before,
    ...steps.map((step) => {
      if (step === "generate") return insertion(resource);
      return "delete" in step ? deletion(resource, step.delete) : insertion(resource, step.choose);
    }),
  ]);
  return results.slice(before.length).map(({ results: [row] }) => row?.id);
}

/** What is wrong with the ids that these steps inserted. */
function faultsIn(
  resource: Resource,
  steps: readonly Step[],
  inserted: readonly (number | undefined)[],
): string[] {
  const faults: string[] = [];
  const used = new Set<number>();
  const live = new Set<number>();
  let last = FIRST[resource] - 1;
  for (const [at, step] of steps.entries()) {
    const id = inserted[at];
    if (step === "generate") {
      let unused = last + 1;
      while (used.has(unused)) unused += 1;
      if (id === undefined || id <= last || id > unused || live.has(id)) {
        faults.push(`step ${at} generated ${id}`);
      }
      last = id ?? last;
    } else if ("delete" in step) {
      live.delete(step.delete);
    } else if (id !== (live.has(step.choose) ? undefined : step.choose)) {
      faults.push(`step ${at} chose ${step.choose} and got ${id}`);
    }
    if (id !== undefined) {
      used.add(id);
      live.add(id);
    }
  }
  return faults;
}

const chosen = (...ids: readonly number[]): Step[] => ids.map((id) => ({ choose: id }));
const upTo = (count: number, idOf: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => idOf(index));

const RUNS = tries(150);

describe.each(RESOURCES)("the generated ids of %s", (resource) => {
  test(
    "ascend, are free, are never generated twice, and go no further than they must §1.5.1 §1.5.3 §1.5.4",
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
          const inserted = await idsOf(resource, steps);
          expect(faultsIn(resource, steps, inserted)).toEqual([]);
        },
      );
    },
    timeFor(RUNS),
  );

  test("cost once what a run of chosen ids is long, and no other insert costs more §1.5.4", async () => {
    const run = 1000;
    const first = FIRST[resource];
    await idsOf(resource, chosen(...upTo(run, (index) => first + 1 + index)));
    const results = await env.DB.batch<{ id: number }>(
      [first + 2 * run, undefined, undefined, first + 3 * run].map((id) => insertion(resource, id)),
    );
    const ids = results.map(({ results: [row] }) => row?.id);
    expect(ids).toEqual([first + 2 * run, first, first + run + 1, first + 3 * run]);
    const [ahead = NaN, passing, ...later] = results.map(({ meta }) => meta.rows_read);
    expect(ahead).toBeLessThan(20);
    expect(passing).toBeGreaterThan(run);
    expect(passing).toBeLessThan(3 * run);
    for (const read of later) expect(read).toBeLessThan(20);
  });
});
