import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { NewPet } from "../../src/pet/pet.ts";
import { send } from "../client.ts";
import { always, timeFor, tries } from "../drawn.ts";
import { basePath, database } from "../engine.ts";
import { Model, aStep, emptyStore, shownBy } from "./model.ts";
import type { Shown } from "./model.ts";

/** What is derived from the pets. */
const listsOf = ({ inventory, byStatus, byTags }: Shown) => ({ inventory, byStatus, byTags });

const RUNS = Math.max(tries(40), 12);
const RUNS_AT_ONCE = tries(20);

test(
  "after any requests to both interfaces, both show what a plain in-memory model holds §3.10.1 §4.1.1 §4.1.2",
  { timeout: timeFor(RUNS) },
  async () => {
    await always(
      [fc.array(aStep, { minLength: 1, maxLength: 30 })],
      { runs: RUNS, before: emptyStore },
      async (steps) => {
        const model = new Model();
        for (const step of steps) {
          const answer = await step.send(send);
          expect(answer.status).toBe(step.take(model, answer));
        }
        expect(await shownBy(send, basePath, model.pets.keys())).toEqual(model.shown());
      },
    );
  },
);

test(
  "after requests at once to both interfaces, the inventory and the lists match the pets §3.10.1",
  { timeout: timeFor(RUNS_AT_ONCE) },
  async () => {
    await always(
      [fc.array(aStep, { minLength: 2, maxLength: 20 })],
      { runs: RUNS_AT_ONCE, before: emptyStore },
      async (steps) => {
        await Promise.all(steps.map(async (step) => step.send(send)));
        const { results } = await database.prepare("select id from pets").all<{ id: number }>();
        const model = new Model();
        for (const { id } of results) {
          const { photoUrls, ...pet } = (await send("GET", `/pet/${id}`)).json as NewPet;
          model.pets.set(id, { ...pet, id, images: photoUrls.length });
        }
        const shown = await shownBy(send, basePath, []);
        expect(shown.map(listsOf)).toEqual(model.shown().map(listsOf));
      },
    );
  },
);
