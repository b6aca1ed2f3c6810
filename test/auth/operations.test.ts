import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { collectOperations } from "../../src/http/operation.ts";
import { v2 } from "../../src/v2.ts";
import { v3 } from "../../src/v3.ts";
import {
  createPet,
  createUser,
  formOf,
  logIn,
  placeOrder,
  protectedEnv,
  sandbox,
  send,
  uniqueName,
  type Init,
  type ShownPet,
} from "../client.ts";
import { protect } from "../sandbox/sandboxes.ts";

const { API_KEY } = protectedEnv;

/** The headers of each credential, from the owner's token and another user's token. */
const CREDENTIALS: Readonly<Record<string, (own: string, other: string) => HeadersInit>> = {
  "no credential": () => ({}),
  "an invalid token": () => ({ Authorization: `Bearer ${"A".repeat(43)}` }),
  "another user's session": (_, other) => ({ Authorization: `Bearer ${other}` }),
  "the owner's session": (own) => ({ Authorization: `Bearer ${own}` }),
  "the API key": () => ({ api_key: API_KEY }),
  "a wrong API key": () => ({ api_key: "special-key" }),
  "the owner's cookie": (own) => ({ Cookie: `session=${own}` }),
  "the owner's cookie from another site": (own) => ({ Cookie: `session=${own}`, "Sec-Fetch-Site": "cross-site" }),
};

/** The expected statuses by permission, in the order of the credentials. */
const STATUSES = {
  anyone: [200, 200, 200, 200, 200, 200, 200, 200],
  creator: [401, 401, 200, 200, 200, 401, 200, 401],
  owner: [401, 401, 403, 200, 200, 401, 200, 401],
  reader: [401, 401, 403, 200, 200, 401, 200, 200],
} as const;

const png = new Blob(["\u0089PNG\r\n"], { type: "image/png" });

const pet = { name: "Max", photoUrls: [] };
const twoUsers = () => ({ json: [{ username: uniqueName() }, { username: uniqueName() }] });

type Operation = readonly [
  operation: string,
  who: keyof typeof STATUSES,
  method: string,
  path: string,
  init?: (petId: number) => Init,
];

/** The owner first creates what `:pet`, `:image`, `:order`, or `:user` refers to. */
const OF_BOTH: readonly Operation[] = [
  ["addPet", "creator", "POST", "/pet", () => ({ json: pet })],
  ["updatePet", "owner", "PUT", "/pet", (id) => ({ json: { ...pet, id } })],
  ["findPetsByStatus", "anyone", "GET", "/pet/findByStatus?status=sold"],
  ["findPetsByTags", "anyone", "GET", "/pet/findByTags?tags=dog"],
  ["getPetById", "anyone", "GET", "/pet/:pet"],
  ["deletePet", "owner", "DELETE", "/pet/:pet"],
  ["getInventory", "anyone", "GET", "/store/inventory"],
  ["placeOrder", "creator", "POST", "/store/order", () => ({ json: { petId: 1 } })],
  ["getOrderById", "reader", "GET", "/store/order/:order"],
  ["deleteOrder", "owner", "DELETE", "/store/order/:order"],
  ["createUser", "anyone", "POST", "/user", () => ({ json: { username: uniqueName() } })],
  ["createUsersWithListInput", "anyone", "POST", "/user/createWithList", twoUsers],
  ["loginUser", "anyone", "GET", "/user/login?username=:user&password=secret"],
  ["logoutUser", "anyone", "GET", "/user/logout"],
  ["getUserByName", "reader", "GET", "/user/:user"],
  ["updateUser", "owner", "PUT", "/user/:user", () => ({ json: { phone: "1" } })],
  ["deleteUser", "owner", "DELETE", "/user/:user"],
];
const sold = () => ({ body: new URLSearchParams({ status: "sold" }) });
const V2: readonly Operation[] = [
  ...OF_BOTH,
  ["updatePetWithForm", "owner", "POST", "/pet/:pet", sold],
  ["uploadFile", "owner", "POST", "/pet/:pet/uploadImage", () => ({ body: formOf({ file: png }) })],
  ["getPetImage", "anyone", "GET", "/pet/:pet/images/:image"],
  ["createUsersWithArrayInput", "anyone", "POST", "/user/createWithArray", twoUsers],
];
const V3: readonly Operation[] = [
  ...OF_BOTH,
  ["updatePetWithForm", "owner", "POST", "/pet/:pet?status=sold"],
  ["uploadFile", "owner", "POST", "/pet/:pet/uploadImage", () => ({ body: png })],
];

