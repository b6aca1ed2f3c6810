import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sandbox, send } from "./client.ts";

const STATUSES = ["available", "pending", "sold"];
const TAGS = ["dog", "Dog", "good boy", "🐶", "1"];

interface Row {
  readonly id: number;
}
interface Pet extends Row {
  readonly name: string;
  readonly photoUrls: string | readonly string[];
  readonly tags?: readonly { readonly name?: string }[];
  readonly status?: string;
}
interface User extends Row {
  readonly username: string;
  readonly password: string;
}

interface Request {
  readonly v3: boolean;
  readonly method: string;
  readonly path: string;
  readonly json?: object;
  /** The fields of a form, or in Petstore 3 of a query. */
  readonly form?: { readonly status: string };
  readonly key?: string;
}

/** The status, and the body of a success if it is not random. */
type Outcome = readonly [status: number, body?: unknown];

/** Serializes an object with its properties in a fixed order. */
const textOf = (value: object) => JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** The rows of one resource, and their generated IDs. */
class Rows<Kept extends Row> {
  readonly byId = new Map<number, Kept>();
  readonly #keys = new Map<string, { readonly sent: string; readonly id: number }>();
  readonly #first: number;
  #next: number;

  /** @param first the first ID of the sequence; lower IDs are assigned whenever they are unused */
  constructor(first: number) {
    this.#first = first;
    this.#next = first;
  }

