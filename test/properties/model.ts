// A plain in-memory store, and requests that a real one and its model both get.
import * as fc from "fast-check";
import { expect } from "vitest";
import type { NewPet } from "../../src/pet/pet.ts";
import { BASE_PATH, PETSTORE3_PATH } from "../../src/http/base-path.ts";
import type { Answer, BasePath, Send } from "../client.ts";
import { database } from "../engine.ts";
import { logIn } from "../fixtures.ts";
import { upload } from "../images.ts";
import { inLists, toPetstore3 } from "../operations.ts";

const MAX_ID = Number.MAX_SAFE_INTEGER;
const STATUSES = ["available", "pending", "sold"] as const;
const TAGS = ["dog", "Dog", "good boy", "🐶", "1"] as const;
// Few of each, so that requests meet the same ones often.
const ORDER_IDS = [1, 2, 3];
const USERNAMES = ["ann", "bob"];

/** What a client says of a pet, but for its photos: every member that the contract has. */
type Content = Omit<NewPet, "id" | "photoUrls">;

/** A pet as it is shown, with the number of its images. */
type Pet = Content & { readonly id: number; readonly images: number };

/** How an interface is spoken to. */
interface Through {
  readonly basePath: BasePath;
  readonly client: (client: Send) => Send;
  /** How it shows a pet, and stores it. */
  readonly form: <Of extends Content>(pet: Of) => Of;
  /** The status of an id that another pet or order has. */
  readonly taken: { readonly pet: number; readonly order: number };
}

const SPECIFIED: Through = {
  basePath: BASE_PATH,
  client: (client) => client,
  form: (pet) => pet,
  taken: { pet: 405, order: 400 },
};

/** The interface of the specification, and Petstore 3. */
const INTERFACES: readonly Through[] = [
  SPECIFIED,
  {
    basePath: PETSTORE3_PATH,
    client: toPetstore3,
    form: inLists,
    taken: { pet: 409, order: 409 },
  },
];

/** A plain in-memory store. */
export class Model {
  readonly pets = new Map<number, Pet>();
  readonly orders = new Map<number, number>();
  readonly users = new Map<string, string>();
  /** The requests that were done under a key. */
  readonly keys = new Map<string, string>();