test.each([
  ["/v2", V2, v2],
  ["/api/v3", V3, v3],
])("the table has every operation of %s", (_, operations, { routes }) => {
  const routed = collectOperations(routes).map(({ operationId }) => operationId);
  expect(operations.map(([operation]) => operation).toSorted()).toEqual(routed.toSorted());
});

const cellsOf = (operations: readonly Operation[]) =>
  operations.flatMap(([operation, who, method, path, init]) =>
    Object.entries(CREDENTIALS).map(([credential, headersOf], column) => ({
      operation,
      method,
      path,
      init,
      credential,
      headersOf,
      status: STATUSES[who][column],
    })),
  );
type Cell = ReturnType<typeof cellsOf>[number];
type At = { readonly base: string; readonly env?: typeof protectedEnv };

/** Creates an account. @returns the user and a session's token */
async function account(at: At) {
  const user = await createUser({}, at);
  return { ...user, token: await logIn(user, at) };
}

let shared: ReturnType<typeof account> | undefined;

/** Sends a cell's request, after the owner has created the resource. */
async function ask({ method, path, init, credential, headersOf }: Cell, at: At) {
  // Operations on pets and orders do not change accounts, so they can share one.
  const owner = await (path.startsWith("/user") || !at.env ? account(at) : (shared ??= account(at)));
  const other = credential === "another user's session" ? await account(at) : owner;
  const owned = { ...at, headers: { Authorization: `Bearer ${owner.token}` } };
  const { id } = path.startsWith("/pet") ? await createPet({ photoUrls: [] }, owned) : { id: 0 };
  let to = path.replace(":pet", String(id)).replace(":user", owner.username);
  if (path.includes(":order")) {
    to = path.replace(":order", String((await placeOrder({}, owned)).id));
  }
  if (path.includes(":image")) {
    await send("POST", `${at.base}/pet/${id}/uploadImage`, { ...owned, body: formOf({ file: png }) });
    const shown = await (await send("GET", `${at.base}/pet/${id}`, owned)).json<ShownPet>();
    to = String(shown.photoUrls).slice(at.base.length);
  }
  const headers = headersOf(owner.token, other.token);
  return send(method, at.base + to, { ...init?.(id), ...at, headers });
}

// So that each test's order gets an ID from 1 to 10, because only those can be looked up.
beforeEach(async () => env.DB.exec("DELETE FROM orders"));

describe.each([
  ["/v2", cellsOf(V2), async () => ({ base: "/v2", env: protectedEnv })],
  ["/api/v3", cellsOf(V3), async () => ({ base: "/api/v3", env: protectedEnv })],
  [
    "/v2 in a sandbox",
    cellsOf(V2).filter(({ credential }) => !/wrong|cookie/.test(credential)),
    async () => ({ base: `${await protect(sandbox(), API_KEY)}/v2` }),
  ],
])("with protected access, at %s", (_, cells, where) => {
  test.each(cells)("$operation returns $status with $credential", async (cell) => {
    const response = await ask(cell, await where());
    expect(response.status).toBe(cell.status);
    const challenge = response.headers.get("www-authenticate") ?? "";
    const isInvalid = cell.credential === "an invalid token";
    expect(challenge !== "").toBe(cell.status === 401);
    expect(challenge.includes('error="invalid_token"')).toBe(isInvalid && cell.status === 401);
    if (cell.status === 401) expect(await response.text()).toMatch(/api_key.*X-API-Key/);
  });
});

describe.each([
  ["/v2", V2],
  ["/api/v3", V3],
])("with open access, at %s", (base, operations) => {
  test.each(cellsOf(operations).filter(({ credential }) => credential === "an invalid token"))(
    "$operation ignores $credential",
    async (cell) => {
      expect((await ask(cell, { base })).status).toBe(200);
    },
  );
});
