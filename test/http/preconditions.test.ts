import { describe, expect, test } from "vitest";
import { routes } from "../../src/routes.ts";
import { send } from "../client.ts";
import type { Sent } from "../client.ts";
import {
  NAMING_NOTHING,
  NOT_NAMING,
  STRONGLY_NAMING,
  WEAKLY_NAMING,
  WEAKLY_NAMING_ONLY,
  clientWith,
  createPet,
  createUser,
  freeOrderIds,
  placeOrder,
  refusal,
  uniqueId,
  uniqueName,
  userPath,
} from "../fixtures.ts";
import type { Made } from "../fixtures.ts";
import { PNG, imageForm } from "../images.ts";

type HeaderValues = Record<string, string>;

/** A request about a resource, and where the resource is. */
interface Target {
  readonly path: string;
  readonly etag: string;
  readonly request: Sent & { readonly path: string };
}

interface Conditional {
  /** The operation's id. */
  readonly operation: string;
  readonly method: string;
  readonly resource: "Pet" | "Order" | "User";
  /** A request about a resource that exists. */
  readonly existing: () => Promise<Target>;
  /** The same about one that does not exist. */
  readonly missing: () => Promise<Target["request"]>;
}

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

const about = ({ path, etag }: Made<unknown>, sent: Sent = {}): Target => ({
  path,
  etag,
  request: { path, ...sent },
});

async function orderToFind() {
  await freeOrderIds();
  return placeOrder({ quantity: 1 });
}

async function missingOrder() {
  await freeOrderIds();
  return { path: "/store/order/1" };
}

/** Every operation on one resource that has an ETag. */
const CONDITIONAL: readonly Conditional[] = [
  ...["GET", "HEAD"].map((method) => ({
    operation: "getPetById",
    method,
    resource: "Pet" as const,
    existing: async () => about(await createPet()),
    missing: async () => ({ path: `/pet/${uniqueId()}` }),
  })),
  {
    operation: "updatePet",
    method: "PUT",
    resource: "Pet",
    existing: async () => {
      const pet = await createPet();
      return {
        path: pet.path,
        etag: pet.etag,
        request: { path: "/pet", json: { ...pet.shown, name: "Max" } },
      };
    },
    missing: async () => ({
      path: "/pet",
      json: { id: uniqueId(), name: "Max", photoUrls: "max.png" },
    }),
  },
  {
    operation: "updatePetWithForm",
    method: "POST",
    resource: "Pet",
    existing: async () => about(await createPet(), { body: "name=Max", headers: FORM }),
    missing: async () => ({ path: `/pet/${uniqueId()}`, body: "name=Max", headers: FORM }),
  },
  {
    operation: "deletePet",
    method: "DELETE",
    resource: "Pet",
    existing: async () => about(await createPet()),
    missing: async () => ({ path: `/pet/${uniqueId()}` }),
  },
  ...["GET", "HEAD"].map((method) => ({
    operation: "getOrderById",
    method,
    resource: "Order" as const,
    existing: async () => about(await orderToFind()),
    missing: missingOrder,
  })),
  {
    operation: "deleteOrder",
    method: "DELETE",
    resource: "Order",
    existing: async () => about(await orderToFind()),
    missing: missingOrder,
  },
  ...["GET", "HEAD"].map((method) => ({
    operation: "getUserByName",
    method,
    resource: "User" as const,
    existing: async () => about(await createUser()),
    missing: async () => ({ path: userPath(uniqueName("nobody")) }),
  })),
  {
    operation: "updateUser",
    method: "PUT",
    resource: "User",
    existing: async () => about(await createUser(), { json: { phone: "1" } }),
    missing: async () => ({ path: userPath(uniqueName("nobody")), json: { phone: "1" } }),
  },
  {
    operation: "deleteUser",
    method: "DELETE",
    resource: "User",
    existing: async () => about(await createUser()),
    missing: async () => ({ path: userPath(uniqueName("nobody")) }),
  },
];

/** The runtime keeps an empty `If-Match` or `If-None-Match` from the Worker, so the app is called without it. */
const client = clientWith({});

const sendWith = async (method: string, request: Target["request"], headers: HeaderValues) => {
  const { path, ...sent } = request;
  return client(method, path, { ...sent, headers: { ...sent.headers, ...headers } });
};

test("every operation that declares 412 for a pet, an order or a user is in the table", () => {
  const declaring = routes
    .map(({ endpoint }) => endpoint.operation)
    .filter(({ errors, binary }) => 412 in errors && !binary);
  expect(new Set(CONDITIONAL.map(({ operation }) => operation))).toEqual(
    new Set(declaring.map(({ id }) => id)),
  );
  const tagged = routes
    .filter(({ method, endpoint: { operation } }) => method !== "POST" && operation.etag)
    .map(({ endpoint }) => endpoint.operation.id);
  expect(declaring.map(({ id }) => id)).toEqual(expect.arrayContaining(tagged));
});

