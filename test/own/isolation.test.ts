import { env, exports } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { send as sendShared } from "../client.ts";
import type { Answer, Send } from "../client.ts";
import { drawn, timeFor, tries } from "../drawn.ts";
import { clientWith, logIn, tokenOf } from "../fixtures.ts";
import { PNG, imageForm } from "../images.ts";
import { newStore, sendOutside } from "./store.ts";

// Few of each, so that the stores meet the same ones often.
const id = fc.integer({ min: 1, max: 3 });
const name = fc.constantFrom("Rex", "Max");
const username = fc.constantFrom("ann", "bob");
const key = fc.constantFrom("one", "two");
const status = fc.constantFrom("available", "sold");

const step = fc.oneof(
  fc.record({ kind: fc.constant("add pet" as const), key, name, status }),
  fc.record({ kind: fc.constant("choose pet" as const), id, name, status }),
  fc.record({ kind: fc.constant("delete pet" as const), id }),
  fc.record({ kind: fc.constant("upload" as const), id }),
  fc.record({ kind: fc.constant("order" as const), id, quantity: fc.nat(2) }),
  fc.record({ kind: fc.constant("delete order" as const), id }),
  fc.record({ kind: fc.constant("sign up" as const), username, password: name }),
  fc.record({ kind: fc.constant("delete user" as const), username }),
  fc.record({ kind: fc.constant("log in" as const), username, password: name }),
);
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

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
  /** What was done under a key: the request, and the pet that it made. */
  readonly keys = new Map<string, readonly [string, number]>();

  /** @returns the status of the answer */
  take(each: Step, answer: Answer): number {
    const { pets, orders, users, keys } = this;
    switch (each.kind) {
      case "add pet": {
        const request = `${each.name} ${each.status}`;
        const done = keys.get(each.key);
        if (done) return done[0] === request ? 200 : 422;
        const made = answer.json as { id: number };
        // No status is right for an id that a pet has already.
        if (pets.has(made.id)) return NaN;
        keys.set(each.key, [request, made.id]);
        pets.set(made.id, { id: made.id, name: each.name, status: each.status, images: 0 });
        return 200;
      }
      case "choose pet": {
        const there = pets.get(each.id);
        const isSame = there?.name === each.name && there.status === each.status && !there.images;
        if (there) return isSame ? 200 : 405;
        pets.set(each.id, { id: each.id, name: each.name, status: each.status, images: 0 });
        return 200;
      }
      case "delete pet":
        return pets.delete(each.id) ? 200 : 404;
      case "upload": {
        const there = pets.get(each.id);
        if (there) there.images += 1;
        return there ? 200 : 404;
      }
      case "order": {
        const there = orders.get(each.id);
        if (there !== undefined) return there === each.quantity ? 200 : 400;
        orders.set(each.id, each.quantity);
        return 200;
      }
      case "delete order":
        return orders.delete(each.id) ? 200 : 404;
      case "sign up": {
        const there = users.get(each.username);
        if (there !== undefined) return there === each.password ? 200 : 409;
        users.set(each.username, each.password);
        return 200;
      }
      case "delete user":
        return users.delete(each.username) ? 200 : 404;
      case "log in":
        return users.get(each.username) === each.password ? 200 : 400;
    }
  }

  shown(): unknown {
    const count = (of: string) => [...this.pets.values()].filter((pet) => pet.status === of).length;
    return {
      inventory: { available: count("available"), pending: 0, sold: count("sold") },
      pets: [...this.pets.values()]
        .toSorted((one, other) => one.id - other.id)
        .map(({ images, ...pet }) => ({ ...pet, images })),
      orders: [1, 2, 3].map((each) => this.orders.get(each) ?? null),
      users: ["ann", "bob"].map((each) => this.users.get(each) ?? null),
    };
  }
}

async function request(send: Send, each: Step): Promise<Answer> {
  switch (each.kind) {
    case "add pet":
      return send("POST", "/pet", {
        json: { name: each.name, photoUrls: [], status: each.status },
        headers: { "Idempotency-Key": each.key },
      });
    case "choose pet":
      return send("POST", "/pet", {
        json: { id: each.id, name: each.name, photoUrls: [], status: each.status },
      });
    case "delete pet":
      return send("DELETE", `/pet/${each.id}`);
    case "upload":
      return send("POST", `/pet/${each.id}/uploadImage`, {
        body: imageForm(new File([PNG], "same.png")),
      });
    case "order":
      return send("POST", "/store/order", { json: { id: each.id, quantity: each.quantity } });
    case "delete order":
      return send("DELETE", `/store/order/${each.id}`);
    case "sign up":
      return send("POST", "/user", { json: { username: each.username, password: each.password } });
    case "delete user":
      return send("DELETE", `/user/${each.username}`);
    case "log in":
      return logIn(each.username, each.password, send);
  }
}

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
    orders: await Promise.all(
      [1, 2, 3].map(async (each) => orNull(`/store/order/${each}`, "quantity")),
    ),
    users: await Promise.all(
      ["ann", "bob"].map(async (each) => orNull(`/user/${each}`, "password")),
    ),
  };
}

