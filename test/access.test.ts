import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { BASE_PATHS } from "../src/http/base-path.ts";
import { interfaces } from "../src/routes.ts";
import type { Order } from "../src/store/order.ts";
import {
  API_KEY,
  bearer,
  clientWith,
  countOf,
  createSession,
  etagOf,
  freeOrderIds,
  logIn,
  tokenOf,
  uniqueId,
  uniqueName,
  withKey,
} from "./fixtures.ts";
import type { Bindings, Made } from "./fixtures.ts";
import { CountingLimit } from "./limiters.ts";
import { STORED, exchange, operations, prepare } from "./operations.ts";

const HOUR_MS = 3_600_000;

type Mode = "open" | "protected";

const clientIn = (mode: Mode, now?: () => number) =>
  clientWith({ ACCESS: mode, API_KEY } as Bindings, now && { now });
const open = clientIn("open");

type Account = Awaited<ReturnType<typeof createSession>>;

/** A well-formed token that does not exist. */
const UNKNOWN = "A".repeat(43);

/** What a credential proves, and its headers for the account that owns the resource and for another account. */
type Stated = readonly [
  good: "dead" | "own" | "another's" | "key",
  headers: (
    own: Account,
    other: Account,
  ) => Promise<Record<string, string>> | Record<string, string>,
];

const DEAD_COOKIE = { Cookie: `session=${UNKNOWN}` };

/** The credentials of the contract. */
const CREDENTIALS = {
  "none §6.4.6 §V8.2": ["dead", () => ({})],
  "a garbage token": ["dead", () => bearer("garbage")],
  "an unknown token §6.4.6": ["dead", () => bearer(UNKNOWN)],
  "a dead cookie": ["dead", () => DEAD_COOKIE],
  "a dead token beside the own cookie §6.2.2": [
    "dead",
    ({ token }) => ({ ...bearer(UNKNOWN), Cookie: `session=${token}` }),
  ],
  "another scheme": ["dead", () => ({ Authorization: "Basic YTpi" })],
  "an expired token §6.2.2": [
    "dead",
    async (_, { username }) => {
      // The session began two hours ago; KV still has it.
      const past = clientIn("open", () => Date.now() - 2 * HOUR_MS);
      return bearer(tokenOf(await logIn(username, "secret", past)));
    },
  ],
  "a token that was logged out §V7.4": [
    "dead",
    async (_, { headers }) => {
      await open("GET", "/user/logout", { headers });
      return headers;
    },
  ],
  "a token of a deleted user §6.2.5 §V7.4": [
    "dead",
    async (_, { username, path, headers }) => {
      await open("DELETE", path);
      // A new user of the same name is another account.
      await open("POST", "/user", { json: { username, password: "secret" } });
      return headers;
    },
  ],
  "a token from before a password change §6.2.5 §V7.4": [
    "dead",
    async (_, { path, headers }) => {
      await open("PUT", path, { json: { password: "changed" } });
      return headers;
    },
  ],
  "the own session §6.2.2": ["own", ({ token }) => ({ Cookie: `session=${token}` })],
  "another own session": [
    "own",
    async ({ username }) => bearer(tokenOf(await logIn(username, "secret", open))),
  ],
  "the own token beside a dead cookie": ["own", ({ headers }) => ({ ...headers, ...DEAD_COOKIE })],
  "the own session beside a wrong API key": [
    "own",
    ({ headers }) => ({ ...headers, api_key: "special-key" }),
  ],
  "another's session §API1": ["another's", (_, { headers }) => headers],
  "a wrong API key §6.5.1": ["dead", () => ({ api_key: "special-key" })],
  "the right API key §6.5.1": ["key", () => ({ api_key: API_KEY })],
  "the right API key beside a dead token": [
    "key",
    () => ({ ...bearer(UNKNOWN), api_key: API_KEY }),
  ],
} as const satisfies Readonly<Record<string, Stated>>;
type Credential = keyof typeof CREDENTIALS;

const pet = { name: "Rex", photoUrls: [] };

/** An order that a session placed. */
async function orderOf(token: string): Promise<Made<Order>> {
  await freeOrderIds();
  const placed = { json: {}, headers: bearer(token) };
  const answer = await clientIn("protected")("POST", "/store/order", placed);
  const shown = answer.json as Order;
  return { id: shown.id, path: `/store/order/${shown.id}`, etag: etagOf(answer), shown };
}

