import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Init } from "./client.ts";
import { sandbox, send } from "./client.ts";

const STATUSES = ["available", "pending", "sold"] as const;
const TAGS = ["dog", "Dog", "good boy", "🐶", "1"] as const;

/** What a client says of a pet. */
interface Content {
  readonly name: string;
  readonly photoUrls: string | readonly string[];
  readonly category?: { readonly id: number; readonly name: string };
  readonly tags?: readonly { readonly id?: number; readonly name?: string }[];
  readonly status?: (typeof STATUSES)[number];
}
interface Pet extends Content {
  readonly id: number;
}
interface Order {
  readonly id: number;
  readonly quantity: number;
}
interface User {
  readonly id: number;
  readonly username: string;
  readonly password: string;
  readonly phone?: string;
}

/** The status, and the body of a success where it is not random. */
type Expected = readonly [status: number, body?: unknown];

/** One kind of resource: its rows, and how it gives out ids. */
class Rows<Row extends { readonly id: number }> {
  readonly rows = new Map<number, Row>();
  /** What was sent with each idempotency key, and the row that it made. */
  readonly keys = new Map<string, { readonly sent: string; readonly id: number }>();
  #next: number;
  readonly #first: number;

  /** @param first the first id of the sequence; lower ones are given out whenever they are free */
  constructor(first: number) {
    this.#first = first;
    this.#next = first;
  }

  add(row: Omit<Row, "id">, id?: number): Row {
    const small = Array.from({ length: this.#first - 1 }, (_, index) => index + 1);
    const given = id ?? small.find((each) => !this.rows.has(each)) ?? this.#next;
    const made = { ...row, id: given } as Row;
    this.rows.set(given, made);
    if (given === this.#next) while (this.rows.has(this.#next)) this.#next += 1;
    return made;
  }

  delete(id: number): boolean {
    for (const [key, made] of this.keys) if (made.id === id) this.keys.delete(key);
    return this.rows.delete(id);
  }

  /** As a creation is answered. @param taken the status for an id of another row */
  create(row: Omit<Row, "id">, id: number | undefined, taken: number, key?: string) {
    const sent = textOf({ ...row, id });
    const before = key === undefined ? undefined : this.keys.get(key);
    if (before) return before.sent === sent ? this.rows.get(before.id) : 422;
    const there = id === undefined ? undefined : this.rows.get(id);
    if (there) return textOf(there) === sent ? there : taken;
    const made = this.add(row, id);
    if (key !== undefined) this.keys.set(key, { sent, id: made.id });
    return made;
  }
}

/** JSON with the members of the whole in one order. */
const textOf = (value: object) =>
  JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const answered = (result: number | object | undefined): Expected =>
  typeof result === "number" ? [result] : [200, result];

/** A pet store in memory. */
class Model {
  readonly pets = new Rows<Pet>(1);
  readonly orders = new Rows<Order>(11);
  readonly users = new Rows<User>(1);

  list(holds: (pet: Pet) => boolean): Pet[] {
    return [...this.pets.rows.values()].filter(holds).toSorted((a, b) => a.id - b.id);
  }

  userOf(username: string): User | undefined {
    return [...this.users.rows.values()].find((user) => user.username === username);
  }
}

/** A request to `/v2` or `/api/v3`, and what a store answers to it. */
interface Command {
  readonly v3: boolean;
  readonly method: string;
  readonly path: string;
  readonly init: Init;
  readonly expected: (model: Model) => Expected;
}

const command =
  (
    make: (v3: boolean) => readonly [string, string, Init, (model: Model) => Expected],
  ): ((v3: boolean) => Command) =>
  (v3) => {
    const [method, path, init, expected] = make(v3);
    return {
      v3,
      method,
      path,
      init,
      expected,
      [fc.toStringMethod]: () =>
        `${method} ${v3 ? "/api/v3" : "/v2"}${path} ${JSON.stringify(init)} ${String(init.body ?? "")}`,
    } as Command;
  };

/** As Petstore 3 shows a pet. */
const inV3 = (pet: Pet) => ({
  ...pet,
  photoUrls: [pet.photoUrls].flat().flatMap((each) => each.split(",")),
});
const shown = (pet: Pet, v3: boolean) => (v3 ? inV3(pet) : pet);

const message = (text: string | number) => ({ code: 200, type: "unknown", message: String(text) });

// Few of each, so that requests meet the same ones often.
const petId = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 6 }) },
  { weight: 1, arbitrary: fc.constant(Number.MAX_SAFE_INTEGER) },
);
const orderId = fc.constantFrom(1, 2, 3, 11);
const username = fc.constantFrom("ann", "bob");
const password = fc.constantFrom("secret", "another");
const key = fc.option(fc.constantFrom("one", "two"), { nil: undefined });
const keyed = (value: string | undefined) =>
  value === undefined ? {} : { headers: { "Idempotency-Key": value } };

