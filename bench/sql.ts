// The text of the service's statements, taken from its queries as they run, so that the floor sends the same.
import { scheduler } from "node:timers/promises";
import { Database } from "../src/db/client.ts";
import type { Engine } from "../src/db/engine.ts";
import { UNCONDITIONAL } from "../src/http/preconditions.ts";
import { listPetsByStatus, listPetsByTags } from "../src/pet/pages.ts";
import * as pets from "../src/pet/queries.ts";
import * as store from "../src/store/queries.ts";
import * as users from "../src/user/queries.ts";

/** The statements that the workloads send. */
export interface Sql {
  readonly petById: string;
  readonly newPet: string;
  readonly replacedPet: string;
  readonly petsByStatus: string;
  readonly petsByTag: string;
  readonly inventory: string;
  readonly newOrder: string;
  readonly userByName: string;
}

/** The SQL that one query sends to D1. */
async function sentBy(query: (db: Database) => Promise<unknown>): Promise<string> {
  let sent = "";
  const engine: Engine = {
    async run([first]) {
      sent = first?.sql ?? "";
      throw new Error("only the text is wanted");
    },
  };
  await query(new Database(engine)).catch(() => undefined);
  if (sent === "") throw new Error("a query sent nothing");
  return sent;
}

/** Takes the statements from src/. */
export async function statementsOfService(): Promise<Sql> {
  Object.assign(globalThis, { scheduler });
  const pet = { name: "Rex", photoUrls: "rex.png" };
  const page = { after: 0, limit: 1 };
  return {
    petById: await sentBy(async (db) => pets.findPet(db, 1)),
    newPet: await sentBy(async (db) => pets.insertPet(db, pet)),
    replacedPet: await sentBy(async (db) => pets.replacePet(db, { id: 1, ...pet }, UNCONDITIONAL)),
    petsByStatus: await sentBy(async (db) => listPetsByStatus(db, ["sold"], page)),
    petsByTag: await sentBy(async (db) => listPetsByTags(db, ["dog"], page)),
    inventory: await sentBy(store.countPets),
    newOrder: await sentBy(async (db) => store.insertOrder(db, {}, null)),
    userByName: await sentBy(async (db) => users.findUser(db, "ada")),
  };
}
