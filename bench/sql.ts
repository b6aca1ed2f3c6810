// The service's own statements, taken from its queries, so that the floor sends the same SQL.
import { scheduler } from "node:timers/promises";
import { Param, Placeholder, is } from "drizzle-orm";
import { Database } from "../src/db/client.ts";
import type { Engine } from "../src/db/engine.ts";
import { compilers } from "../src/db/statement.ts";
import type { Bound } from "../src/db/statement.ts";
import { UNCONDITIONAL } from "../src/http/preconditions.ts";
import { listPetsByStatus, listPetsByTags } from "../src/pet/pages.ts";
import * as pets from "../src/pet/queries.ts";
import * as store from "../src/store/queries.ts";
import * as users from "../src/user/queries.ts";

/** JSON, so that it can be a binding. */
export type Statement = {
  readonly text: string;
  /** The names of the parameters, in the order of their values; `null` for a constant. A column has the name of its member. */
  readonly names: (string | null)[];
  /** Values that the statement can run with. */
  readonly sample: (string | number | null)[];
};

/** The parameter's name. A value that Drizzle converts is wrapped. */
function nameOf(parameter: unknown): string | null {
  const value = parameter instanceof Param ? parameter.value : parameter;
  return is(value, Placeholder) ? value.name : null;
}

/** The statement that a query sends to D1. */
async function sentBy(query: (db: Database) => Promise<unknown>): Promise<Statement> {
  let sent: Bound<unknown> | undefined;
  const engine: Engine = {
    async run([first]) {
      sent = first;
      throw new Error("nothing runs here");
    },
  };
  await query(new Database(engine)).catch(() => undefined);
  const compiled = compilers.map((compile) => compile()).find(({ sql }) => sql === sent?.sql);
  if (!sent || !compiled) throw new Error("a query sent no statement");
  return {
    text: sent.sql,
    names: compiled.params.map(nameOf),
    sample: sent.values as Statement["sample"],
  };
}

const pet = { name: "Rex", photoUrls: "rex.png" };
const page = { after: 0, limit: 100 };
const order = {
  petId: 1,
  quantity: 2,
  shipDate: "2026-12-01T09:30:00.000Z",
  status: "placed",
  complete: false,
} as const;

/** The queries behind the workloads, with sample values. */
const QUERIES = {
  petById: async (db: Database) => pets.findPet(db, 7),
  newPet: async (db: Database) => pets.insertPet(db, pet),
  replacedPet: async (db: Database) => pets.replacePet(db, { id: 1, ...pet }, UNCONDITIONAL),
  petsByStatus: async (db: Database) => listPetsByStatus(db, ["sold"], page),
  petsByTag: async (db: Database) => listPetsByTags(db, ["dog"], page),
  inventory: store.countPets,
  newOrder: async (db: Database) => store.insertOrder(db, order, null),
  userByName: async (db: Database) => users.findUser(db, "ada"),
};

/** The statements that the workloads send. */
export type Sql = Readonly<Record<keyof typeof QUERIES, Statement>>;

/** Takes the statements from src/. */
export async function statementsOfService(): Promise<Sql> {
  Object.assign(globalThis, { scheduler });
  const statements = Object.entries(QUERIES).map(
    async ([name, query]) => [name, await sentBy(query)] as const,
  );
  return Object.fromEntries(await Promise.all(statements)) as Sql;
}
