import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { NewPet } from "../../src/pet/contract.ts";
import { send } from "../client.ts";
import type { Answer } from "../client.ts";
import { drawn, timeFor, tries } from "../drawn.ts";
import { database } from "../engine.ts";

const STATUSES = ["available", "pending", "sold"] as const;
const TAGS = ["dog", "Dog", "good boy", "🐶", "1"] as const;
const MAX_ID = Number.MAX_SAFE_INTEGER;

/** A pet without its id, of every member that the contract has. */
type Content = Omit<NewPet, "id">;

type Pet = Content & { readonly id: number };

const tag = fc.oneof(
  fc.constantFrom(...TAGS),
  fc.record({ id: fc.nat(3), name: fc.constantFrom(...TAGS) }, { requiredKeys: [] }),
);

const content: fc.Arbitrary<Content> = fc.record(
  {
    category: fc.constant({ id: 1, name: "Dogs" }),
    name: fc.constantFrom("Rex", "Max"),
    photoUrls: fc.constant("a.png"),
    tags: fc.array(tag, { maxLength: 4 }),
    status: fc.constantFrom(...STATUSES),
  } satisfies Record<keyof Content, unknown>,
  { requiredKeys: ["name", "photoUrls"] },
);

/** Few enough that sequences meet the same pet often. */
const petId = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 8 }) },
  { weight: 1, arbitrary: fc.constant(MAX_ID) },
);

const step = fc.oneof(
  fc.record({ kind: fc.constant("generate" as const), content }),
  fc.record({ kind: fc.constant("choose" as const), id: petId, content }),
  fc.record({ kind: fc.constant("replace" as const), id: petId, content }),
  fc.record({ kind: fc.constant("delete" as const), id: petId }),
);

/** A plain in-memory pet store. */
class Model {
  readonly pets = new Map<number, Pet>();

  list(holds: (pet: Pet) => boolean): Pet[] {
    return [...this.pets.values()].filter(holds).toSorted((a, b) => a.id - b.id);
  }

  withStatus(...statuses: readonly string[]): Pet[] {
    return this.list(({ status }) => status !== undefined && statuses.includes(status));
  }

  withTag(...names: readonly string[]): Pet[] {
    return this.list(({ tags = [] }) =>
      tags
        .map((each) => (typeof each === "string" ? each : each.name))
        .some((name) => name !== undefined && names.includes(name)),
    );
  }
}

type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

/** What the service shows: what the model must be equal to. */
interface Shown {
  readonly inventory: unknown;
  readonly byStatus: readonly unknown[];
  readonly byTags: readonly unknown[];
  readonly pets: readonly unknown[];
}

const STATUS_QUERIES = [...STATUSES.map((status) => [status]), ["sold", "available"], STATUSES];
const TAG_QUERIES = [...TAGS.map((name) => [name]), ["dog", "1"], TAGS];

const get = async (path: string) => (await send("GET", path)).json;

/** The request of a step. */
async function request(each: Step): Promise<Answer> {
  if (each.kind === "delete") return send("DELETE", `/pet/${each.id}`);
  if (each.kind === "generate") return send("POST", "/pet", { json: each.content });
  const json = { id: each.id, ...each.content };
  return send(each.kind === "choose" ? "POST" : "PUT", "/pet", { json });
}

/** Does to the model what the step does to the service, and gives the status that it must have. */
function follow({ pets }: Model, each: Step, generated: number): number {
  if (each.kind === "delete") return pets.delete(each.id) ? 200 : 404;
  const id = each.kind === "generate" ? generated : each.id;
  const pet = { id, ...each.content };
  const present = pets.get(id);
  // No status is right for a generated id that a pet has already.
  if (each.kind === "generate" && present) return NaN;
  if (each.kind === "choose" && present) return sorted(present) === sorted(pet) ? 200 : 405;
  if (each.kind === "replace" && !present) return 404;
  pets.set(id, pet);
  return 200;
}

/** The content, whatever the order of its members. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

async function shownByService(ids: Iterable<number>): Promise<Shown> {
  return {
    inventory: await get("/store/inventory"),
    byStatus: await Promise.all(
      STATUS_QUERIES.map(async (statuses) => get(`/pet/findByStatus?status=${statuses.join(",")}`)),
    ),
    byTags: await Promise.all(
      TAG_QUERIES.map(async (tags) =>
        get(`/pet/findByTags?tags=${tags.map(encodeURIComponent).join(",")}`),
      ),
    ),
    pets: await Promise.all([...ids].map(async (each) => get(`/pet/${each}`))),
  };
}

function shownByModel(model: Model): Shown {
  return {
    inventory: Object.fromEntries(
      STATUSES.map((status) => [status, model.withStatus(status).length]),
    ),
    byStatus: STATUS_QUERIES.map((statuses) => model.withStatus(...statuses)),
    byTags: TAG_QUERIES.map((tags) => model.withTag(...tags)),
    pets: [...model.pets.values()],
  };
}

async function removeAllPets(): Promise<void> {
  await database.prepare("delete from pets").run();
}

const RUNS = tries(40);
const RUNS_AT_ONCE = tries(20);

test(
  "any sequence of creates, replaces and deletes leaves inventory, tag look-up and status lists equal to a plain in-memory model",
  async () => {
    await fc.assert(
      fc
        .asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
          const model = new Model();
          for (const each of steps) {
            const { status, json } = await request(each);
            expect(status).toBe(follow(model, each, (json as { id: number }).id));
          }
          expect(await shownByService(model.pets.keys())).toEqual(shownByModel(model));
        })
        .beforeEach(removeAllPets),
      drawn(RUNS),
    );
  },
  timeFor(RUNS),
);

test(
  "steps that are taken at once leave inventory, tag look-up and status lists equal to the pets that are there",
  async () => {
    await fc.assert(
      fc
        .asyncProperty(fc.array(step, { minLength: 2, maxLength: 16 }), async (steps) => {
          await Promise.all(steps.map(request));
          const model = new Model();
          const { results } = await database.prepare("select id from pets").all<{ id: number }>();
          for (const row of results) model.pets.set(row.id, (await get(`/pet/${row.id}`)) as Pet);
          expect(await shownByService(model.pets.keys())).toEqual(shownByModel(model));
        })
        .beforeEach(removeAllPets),
      drawn(RUNS_AT_ONCE),
    );
  },
  timeFor(RUNS_AT_ONCE),
);
