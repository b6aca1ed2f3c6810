import * as fc from "fast-check";
import { expect, test } from "vitest";
import { send as sendShared } from "../client.ts";
import { always, timeFor, tries } from "../drawn.ts";
import { Model, aStep, emptyStore, shownBy } from "../properties/model.ts";
import { newStore } from "./store.ts";

const RUNS = tries(30);

test(
  "three sandboxes and the shared store with the same ids, names, keys and images match four models §10.0",
  { timeout: timeFor(RUNS) },
  async () => {
    await always(
      [fc.array(fc.tuple(fc.nat(3), aStep), { minLength: 8, maxLength: 60 })],
      { runs: RUNS, before: emptyStore },
      async (steps) => {
        const own = Array.from({ length: 3 }, () => newStore());
        const stores = [
          { send: sendShared, basePath: "/v2" },
          ...own.map(({ send, name: of }) => ({ send, basePath: `/stores/${of}/v2` })),
        ].map((store) => ({ ...store, model: new Model() }));
        for (const [index, step] of steps) {
          const { send, model } = stores[index] as (typeof stores)[number];
          const answer = await step.send(send);
          expect(answer.status).toBe(step.take(model, answer));
        }
        for (const { send, basePath, model } of stores) {
          expect(await shownBy(send, basePath, model.pets.keys())).toEqual(model.shown());
        }
      },
    );
  },
);