/** The error that the challenge of a 401 names. None if the request has no token (RFC 6750 §3.1). */
const CHALLENGES: Partial<Record<Credential, string>> = {
  "none §6.4.6 §V8.2": 'Bearer realm="pet store"',
  "another scheme": 'Bearer realm="pet store"',
  "a wrong API key §6.5.1": 'Bearer realm="pet store"',
};
const INVALID_TOKEN = 'Bearer realm="pet store", error="invalid_token"';

/** The contract's table: the status for each kind of access and credential. */
const ANSWERS = {
  anyone: { dead: 200, own: 200, "another's": 200, key: 200 },
  authenticated: { dead: 401, own: 200, "another's": 200, key: 200 },
  owner: { dead: 401, own: 200, "another's": 403, key: 200 },
} as const;

const cells = operations.flatMap(({ name, operation }) =>
  (Object.keys(CREDENTIALS) as Credential[]).map((credential) => ({
    name,
    credential,
    status: ANSWERS[operation.access][CREDENTIALS[credential][0]],
  })),
);

/** One credential of each kind. `npm test -- --mode all` tries all credentials on every operation. */
const SOME = new Set<Credential>([
  "a garbage token",
  "the own session §6.2.2",
  "another's session §API1",
  "a wrong API key §6.5.1",
]);
/** An operation of each kind of access. Credentials are read in the same way, whichever operation gets them. */
const THOROUGH = new Set(["getPetById", "addPet", "getOrderById", "getUserByName"]);
const isTried = ({ name, credential }: { name: string; credential: Credential }) =>
  env.ALL || THOROUGH.has(name) || SOME.has(credential);
const isTriedOpen = ({ name, credential }: { name: string; credential: Credential }) =>
  env.ALL || credential === "a garbage token" || (THOROUGH.has(name) && SOME.has(credential));

/** Operations that end the sessions of an account, or delete the account. */
const SPOILING = /logoutUser|updateUser|deleteUser/;

/** An account with the headers of a credential. */
async function presented(credential: Credential) {
  const own = await createSession();
  const [, headersOf]: Stated = CREDENTIALS[credential];
  return { own, headers: await headersOf(own, await createSession()) };
}

const kept = new Map<Credential, ReturnType<typeof presented>>();

/** Sends a request for a resource of the account. It succeeds for everyone who may send it. */
async function answerTo(mode: Mode, name: string, credential: Credential) {
  const made = (!SPOILING.test(name) && kept.get(credential)) || presented(credential);
  if (!SPOILING.test(name)) kept.set(credential, made);
  const { own, headers } = await made;
  const { request } = await prepare(name, {
    makers: { ...STORED, user: async () => own, order: async () => orderOf(own.token) },
  });
  return exchange(clientIn(mode), request, headers);
}

test.each(interfaces)(
  "who may call an operation of $basePath is what the contract says §6.4.2 §API5 §R5",
  ({ basePath }) => {
    const idsOf = (access: string) =>
      operations
        .filter((each) => each.basePath === basePath && each.operation.access === access)
        .map(({ id }) => id);
    expect(idsOf("owner")).toEqual([
      "getOrderById",
      "deleteOrder",
      "getUserByName",
      "updateUser",
      "deleteUser",
    ]);
    expect(idsOf("authenticated")).toEqual([
      "addPet",
      "updatePet",
      "updatePetWithForm",
      "deletePet",
      "uploadFile",
      "placeOrder",
    ]);
  },
);

describe("in protected mode", () => {
  test.each(cells.filter(isTried))(
    "$name is answered $status with $credential",
    async ({ name, credential, status }) => {
      const answer = await answerTo("protected", name, credential);
      expect(answer.status).toBe(status);
      expect(answer.headers.get("www-authenticate")).toBe(
        status === 401 ? (CHALLENGES[credential] ?? INVALID_TOKEN) : null,
      );
    },
  );
});

describe("in open mode, which ignores credentials,", () => {
  test.each(cells.filter(isTriedOpen))(
    "$name with $credential is answered 200 §6.4.1 §6.4.2",
    async ({ name, credential }) => {
      expect((await answerTo("open", name, credential)).status).toBe(200);
    },
  );
});