const content: fc.Arbitrary<Content> = fc.record(
  {
    name: fc.constantFrom("Rex", "Max"),
    photoUrls: fc.constantFrom([], ["a.png"], ["a.png", "b.png"]),
    category: fc.constant({ id: 1, name: "Dogs" }),
    tags: fc.array(
      fc.record({ id: fc.nat(3), name: fc.constantFrom(...TAGS) }, { requiredKeys: [] }),
      { maxLength: 4 },
    ),
    status: fc.constantFrom(...STATUSES),
  },
  { requiredKeys: ["name", "photoUrls"] },
);

const withId = (id: number | undefined) => (id === undefined ? {} : { id });

const COMMANDS: readonly (readonly [number, fc.Arbitrary<(v3: boolean) => Command>])[] = [
  [
    6,
    fc.tuple(content, fc.option(petId, { nil: undefined }), key).map(([pet, id, of]) =>
      command((v3) => [
        "POST",
        "/pet",
        { json: { ...withId(id), ...pet }, ...keyed(of) },
        ({ pets }) => {
          const result = pets.create(pet, id, v3 ? 409 : 405, of);
          return answered(typeof result === "object" ? shown(result, v3) : result);
        },
      ]),
    ),
  ],
  [
    4,
    fc.tuple(petId, content, fc.boolean()).map(([id, pet, hasText]) =>
      command((v3) => {
        // No creation has this name, so the two forms of `photoUrls` are never compared.
        const json =
          hasText && !v3 ? { id, ...pet, name: "Ida", photoUrls: "a.png,b.png" } : { id, ...pet };
        return [
          "PUT",
          "/pet",
          { json },
          ({ pets: { rows } }) => {
            if (!rows.has(id)) return [404];
            rows.set(id, json);
            return [200, shown(json, v3)];
          },
        ];
      }),
    ),
  ],
  [
    2,
    fc.tuple(petId, fc.constantFrom(...STATUSES)).map(([id, status]) =>
      command((v3) => [
        "POST",
        v3 ? `/pet/${id}?status=${status}` : `/pet/${id}`,
        v3 ? {} : { body: new URLSearchParams({ status }) },
        ({ pets: { rows } }) => {
          const there = rows.get(id);
          if (!there) return [404];
          const changed = { ...there, status };
          rows.set(id, changed);
          return [200, v3 ? inV3(changed) : message(id)];
        },
      ]),
    ),
  ],
  [
    3,
    petId.map((id) =>
      command((v3) => [
        "DELETE",
        `/pet/${id}`,
        {},
        ({ pets }) => (pets.delete(id) ? [200, v3 ? "Pet deleted" : message(id)] : [404]),
      ]),
    ),
  ],
  [
    2,
    petId.map((id) =>
      command((v3) => [
        "GET",
        `/pet/${id}`,
        {},
        ({ pets: { rows } }) => {
          const there = rows.get(id);
          return there ? [200, shown(there, v3)] : [404];
        },
      ]),
    ),
  ],
  [
    2,
    fc.subarray([...STATUSES], { minLength: 1 }).map((statuses) =>
      command((v3) => [
        "GET",
        `/pet/findByStatus?status=${statuses.join(",")}`,
        {},
        (model) => {
          const found = model.list(
            ({ status }) => status !== undefined && statuses.includes(status),
          );
          return [200, found.map((pet) => shown(pet, v3))];
        },
      ]),
    ),
  ],
  [
    2,
    fc.subarray([...TAGS], { minLength: 1 }).map((names) =>
      command((v3) => [
        "GET",
        `/pet/findByTags?${names.map((name) => `tags=${encodeURIComponent(name)}`).join("&")}`,
        {},
        (model) => {
          const found = model.list(({ tags = [] }) =>
            tags.some(({ name }) => names.some((each) => each === name)),
          );
          return [200, found.map((pet) => shown(pet, v3))];
        },
      ]),
    ),
  ],
  [
    2,
    fc.constant(
      command(() => [
        "GET",
        "/store/inventory",
        {},
        (model) => [
          200,
          Object.fromEntries(
            STATUSES.map((each) => [each, model.list(({ status }) => status === each).length]),
          ),
        ],
      ]),
    ),
  ],
  [
    3,
    fc
      .tuple(fc.option(orderId, { nil: undefined }), fc.nat(2), key)
      .map(([id, quantity, of]) =>
        command((v3) => [
          "POST",
          "/store/order",
          { json: { ...withId(id), quantity }, ...keyed(of) },
          ({ orders }) => answered(orders.create({ quantity }, id, v3 ? 409 : 400, of)),
        ]),
      ),
  ],
  [
    1,
    orderId.map((id) =>
      command((v3) => [
        "GET",
        `/store/order/${id}`,
        {},
        ({ orders: { rows } }) => {
          if (!v3 && id > 10) return [400];
          return rows.has(id) ? [200, rows.get(id)] : [404];
        },
      ]),
    ),
  ],
  [
    1,
    orderId.map((id) =>
      command((v3) => [
        "DELETE",
        `/store/order/${id}`,
        {},
        ({ orders }) => (orders.delete(id) ? [200, v3 ? "" : message(id)] : [404]),
      ]),
    ),
  ],
  [
    2,
    fc.record({ username, password }).map((user) =>
      command((v3) => [
        "POST",
        "/user",
        { json: user },
        (model) => {
          const there = model.userOf(user.username);
          if (there && textOf(there) !== textOf({ ...user, id: there.id })) return [409];
          const { id } = there ?? model.users.add(user);
          return [200, v3 ? { ...user, id } : message(id)];
        },
      ]),
    ),
  ],
  [
    2,
    fc
      .tuple(
        username,
        fc.record({ username, password, phone: fc.constant("1") }, { requiredKeys: [] }),
      )
      .map(([name, changes]) =>
        command((v3) => [
          "PUT",
          `/user/${name}`,
          { json: changes },
          (model) => {
            const there = model.userOf(name);
            if (!there) return [404];
            const taken = changes.username !== undefined && model.userOf(changes.username);
            if (taken && taken !== there) return [409];
            const changed = { ...there, ...changes };
            model.users.rows.set(there.id, changed);
            return [200, v3 ? changed : message(there.id)];
          },
        ]),
      ),
  ],
  [
    1,
    username.map((name) =>
      command((v3) => [
        "DELETE",
        `/user/${name}`,
        {},
        (model) => {
          const there = model.userOf(name);
          if (!there) return [404];
          model.users.delete(there.id);
          return [200, v3 ? "" : message(name)];
        },
      ]),
    ),
  ],
  [
    1,
    username.map((name) =>
      command(() => [
        "GET",
        `/user/${name}`,
        {},
        (model) => {
          const there = model.userOf(name);
          return there ? [200, there] : [404];
        },
      ]),
    ),
  ],
  [
    1,
    fc
      .record({ username, password })
      .map((user) =>
        command(() => [
          "GET",
          `/user/login?${new URLSearchParams(user).toString()}`,
          {},
          (model) => [model.userOf(user.username)?.password === user.password ? 200 : 400],
        ]),
      ),
  ],
];