  #list(holds: (pet: Pet) => boolean): Pet[] {
    return [...this.pets.values()].filter(holds).toSorted((a, b) => a.id - b.id);
  }

  #withStatus(statuses: readonly string[]): Pet[] {
    return this.#list(({ status }) => status !== undefined && statuses.includes(status));
  }

  #withTag(names: readonly string[]): Pet[] {
    return this.#list(({ tags }) =>
      (tags ?? [])
        .map((each) => (typeof each === "string" ? each : each.name))
        .some((name) => name !== undefined && names.includes(name)),
    );
  }

  /** What a store that holds the same shows through each interface. */
  shown(): readonly Shown[] {
    return INTERFACES.map((through) => this.#shown(through));
  }

  #shown({ form }: Through): Shown {
    const inForm = (pets: readonly Pet[]) => pets.map((pet) => form(pet));
    return {
      inventory: Object.fromEntries(
        STATUSES.map((status) => [status, this.#withStatus([status]).length]),
      ),
      byStatus: STATUS_QUERIES.map((statuses) => inForm(this.#withStatus(statuses))),
      byTags: TAG_QUERIES.map((tags) => inForm(this.#withTag(tags))),
      pets: inForm([...this.pets.values()]),
      orders: ORDER_IDS.map((id) => this.orders.get(id) ?? null),
      users: USERNAMES.map((username) => this.users.get(username) ?? null),
    };
  }
}

const STATUS_QUERIES = [...STATUSES.map((status) => [status]), ["sold", "available"], STATUSES];
const TAG_QUERIES = [...TAGS.map((name) => [name]), ["dog", "1"], TAGS];

export interface Shown {
  readonly inventory: unknown;
  readonly byStatus: readonly (readonly Pet[])[];
  readonly byTags: readonly (readonly Pet[])[];
  readonly pets: readonly Pet[];
  readonly orders: readonly unknown[];
  readonly users: readonly unknown[];
}

/** What a store shows to a client. @param ids of its pets */
async function shownThrough(send: Send, basePath: string, ids: readonly number[]): Promise<Shown> {
  const get = async (path: string) => (await send("GET", path)).json;
  const counted = ({ photoUrls, ...pet }: NewPet): Pet => {
    // Each image of a pet is below the base path of its own store, that of the specification.
    for (const url of photoUrls) expect(url).toContain(`${basePath}/pet/${pet.id}/images/`);
    return { ...(pet as Pet), images: photoUrls.length };
  };
  const list = async (path: string) => ((await get(path)) as NewPet[]).map(counted);
  const orNull = async (path: string, member: string) => {
    const answer = await send("GET", path);
    return answer.status === 404 ? null : (answer.json as Record<string, unknown>)[member];
  };
  return {
    inventory: await get("/store/inventory"),
    byStatus: await Promise.all(
      STATUS_QUERIES.map(async (each) => list(`/pet/findByStatus?status=${each.join(",")}`)),
    ),
    byTags: await Promise.all(
      TAG_QUERIES.map(async (each) =>
        list(`/pet/findByTags?tags=${each.map(encodeURIComponent).join(",")}`),
      ),
    ),
    pets: await Promise.all(ids.map(async (id) => counted((await get(`/pet/${id}`)) as NewPet))),
    orders: await Promise.all(
      ORDER_IDS.map(async (id) => orNull(`/store/order/${id}`, "quantity")),
    ),
    users: await Promise.all(USERNAMES.map(async (name) => orNull(`/user/${name}`, "password"))),
  };
}

/** The same, through each interface. */
export async function shownBy(send: Send, basePath: string, ids: Iterable<number>) {
  const all = [...ids];
  return Promise.all(
    INTERFACES.map(async ({ client }) => shownThrough(client(send), basePath, all)),
  );
}

/** A request, and what it does to a model. */
export interface Step {
  readonly send: (client: Send) => Promise<Answer>;
  /** @returns the status that the answer must have */
  readonly take: (model: Model, answer: Answer) => number;
}

/** A request to either interface. */
interface Move extends Pick<Step, "send"> {
  readonly take: (model: Model, answer: Answer, through: Through) => number;
}

const aTag = fc.oneof(
  fc.constantFrom(...TAGS),
  fc.record({ id: fc.nat(3), name: fc.constantFrom(...TAGS) }, { requiredKeys: [] }),
);
const aContent: fc.Arbitrary<Content> = fc.record(
  {
    category: fc.constant({ id: 1, name: "Dogs" }),
    name: fc.constantFrom("Rex", "Max"),
    tags: fc.array(aTag, { maxLength: 4 }),
    status: fc.constantFrom(...STATUSES),
  } satisfies Record<keyof Content, unknown>,
  { requiredKeys: ["name"] },
);
const aForm = fc
  .record(
    { name: fc.constantFrom("Rex", "Max"), status: fc.constantFrom(...STATUSES) },
    { requiredKeys: [] },
  )
  .filter((form) => Object.keys(form).length > 0);
const aPetId = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 8 }) },
  { weight: 1, arbitrary: fc.constant(MAX_ID) },
);
const anOrderId = fc.constantFrom(...ORDER_IDS);
const aUsername = fc.constantFrom(...USERNAMES);
const aUser = fc.record({ username: aUsername, password: fc.constantFrom("secret", "another") });
const aKey = fc.option(fc.constantFrom("one", "two"), { nil: undefined });

/** The content, whatever the order of its members. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    inner && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

const create = fc.record({ content: aContent, key: aKey }).map(({ content, key }): Move => ({
  send: async (client) =>
    client("POST", "/pet", {
      json: { ...content, photoUrls: [] },
      ...(key !== undefined && { headers: { "Idempotency-Key": key } }),
    }),
  take: ({ pets, keys }, { json }, { form }) => {
    const sent = form(content);
    const done = key === undefined ? undefined : keys.get(key);
    if (done !== undefined) return done === sorted(sent) ? 200 : 422;
    const { id } = json as { id: number };
    // No status is right for a generated id that a pet has already.
    if (pets.has(id)) return NaN;
    if (key !== undefined) keys.set(key, sorted(sent));
    pets.set(id, { id, ...sent, images: 0 });
    return 200;
  },
}));

const write = fc
  .record({ id: aPetId, content: aContent, method: fc.constantFrom("POST", "PUT") })
  .map(({ id, content, method }): Move => ({
    send: async (client) => client(method, "/pet", { json: { id, ...content, photoUrls: [] } }),
    take: ({ pets }, _, { form, taken }) => {
      const there = pets.get(id);
      const written = { id, ...form(content), images: 0 };
      if (method === "POST" && there) {
        return sorted(form(there)) === sorted(written) ? 200 : taken.pet;
      }
      if (method === "PUT" && !there) return 404;
      pets.set(id, written);
      return 200;
    },
  }));

const remove = aPetId.map((id): Move => ({
  send: async (client) => client("DELETE", `/pet/${id}`),
  take: ({ pets }) => (pets.delete(id) ? 200 : 404),
}));

const others: readonly fc.Arbitrary<Move>[] = [
  fc.record({ id: aPetId, form: aForm }).map(({ id, form }) => ({
    send: async (client) => client("POST", `/pet/${id}`, { body: new URLSearchParams(form) }),
    take: ({ pets }) => {
      const there = pets.get(id);
      if (there) pets.set(id, { ...there, ...form });
      return there ? 200 : 404;
    },
  })),
  aPetId.map((id) => ({
    send: async (client) => client("POST", `/pet/${id}/uploadImage`, upload()),
    take: ({ pets }) => {
      const there = pets.get(id);
      if (there) pets.set(id, { ...there, images: there.images + 1 });
      return there ? 200 : 404;
    },
  })),
  fc.record({ id: anOrderId, quantity: fc.nat(2) }).map((order) => ({
    send: async (client) => client("POST", "/store/order", { json: order }),
    take: ({ orders }, _, { taken }) => {
      const there = orders.get(order.id) ?? order.quantity;
      orders.set(order.id, there);
      return there === order.quantity ? 200 : taken.order;
    },
  })),
  anOrderId.map((id) => ({
    send: async (client) => client("DELETE", `/store/order/${id}`),
    take: ({ orders }) => (orders.delete(id) ? 200 : 404),
  })),
  aUser.map((user) => ({
    send: async (client) => client("POST", "/user", { json: user }),
    take: ({ users }) => {
      const there = users.get(user.username) ?? user.password;
      users.set(user.username, there);
      return there === user.password ? 200 : 409;
    },
  })),
  aUser.map(({ username, password }) => ({
    send: async (client) => client("PUT", `/user/${username}`, { json: { password } }),
    take: ({ users }) => {
      if (!users.has(username)) return 404;
      users.set(username, password);
      return 200;
    },
  })),
  aUsername.map((username) => ({
    send: async (client) => client("DELETE", `/user/${username}`),
    take: ({ users }) => (users.delete(username) ? 200 : 404),
  })),
  aUser.map(({ username, password }) => ({
    send: async (client) => logIn(username, password, client),
    take: ({ users }) => (users.get(username) === password ? 200 : 400),
  })),
];

const aMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: create },
  { weight: 6, arbitrary: write },
  { weight: 3, arbitrary: remove },
  ...others.map((arbitrary) => ({ weight: 1, arbitrary })),
);

export const aStep: fc.Arbitrary<Step> = fc
  .tuple(fc.constantFrom(...INTERFACES), aMove)
  .map(([through, { send, take }]) => ({
    send: async (client) => send(through.client(client)),
    take: (model, answer) => take(model, answer, through),
  }));

/** Empties the store of the tests. */
export async function emptyStore(): Promise<void> {
  const tables = ["pets", "orders", "users", "idempotency_keys", "pet_images"];
  await database.batch(tables.map((table) => database.prepare(`DELETE FROM ${table}`)));
}