/** A client of a Worker where something happens between the check of the session and the operation. */
function interruptedBy(happens: () => Promise<unknown>) {
  let waits = true;
  const REQUESTS: RateLimit = {
    limit: async ({ key }) => {
      // The address is counted first, then the session.
      if (key !== "" && waits) {
        waits = false;
        await happens();
      }
      return { success: true };
    },
  };
  return clientWith({ ACCESS: "protected", REQUESTS });
}

describe("where access is protected,", () => {
  const guarded = clientIn("protected");
  let own: Awaited<ReturnType<typeof createSession>>;

  beforeAll(async () => {
    own = await createSession();
  });

  test.each(BASE_PATHS)(
    "a look-up shows the password to its user, and not to the API key: %s §6.4.5 §API3 §R2",
    async (basePath) => {
      const path = `/user/${own.username}`;
      const seen = async (headers: Record<string, string>) =>
        (await guarded("GET", path, { basePath, headers })).json;
      expect(await seen(bearer(own.token))).toMatchObject({ password: "secret" });
      expect(await seen({ Cookie: `session=${own.token}` })).toHaveProperty("password");
      for (const headers of [{}, bearer(own.token)]) {
        const both = await seen({ ...headers, api_key: API_KEY });
        expect(both).toMatchObject({ username: own.username });
        expect(both).not.toHaveProperty("password");
      }
    },
  );

  test.each([
    ["same-site", 401],
    ["cross-site", 401],
    ["other", 401],
    ["same-origin", 200],
    ["none", 200],
  ])("a cookie from a page that is %s: a write is %i §6.2.2 §V3.5", async (site, status) => {
    const session = { Cookie: `session=${own.token}`, "Sec-Fetch-Site": site };
    const write = async (headers: Record<string, string>) =>
      guarded("POST", "/pet", { json: { name: "Rex", photoUrls: [] }, headers });
    expect((await write(session)).status).toBe(status);
    expect((await write({ ...session, ...bearer(own.token) })).status).toBe(200);
    expect((await write({ ...session, api_key: API_KEY })).status).toBe(200);
    const path = `/user/${own.username}`;
    expect((await guarded("GET", path, { headers: session })).status).toBe(200);
  });

  test("a look-up of another user is 403, whether or not that user exists §6.4.4 §API1", async () => {
    const headers = bearer(own.token);
    const nobody = await guarded("GET", "/user/nobody-at-all", { headers });
    const somebody = await guarded("GET", `/user/${(await createSession()).username}`, { headers });
    expect([nobody.status, nobody.text]).toEqual([somebody.status, somebody.text]);
    expect(nobody.status).toBe(403);
  });

  test("an order belongs to the user who placed it, in every session and under a new name and password §6.4.3 §API1", async () => {
    const { username, token } = await createSession();
    const { path } = await orderOf(token);
    await guarded("GET", "/user/logout", { headers: bearer(token) });
    const second = bearer(tokenOf(await logIn(username, "secret", guarded)));
    expect((await guarded("GET", path, { headers: second })).status).toBe(200);

    const changed = { username: uniqueName("renamed"), password: "changed" };
    await guarded("PUT", `/user/${username}`, { headers: second, json: changed });
    const third = bearer(tokenOf(await logIn(changed.username, changed.password, guarded)));
    expect((await guarded("GET", path, { headers: third })).status).toBe(200);
    expect((await guarded("DELETE", path, { headers: third })).status).toBe(200);
  });

  test("deleting a user deletes the user's orders 1 to 10; the others stay, for the API key only §5.6 §API1", async () => {
    const { username, token } = await createSession();
    const headers = bearer(token);
    const { path } = await orderOf(token);
    const id = uniqueId();
    await guarded("POST", "/store/order", { json: { id }, headers });
    const { json: user } = await open("GET", `/user/${username}`);
    expect((await guarded("DELETE", `/user/${username}`, { headers })).status).toBe(200);

    // A new account with the same id, name and password is another account.
    expect((await open("POST", "/user", { json: user as object })).status).toBe(200);
    const again = bearer(tokenOf(await logIn(username, "secret", guarded)));
    expect((await guarded("GET", path, { headers: again })).status).toBe(404);
    expect((await guarded("DELETE", `/store/order/${id}`, { headers: again })).status).toBe(403);
    const key = { api_key: API_KEY };
    expect((await guarded("DELETE", `/store/order/${id}`, { headers: key })).status).toBe(200);
  });

  test.each([
    ["deleted", async (path: string) => open("DELETE", path)],
    [
      "given another password",
      async (path: string) => open("PUT", path, { json: { password: "x" } }),
    ],
  ])("an account that is %s in the meantime places no order §6.4.3", async (_, change) => {
    const { path, headers } = await createSession();
    const client = interruptedBy(async () => change(path));
    const json = { id: uniqueId() };
    const answer = await client("POST", "/store/order", { json, headers });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    const again = await client("POST", "/store/order", { json, headers });
    expect(again.status).toBe(401);
    expect((await open("DELETE", `/store/order/${json.id}`)).status).toBe(404);
  });

  test("another user's order cannot be deleted, and a condition does not reveal it §6.4.3 §API1", async () => {
    const { path } = await orderOf((await createSession()).token);
    const headers = { ...bearer(own.token), "If-Match": '"1"' };
    expect((await guarded("DELETE", path, { headers })).status).toBe(403);
    expect((await guarded("GET", path, { headers: { api_key: API_KEY } })).status).toBe(200);
  });

  test("an order that is not there is 404, and one that changed is 412", async () => {
    const { path } = await orderOf(own.token);
    const headers = bearer(own.token);
    const changed = await guarded("DELETE", path, { headers: { ...headers, "If-Match": '"1"' } });
    expect(changed.status).toBe(412);
    expect((await guarded("DELETE", path, { headers })).status).toBe(200);
    expect((await guarded("DELETE", path, { headers })).status).toBe(404);
    expect((await guarded("GET", path, { headers })).status).toBe(404);
  });

  test("a user stays logged in under a new name §6.4.4", async () => {
    const { username, token } = await createSession();
    const renamed = uniqueName("renamed");
    const headers = bearer(token);
    await guarded("PUT", `/user/${username}`, { headers, json: { username: renamed } });
    expect((await guarded("GET", `/user/${renamed}`, { headers })).status).toBe(200);
    expect((await guarded("GET", `/user/${username}`, { headers })).status).toBe(403);
  });

  test("a request without a credential stores nothing §6.4.6 §V8.2", async () => {
    const before = [await countOf("pets"), await countOf("idempotency_keys")];
    await guarded("POST", "/pet", withKey(crypto.randomUUID(), { json: pet }));
    expect([await countOf("pets"), await countOf("idempotency_keys")]).toEqual(before);
  });

  test("a request without a credential is 401 before its input is checked §6.4.6 §6.4.7 §API5", async () => {
    expect((await guarded("POST", "/pet", { body: "{", headers: {} })).status).toBe(401);
    expect((await guarded("DELETE", "/pet/x")).status).toBe(401);
  });

  test.each(["GET", "PUT", "DELETE"])(
    "a session cannot %s the account of another who took its user's name in the meantime §V2.3",
    async (method) => {
      const { username, path, headers } = await createSession();
      const client = interruptedBy(async () => {
        await open("PUT", path, { json: { username: uniqueName("renamed") } });
        await open("POST", "/user", { json: { username, password: "a stranger's" } });
      });
      const json = { password: "taken over" };
      const sent = { headers, ...(method === "PUT" && { json }) };
      expect((await client(method, path, sent)).status).toBe(404);
      expect((await open("GET", path)).json).toMatchObject({ password: "a stranger's" });
    },
  );

  test("a POST that equals another user's order does not show that order: its id is taken", async () => {
    const { path } = await orderOf((await createSession()).token);
    const json = { id: Number(path.split("/").at(-1)) };
    const answer = await guarded("POST", "/store/order", { json, headers: bearer(own.token) });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ errors: [{ path: "id" }] });
  });

  test("the requests of one session are limited, from whatever address they come §6.7.2 §API4 §V2.4", async () => {
    const REQUESTS = new CountingLimit(3);
    const limited = clientWith({ ACCESS: "protected", REQUESTS });
    const { username, token } = await createSession();
    const statuses = [];
    for (const address of ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"]) {
      const headers = { ...bearer(token), "CF-Connecting-IP": address };
      statuses.push((await limited("GET", `/user/${username}`, { headers })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect(REQUESTS.keys.join()).not.toContain(token);
  });

  test("no API key is accepted where none is configured §6.5.1 §V8.2", async () => {
    for (const key of ["", "undefined", "special-key"]) {
      const keyless = clientWith({ ACCESS: "protected" });
      const answer = await keyless("POST", "/pet", { json: pet, headers: { api_key: key } });
      expect(answer.status).toBe(401);
    }
  });
});