const anyCommand = fc
  .tuple(fc.boolean(), fc.oneof(...COMMANDS.map(([weight, arbitrary]) => ({ weight, arbitrary }))))
  .map(([v3, make]) => make(v3));

/** Empties the shared database, so that its ids start again. */
async function emptyDatabase(): Promise<void> {
  await env.DB.batch(
    [
      "DELETE FROM pets",
      "DELETE FROM orders",
      "DELETE FROM users",
      "UPDATE id_sequences SET next = iif(resource = 'orders', 11, 1)",
    ].map((sql) => env.DB.prepare(sql)),
  );
}

/** The body as JSON, where it is JSON. */
async function bodyOf(answer: Response): Promise<unknown> {
  const text = await answer.text();
  return answer.headers.get("content-type")?.startsWith("application/json")
    ? JSON.parse(text)
    : text;
}

test.each([
  ["on D1", () => ""],
  ["in a sandbox", () => sandbox()],
])(
  "any requests to both interfaces are answered as by a pet store in memory: %s",
  async (_, prefix) => {
    await fc.assert(
      fc
        .asyncProperty(
          fc.array(anyCommand, { minLength: 1, maxLength: 40, size: "max" }),
          async (commands) => {
            const at = prefix();
            const model = new Model();
            for (const { v3, method, path, init, expected } of commands) {
              const answer = await send(method, `${at}${v3 ? "/api/v3" : "/v2"}${path}`, init);
              const [status, body] = expected(model);
              expect(answer.status).toBe(status);
              const found = await bodyOf(answer);
              if (body !== undefined) expect(found).toEqual(body);
            }
          },
        )
        .beforeEach(emptyDatabase),
      { numRuns: 40 },
    );
  },
);
