import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { send as sendShared } from "../client.ts";
import type { Answer, Send } from "../client.ts";
import { drawn, timeFor, tries } from "../drawn.ts";
import { logIn } from "../fixtures.ts";
import { upload } from "../images.ts";
import { newStore } from "./store.ts";

interface Pet {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  images: number;
}

/** A plain in-memory store. */
class Model {
  readonly pets = new Map<number, Pet>();
  readonly orders = new Map<number, number>();
  readonly users = new Map<string, string>();
  /** The requests that were done under a key. */
  readonly keys = new Map<string, string>();

  shown(): unknown {
    const count = (of: string) => [...this.pets.values()].filter((pet) => pet.status === of).length;
    return {
      inventory: { available: count("available"), pending: 0, sold: count("sold") },
      pets: [...this.pets.values()].toSorted((one, other) => one.id - other.id),
      orders: IDS.map((each) => this.orders.get(each) ?? null),
      users: USERNAMES.map((each) => this.users.get(each) ?? null),
    };
  }
}

/** A request, and what it does to a model. */
interface Step {
  readonly send: (client: Send) => Promise<Answer>;
  /** @returns the status of the answer */
  readonly take: (model: Model, answer: Answer) => number;
}

// Few of each, so that the stores meet the same ones often.
const IDS = [1, 2, 3];
const USERNAMES = ["ann", "bob"];
const anId = fc.constantFrom(...IDS);
const aUsername = fc.constantFrom(...USERNAMES);
const aPassword = fc.constantFrom("secret", "another");
const aPet = { name: fc.constantFrom("Rex", "Max"), status: fc.constantFrom("available", "sold") };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ key: fc.constantFrom("one", "two"), ...aPet }).map(({ key, ...pet }): Step => ({
    send: async (client) =>
      client("POST", "/pet", {
        json: { ...pet, photoUrls: [] },
        headers: { "Idempotency-Key": key },
      }),
    take: ({ pets, keys }, { json }) => {
      const done = keys.get(key);
      if (done !== undefined) return done === JSON.stringify(pet) ? 200 : 422;
      const { id } = json as { id: number };
      // No status is right for an id that a pet has already.
      if (pets.has(id)) return NaN;
      keys.set(key, JSON.stringify(pet));
      pets.set(id, { id, ...pet, images: 0 });
      return 200;
    },
  })),
  fc.record({ id: anId, ...aPet }).map((pet): Step => ({
    send: async (client) => client("POST", "/pet", { json: { ...pet, photoUrls: [] } }),
    take: ({ pets }) => {
      const made = { ...pet, images: 0 };
      const there = pets.get(pet.id);
      if (there) return same(there, made) ? 200 : 405;
      pets.set(pet.id, made);
      return 200;
    },
  })),
  anId.map((id): Step => ({
    send: async (client) => client("DELETE", `/pet/${id}`),
    take: ({ pets }) => (pets.delete(id) ? 200 : 404),
  })),
  anId.map((id): Step => ({
    send: async (client) => client("POST", `/pet/${id}/uploadImage`, upload()),
    take: ({ pets }) => {
      const there = pets.get(id);
      if (there) there.images += 1;
      return there ? 200 : 404;
    },
  })),
  fc.record({ id: anId, quantity: fc.nat(2) }).map((order): Step => ({
    send: async (client) => client("POST", "/store/order", { json: order }),
    take: ({ orders }) => {
      const there = orders.get(order.id) ?? order.quantity;
      orders.set(order.id, there);
      return there === order.quantity ? 200 : 400;
    },
  })),
  anId.map((id): Step => ({
    send: async (client) => client("DELETE", `/store/order/${id}`),
    take: ({ orders }) => (orders.delete(id) ? 200 : 404),
  })),
  fc.record({ username: aUsername, password: aPassword }).map((user): Step => ({
    send: async (client) => client("POST", "/user", { json: user }),
    take: ({ users }) => {
      const there = users.get(user.username) ?? user.password;
      users.set(user.username, there);
      return there === user.password ? 200 : 409;
    },
  })),
  aUsername.map((username): Step => ({
    send: async (client) => client("DELETE", `/user/${username}`),
    take: ({ users }) => (users.delete(username) ? 200 : 404),
  })),
  fc.record({ username: aUsername, password: aPassword }).map(({ username, password }): Step => ({
    send: async (client) => logIn(username, password, client),
    take: ({ users }) => (users.get(username) === password ? 200 : 400),
  })),
);

const same = (one: Pet, other: Pet) =>
  one.name === other.name && one.status === other.status && one.images === other.images;

interface ShownPet {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly photoUrls: readonly string[];
}

/** What a store shows; each image of a pet must be below its own base path. */
async function shownBy(send: Send, basePath: string): Promise<unknown> {
  const get = async (path: string) => send("GET", path);
  const list = (await get("/pet/findByStatus?status=available,sold")).json as ShownPet[];
  for (const { id: petId, photoUrls } of list) {
    for (const url of photoUrls) expect(url).toContain(`${basePath}/pet/${petId}/images/`);
  }
  const orNull = async (path: string, member: string) => {
    const answer = await get(path);
    return answer.status === 404 ? null : (answer.json as Record<string, unknown>)[member];
  };
  return {
    inventory: (await get("/store/inventory")).json,
    pets: list.map(({ photoUrls, ...pet }) => ({ ...pet, images: photoUrls.length })),
    orders: await Promise.all(IDS.map(async (each) => orNull(`/store/order/${each}`, "quantity"))),
    users: await Promise.all(USERNAMES.map(async (each) => orNull(`/user/${each}`, "password"))),
  };
}

const RUNS = tries(30);
const TABLES = ["pets", "orders", "users", "idempotency_keys", "pet_images"];

test(
  "three stores and the shared one, used in any order with the same ids, names, keys and images, show what four models do",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(3), step), { minLength: 8, maxLength: 40 }),
        async (steps) => {
          await env.DB.batch(TABLES.map((table) => env.DB.prepare(`DELETE FROM ${table}`)));
          const own = Array.from({ length: 3 }, () => newStore());
          const stores = [
            { send: sendShared, basePath: "/v2" },
            ...own.map(({ send, name: of }) => ({ send, basePath: `/stores/${of}/v2` })),
          ].map((store) => ({ ...store, model: new Model() }));
          for (const [index, each] of steps) {
            const { send, model } = stores[index] as (typeof stores)[number];
            const answer = await each.send(send);
            expect(answer.status).toBe(each.take(model, answer));
          }
          for (const { send, basePath, model } of stores) {
            expect(await shownBy(send, basePath)).toEqual(model.shown());
          }
        },
      ),
      drawn(RUNS),
    );
  },
  timeFor(RUNS),
);