const RUNS = tries(40);
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
            const answer = await request(send, each);
            expect(answer.status, JSON.stringify(each)).toBe(model.take(each, answer));
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

describe("from one store", () => {
  /** A store with a pet, a user, an image and a session, and another that knows nothing but their names. */
  async function victimAndThief() {
    const victim = newStore();
    const json = {
      pets: [{ id: 1, name: "Secret", photoUrls: [], tags: ["secret"], status: "sold" }],
      users: [{ id: 1, username: "ann", password: "secret" }],
    };
    await victim.manage("PUT", "/data", { json });
    await victim.send("POST", "/pet/1/uploadImage", { body: imageForm(new File([PNG], "a.png")) });
    const login = await logIn("ann", "secret", victim.send);
    const { photoUrls } = (await victim.send("GET", "/pet/1")).json as { photoUrls: string[] };
    const thief = newStore();
    await thief.send("GET", "/store/inventory");
    return {
      victim,
      thief,
      login,
      token: tokenOf(login),
      image: photoUrls[0] ?? "",
      whole: (await victim.manage("GET", "/data")).json,
    };
  }

  /** Ways to write the path of a store that might be taken for another path. */
  const TRICKS: readonly (readonly [string, (thief: string, victim: string) => string])[] = [
    ["dots", (thief, victim) => `/stores/${thief}/../${victim}/v2`],
    ["dots below /v2", (thief, victim) => `/stores/${thief}/v2/../../${victim}/v2`],
    ["escaped dots", (thief, victim) => `/stores/${thief}/%2e%2e/${victim}/v2`],
    ["an escaped slash", (thief, victim) => `/stores/${thief}%2F..%2F${victim}/v2`],
    [
      "an escaped slash before the victim",
      (thief, victim) => `/stores/${thief}/v2/..%2F..%2F${victim}%2Fv2`,
    ],
    [
      "a slash that is escaped twice",
      (thief, victim) => `/stores/${thief}%252F..%252F${victim}/v2`,
    ],
    ["a backslash", (thief, victim) => `/stores/${thief}/v2\\..\\..\\${victim}/v2`],
    ["two slashes", (thief, victim) => `/stores/${thief}//${victim}/v2`],
    ["two slashes at the front", (_, victim) => `//stores/${victim}/v2`],
    ["a semicolon", (thief, victim) => `/stores/${thief};/stores/${victim}/v2`],
    ["a parameter", (thief, victim) => `/stores/${thief};${victim}/v2`],
    ["the victim within /v2", (thief, victim) => `/stores/${thief}/v2/stores/${victim}/v2`],
    [
      "the victim as a query",
      (thief, victim) => `/stores/${thief}/v2/pet/1?x=/stores/${victim}/v2`,
    ],
    ["the victim as a fragment", (thief, victim) => `/stores/${thief}/v2#/stores/${victim}/v2`],
    ["a trailing dot", (_, victim) => `/stores/${victim}./v2`],
    ["a trailing space", (_, victim) => `/stores/${victim}%20/v2`],
    ["a NUL", (_, victim) => `/stores/${victim}%00/v2`],
    ["upper case", (_, victim) => `/stores/${victim.toUpperCase()}/v2`],
    ["STORES", (_, victim) => `/STORES/${victim}/v2`],
    ["wide digits", (_, victim) => `/stores/${victim.replace(/\d/, "１")}/v2`],
    ["a wide hyphen", (_, victim) => `/stores/${victim.replace("-", "－")}/v2`],
    ["a soft hyphen", (_, victim) => `/stores/${victim}\u00AD/v2`],
    [
      "an escaped letter",
      (_, victim) => `/stores/%${victim.charCodeAt(0).toString(16)}${victim.slice(1)}/v2`,
    ],
    ["half of the name", (_, victim) => `/stores/${victim.slice(0, 18)}/v2`],
    ["a pattern of SQL", (_, victim) => `/stores/${victim.slice(0, -1)}_/v2`],
    ["a pattern of Hono", () => "/stores/:store{[\\w-]{16,64}}/v2"],
    ["/v2 in other case", (thief, victim) => `/stores/${thief}/V2/../../${victim}/V2`],
    ["what is no /v2", (_, victim) => `/stores/${victim}/v2x`],
  ];

  /** Where a path leads by the rules of URLs alone: the one store whose name it then states. */
  const leadsTo = (path: string, victim: string) =>
    new URL(path, "http://petstore.test").pathname.startsWith(`/stores/${victim}/v2/`);

  test.each(TRICKS)(
    "no path reaches another that does not state its name: %s",
    async (_, trick) => {
      const { victim, thief, whole } = await victimAndThief();
      const base = trick(thief.name, victim.name);
      for (const [method, path] of [
        ["GET", "/pet/1"],
        ["GET", "/user/ann"],
        ["GET", "/pet/findByTags?tags=secret"],
        ["DELETE", "/pet/1"],
        ["DELETE", "/user/ann"],
      ] as const) {
        if (leadsTo(`http://petstore.test${base}${path}`, victim.name)) continue;
        const response = await exports.default.fetch(
          new Request(`http://petstore.test${base}${path}`, { method, redirect: "manual" }),
        );
        expect(await response.text()).not.toMatch(/secret/i);
      }
      expect((await victim.manage("GET", "/data")).json).toEqual(whole);
    },
  );

  test("dots lead where a client resolves them, and nowhere else", async () => {
    const { victim, thief } = await victimAndThief();
    const answer = await sendOutside()("GET", `/stores/${thief.name}/../${victim.name}/v2/pet/1`);
    expect(answer.json).toMatchObject({ name: "Secret" });
  });

  test("no image of another is shown by its own URL's name", async () => {
    const { victim, thief, image } = await victimAndThief();
    const path = image.replace(`/stores/${victim.name}/v2`, "");
    expect((await victim.send("GET", path)).status).toBe(200);
    await thief.send("POST", "/pet", { json: { id: 1, name: "Rex", photoUrls: [image] } });
    expect((await thief.send("GET", path)).status).toBe(404);
    expect((await sendShared("GET", path)).status).toBe(404);
    // Deleting a pet that names the image of another deletes no image.
    expect((await thief.send("DELETE", "/pet/1")).status).toBe(200);
    expect((await victim.send("GET", path)).status).toBe(200);
    for (const name of ["..", "../../x", `${victim.prefix}1/x.png`, encodeURIComponent(image)]) {
      const { status } = await thief.send("GET", `/pet/1/images/${encodeURIComponent(name)}`);
      expect(status).toBe(404);
    }
  });

  test("no session opens another, nor the shared one, nor is it ended there", async () => {
    const { victim, thief, token } = await victimAndThief();
    await thief.manage("PUT", "/data", {
      json: { users: [{ id: 1, username: "ann", password: "other" }] },
    });
    const headers = { Authorization: `Bearer ${token}`, Cookie: `session=${token}` };
    const local = (store: string) =>
      clientWith({ ACCESS: "protected", LOCAL_STORE: store } as object, { base: "/v2" });
    expect((await local(victim.name)("GET", "/user/ann", { headers })).status).toBe(200);
    expect((await local(thief.name)("GET", "/user/ann", { headers })).status).toBe(401);
    const shared = clientWith({ ACCESS: "protected" });
    expect((await shared("GET", "/user/ann", { headers })).status).toBe(401);

    await thief.send("GET", "/user/logout", { headers });
    await sendShared("GET", "/user/logout", { headers });
    expect((await local(victim.name)("GET", "/user/ann", { headers })).status).toBe(200);
    await victim.send("GET", "/user/logout", { headers });
    expect((await local(victim.name)("GET", "/user/ann", { headers })).status).toBe(401);
  });

  test("its cookie is sent to no other", async () => {
    const { victim, login } = await victimAndThief();
    expect(login.headers.get("set-cookie")).toContain(`; Path=/stores/${victim.name}/v2;`);
    const out = await victim.send("GET", "/user/logout");
    expect(out.headers.get("set-cookie")).toContain(`; Path=/stores/${victim.name}/v2;`);
  });

  test("its links lead to itself, whatever it is asked", async () => {
    const { send, name: of } = newStore();
    const base = `/stores/${of}/v2`;
    const pet = { name: "Rex", photoUrls: [], status: "sold" };
    for (let made = 0; made < 2; made++) {
      const { headers, json } = await send("POST", "/pet", { json: pet });
      expect(headers.get("content-location")).toBe(`${base}/pet/${(json as { id: number }).id}`);
    }
    const page = await send("GET", "/pet/findByStatus?status=sold&limit=1");
    expect(page.headers.get("link")).toBe(
      `<${base}/pet/findByStatus?status=sold&limit=1&after=1>; rel="next"`,
    );
    const upload = { body: imageForm(new File([PNG], "rex.png")) };
    await send("POST", "/pet/1/uploadImage", upload);
    const { photoUrls } = (await send("GET", "/pet/1")).json as { photoUrls: string[] };
    expect(photoUrls[0]).toContain(`${base}/pet/1/images/`);
    const whole = await sendOutside()("GET", photoUrls[0] ?? "");
    expect(whole.status).toBe(200);
  });

  test("no answer lets a browser send its name on", async () => {
    const { headers } = await newStore().send("GET", "/store/inventory");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });
});