  add(content: object, id = this.#freeId()): Kept {
    const row = { ...content, id } as Kept;
    this.byId.set(id, row);
    if (id === this.#next) while (this.byId.has(this.#next)) this.#next += 1;
    return row;
  }

  #freeId(): number {
    for (let id = 1; id < this.#first; id++) if (!this.byId.has(id)) return id;
    return this.#next;
  }

  /** Creates a row. @returns the row, or the status of an error */
  create(json: object & { readonly id?: number }, taken: number, key?: string): Kept | number {
    const before = key === undefined ? undefined : this.#keys.get(key);
    const made = before && this.byId.get(before.id);
    if (before && made) return before.sent === textOf(json) ? made : 422;
    const there = json.id === undefined ? undefined : this.byId.get(json.id);
    if (there) return textOf(there) === textOf(json) ? there : taken;
    const row = this.add(json, json.id);
    if (key !== undefined) this.#keys.set(key, { sent: textOf(json), id: row.id });
    return row;
  }

  delete(id: number): boolean {
    for (const [key, made] of this.#keys) if (made.id === id) this.#keys.delete(key);
    return this.byId.delete(id);
  }
}

/** A pet store in memory. */
class Model {
  readonly #pets = new Rows<Pet>(1);
  readonly #orders = new Rows<Row>(11);
  readonly #users = new Rows<User>(1);

  response({ v3, method, path, json = {}, form, key }: Request): Outcome {
    const { pathname, searchParams } = new URL(path, "http://model");
    const [, subject = "", ...names] = pathname.split("/");
    const name = names.at(-1) ?? "";
    const message = (text: string) => [200, v3 ? "" : { code: 200, type: "unknown", message: text }] as const;
    const shown = (row: object | number | undefined): Outcome => {
      if (typeof row === "number") return [row];
      if (!row) return [404];
      // Petstore 3 returns only arrays.
      const { photoUrls } = row as Pet;
      return [200, v3 && typeof photoUrls === "string" ? { ...row, photoUrls: photoUrls.split(",") } : row];
    };
    const list = (holds: (pet: Pet) => boolean): Outcome => {
      const found = [...this.#pets.byId.values()].filter(holds);
      return [200, found.toSorted((a, b) => a.id - b.id).map((pet) => shown(pet)[1])];
    };

    switch (`${method} ${subject}`) {
      case "POST pet": {
        if (!form) return shown(this.#pets.create(json, v3 ? 409 : 405, key));
        const there = this.#pets.byId.get(Number(name));
        if (!there) return [404];
        const changed = this.#pets.add({ ...there, ...form }, there.id);
        return v3 ? shown(changed) : message(name);
      }
      case "PUT pet": {
        const { id } = json as Pet;
        return this.#pets.byId.has(id) ? shown(this.#pets.add(json, id)) : [404];
      }
      case "DELETE pet": {
        if (!this.#pets.delete(Number(name))) return [404];
        return v3 ? [200, "Pet deleted"] : message(name);
      }
      case "GET pet": {
        const asked = searchParams.getAll(name === "findByTags" ? "tags" : "status");
        if (name === "findByStatus") return list(({ status }) => asked.includes(status ?? ""));
        if (name !== "findByTags") return shown(this.#pets.byId.get(Number(name)));
        return list(({ tags = [] }) => tags.some((tag) => asked.includes(tag.name ?? "")));
      }
      case "POST store":
        return shown(this.#orders.create(json, v3 ? 409 : 400, key));
      case "DELETE store":
        return this.#orders.delete(Number(name)) ? message(name) : [404];
      case "GET store": {
        if (name !== "inventory") {
          return !v3 && Number(name) > 10 ? [400] : shown(this.#orders.byId.get(Number(name)));
        }
        const pets = [...this.#pets.byId.values()];
        const counts = STATUSES.map((each) => [each, pets.filter(({ status }) => status === each).length]);
        return [200, Object.fromEntries(counts)];
      }
    }

    const userOf = (username: unknown) => [...this.#users.byId.values()].find((user) => user.username === username);
    const sent = json as Partial<User>;
    if (method === "POST") {
      const there = userOf(sent.username);
      if (there && textOf(there) !== textOf({ ...sent, id: there.id })) return [409];
      const user = there ?? this.#users.add(sent);
      return v3 ? [200, user] : message(String(user.id));
    }
    if (name === "login") {
      const user = userOf(searchParams.get("username"));
      return [user?.password === searchParams.get("password") ? 200 : 400];
    }
    const there = userOf(name);
    if (!there) return [404];
    if (method === "GET") return [200, there];
    if (method === "DELETE") {
      this.#users.delete(there.id);
      return message(name);
    }
    if (sent.username !== undefined && (userOf(sent.username) ?? there) !== there) return [409];
    const changed = this.#users.add({ ...there, ...sent }, there.id);
    return v3 ? [200, changed] : message(String(there.id));
  }
}

// Few values, so that requests often address the same resource.
const petId = fc.constantFrom(1, 2, 3, 4, 5, 6, Number.MAX_SAFE_INTEGER);
const orderId = fc.constantFrom(1, 2, 3, 11);
const username = fc.constantFrom("ann", "bob");
const user = fc.record({ username, password: fc.constantFrom("secret", "another") });
const changes = fc.record(
  { username, password: fc.constantFrom("secret", "another"), phone: fc.constant("1") },
  { requiredKeys: [] },
);
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const key = maybe(fc.constantFrom("one", "two"));
const pet = (id: fc.Arbitrary<number>, needed: readonly "id"[]) =>
  fc.record(
    {
      id,
      name: fc.constantFrom("Rex", "Max"),
      photoUrls: fc.constantFrom([], ["a.png"], ["a.png", "b.png"]),
      category: fc.constant({ id: 1, name: "Dogs" }),
      tags: fc.array(fc.record({ id: fc.nat(3), name: fc.constantFrom(...TAGS) }, { requiredKeys: [] }), {
        maxLength: 4,
      }),
      status: fc.constantFrom(...STATUSES),
    },
    { requiredKeys: ["name", "photoUrls", ...needed] },
  );
const some = (values: readonly string[], name: string) =>
  fc
    .subarray([...values], { minLength: 1 })
    .map((asked) => new URLSearchParams(asked.map((value) => [name, value])).toString());

const request = (
  weight: number,
  method: string,
  path: string | fc.Arbitrary<string>,
  more: Partial<Record<"json" | "form" | "key", fc.Arbitrary<unknown>>> = {},
) => ({
  weight,
  arbitrary: fc.record({
    v3: fc.boolean(),
    method: fc.constant(method),
    path: typeof path === "string" ? fc.constant(path) : path,
    ...more,
  }) as fc.Arbitrary<Request>,
});

const below = (path: string, of: fc.Arbitrary<string | number>) => of.map((value) => `${path}${value}`);
const [aPet, anOrder, aUser] = [below("/pet/", petId), below("/store/order/", orderId), below("/user/", username)];
const login = user.map((each) => new URLSearchParams(each).toString());

const requests = fc.oneof(
  request(6, "POST", "/pet", { json: pet(petId, []), key }),
  request(4, "PUT", "/pet", { json: pet(petId, ["id"]) }),
  // No new pet has this name, so the two forms of `photoUrls` are never compared.
  {
    weight: 1,
    arbitrary: petId.map((id): Request => {
      const json = { id, name: "Ida", photoUrls: "a.png,b.png" };
      return { v3: false, method: "PUT", path: "/pet", json };
    }),
  },
  request(2, "POST", aPet, { form: fc.record({ status: fc.constantFrom(...STATUSES) }) }),
  request(3, "DELETE", aPet),
  request(2, "GET", aPet),
  request(2, "GET", below("/pet/findByStatus?", some(STATUSES, "status"))),
  request(2, "GET", below("/pet/findByTags?", some(TAGS, "tags"))),
  request(2, "GET", "/store/inventory"),
  request(3, "POST", "/store/order", {
    json: fc.record({ id: orderId, quantity: fc.nat(2) }, { requiredKeys: ["quantity"] }),
    key,
  }),
  request(1, "DELETE", anOrder),
  request(1, "GET", anOrder),
  request(2, "POST", "/user", { json: user }),
  request(2, "PUT", aUser, { json: changes }),
  request(1, "DELETE", aUser),
  request(1, "GET", aUser),
  request(1, "GET", below("/user/login?", login)),
);

/** Sends a request. @returns the status and the body, parsed if it is JSON */
async function exchange(at: string, { v3, method, path, json, form, key: sent }: Request) {
  const query = new URLSearchParams(form);
  const response = await send(
    method,
    at + (v3 ? "/api/v3" : "/v2") + path + (v3 && form ? `?${query.toString()}` : ""),
    {
      json,
      ...(form && !v3 && { body: query }),
      ...(sent !== undefined && { headers: { "Idempotency-Key": sent } }),
    },
  );
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  return [response.status, isJson ? await response.json() : await response.text()] as const;
}

/** Clears the shared database and resets its generated IDs. */
const emptyDatabase = async () =>
  env.DB.batch(
    [
      "DELETE FROM pets",
      "DELETE FROM orders",
      "DELETE FROM users",
      "UPDATE id_sequences SET next = iif(resource = 'orders', 11, 1)",
    ].map((sql) => env.DB.prepare(sql)),
  );

test.each([
  ["on D1", () => ""],
  ["in a sandbox", sandbox],
])("both APIs respond to random requests like an in-memory pet store: %s", async (_, where) => {
  await fc.assert(
    fc.asyncProperty(fc.array(requests, { maxLength: 40, size: "max" }), async (history) => {
      await emptyDatabase();
      const [at, model] = [where(), new Model()];
      for (const each of history) {
        const [status, body] = model.response(each);
        const [foundStatus, found] = await exchange(at, each);
        expect(foundStatus).toBe(status);
        if (body !== undefined) expect(found).toEqual(body);
      }
    }),
    { numRuns: 25 },
  );
});