describe.each(CONDITIONAL)("$operation by $method", ({ method, resource, existing, missing }) => {
  const isHead = method === "HEAD";

  /** Sends the request about a resource of its own. @returns what came of it */
  const attempt = async (headersOf: (etag: string) => HeaderValues) => {
    const { path, etag, request } = await existing();
    const { status, json } = await sendWith(method, request, headersOf(etag));
    const isUnchanged = (await send("GET", path)).headers.get("etag") === etag;
    return { status, json, isUnchanged };
  };

  const done = expect.objectContaining({ status: 200 }) as unknown;
  const { json } = refusal(412, `${resource} does not meet the precondition`);
  const failed = { status: 412, json: isHead ? undefined : json, isUnchanged: true };
  const excluded =
    method === "GET" || isHead ? { status: 304, json: undefined, isUnchanged: true } : failed;

  test.each(STRONGLY_NAMING)("is done where If-Match has %s", async (_, header) => {
    expect(await attempt((etag) => ({ "If-Match": header(etag) }))).toEqual(done);
  });

  test.each([...NOT_NAMING, ...WEAKLY_NAMING_ONLY, ...NAMING_NOTHING])(
    "is 412, and changes nothing, where If-Match has %s",
    async (_, header) => {
      expect(await attempt((etag) => ({ "If-Match": header(etag) }))).toEqual(failed);
    },
  );

  test.each(WEAKLY_NAMING)(
    "is 304 for a read, 412 for a write, where If-None-Match has %s",
    async (_, header) => {
      expect(await attempt((etag) => ({ "If-None-Match": header(etag) }))).toEqual(excluded);
    },
  );

  test.each([...NOT_NAMING, ...NAMING_NOTHING])(
    "is done where If-None-Match has %s",
    async (_, header) => {
      expect(await attempt((etag) => ({ "If-None-Match": header(etag) }))).toEqual(done);
    },
  );

  test("looks at If-Match before If-None-Match", async () => {
    const answers = [
      await attempt((etag) => ({ "If-Match": '"another"', "If-None-Match": etag })),
      await attempt((etag) => ({ "If-Match": etag, "If-None-Match": etag })),
      await attempt((etag) => ({ "If-Match": etag, "If-None-Match": '"another"' })),
    ];
    expect(answers).toEqual([failed, excluded, done]);
  });

  test("is 404 where there is nothing, whatever is demanded of it", async () => {
    for (const name of ["If-Match", "If-None-Match"]) {
      for (const value of ["*", '"1"', 'W/"1"', "", ","]) {
        const answer = await sendWith(method, await missing(), { [name]: value });
        expect(answer.status).toBe(404);
      }
    }
  });

  test("ignores dates: nothing that the service shows has one", async () => {
    const before = { "If-Unmodified-Since": "Sat, 29 Oct 1994 19:43:31 GMT" };
    const after = { "If-Modified-Since": "Tue, 29 Oct 2999 19:43:31 GMT" };
    expect(await attempt(() => before)).toEqual(done);
    expect(await attempt(() => after)).toEqual(done);
  });
});

/** A header with these values, each on a line of its own. */
const twice = (name: string, ...values: string[]) => {
  const headers = new Headers();
  for (const value of values) headers.append(name, value);
  return Object.fromEntries(headers);
};

test("a header that is sent twice counts as one list", async () => {
  const { path, etag } = await createPet();
  const statusWith = async (headers: HeaderValues) => (await send("GET", path, { headers })).status;
  expect(await statusWith(twice("If-Match", '"another"', etag))).toBe(200);
  expect(await statusWith(twice("If-Match", '"another"', '"a third"'))).toBe(412);
  expect(await statusWith(twice("If-None-Match", '"another"', etag))).toBe(304);
  expect(await statusWith(twice("If-None-Match", "*", "*"))).toBe(304);
});

test("an empty If-Match is dropped by workerd, before any Worker sees it", async () => {
  const { path } = await createPet();
  const headers = { "If-Match": "" };
  expect((await client("GET", path, { headers })).status).toBe(412);
  // Where this fails the runtime has learned to pass it on, and docs/conformance.md can say so.
  expect((await send("GET", path, { headers })).status).toBe(200);
});

test("what has no ETag of its own ignores preconditions", async () => {
  const { path } = await createPet();
  const pet = { name: "Rex", photoUrls: "rex.png" };
  for (const headers of [{ "If-Match": '"another"' }, { "If-None-Match": "*" }]) {
    const requests: readonly (readonly [string, string, Sent?])[] = [
      ["POST", "/pet", { json: pet }],
      ["POST", `${path}/uploadImage`, { body: imageForm(new File([PNG], "rex.png")) }],
      ["POST", "/store/order", { json: {} }],
      ["POST", "/user", { json: {} }],
      ["POST", "/user/createWithArray", { json: [] }],
      ["POST", "/user/createWithList", { json: [] }],
      ["GET", "/pet/findByStatus?status=sold"],
      ["GET", "/pet/findByTags?tags=none"],
      ["GET", "/store/inventory"],
      ["GET", "/user/logout"],
    ];
    for (const [method, to, sent] of requests) {
      expect((await send(method, to, { ...sent, headers })).status).toBe(200);
    }
  }
});
