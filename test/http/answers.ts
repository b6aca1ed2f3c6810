// Every way to get another answer than an operation's plain success.
import { isSandbox } from "../engine.ts";
import type { Sent } from "../client.ts";
import {
  PROTECTED,
  clientWith,
  createSession,
  createPet,
  createUser,
  placeOrder,
  uniqueId,
  uniqueName,
  userPath,
} from "../fixtures.ts";
import type { Bindings } from "../fixtures.ts";
import { STORED } from "../operations.ts";
import type { Exchange } from "../operations.ts";
import { Calls, databaseThrough, defectiveStore } from "../bindings.ts";
import { storePets } from "../pet/lists.ts";

type Request = readonly [path: string, sent?: Sent];

/** A way to be answered. */
export interface Way {
  /** The operation, as interface §8.2 has it. */
  readonly operation: string;
  readonly status: number;
  /** The message, if it is an error. */
  readonly what: string;
  /** Paths of the fields that are at fault. */
  readonly at: readonly string[];
  /** How the Worker differs from the configured one. */
  readonly worker: Bindings;
  readonly request: () => Promise<Exchange>;
}

const way = (
  operation: string,
  status: number,
  what: string,
  at: readonly string[],
  request: () => Request | Promise<Request>,
  worker: Bindings = {},
): Way => ({
  operation,
  status,
  what,
  at,
  worker,
  request: async () => {
    const [path, sent] = await request();
    return { method: operation.split(" ")[0] ?? "", path, ...sent };
  },
});

const pet = { name: "Rex", photoUrls: "rex.png" };
const nobody = () => userPath(uniqueName("nobody"));

/** interface §8.2, row by row. */
export const SPEC_ERRORS: readonly Way[] = [
  way("POST /pet", 405, "Invalid input", ["name"], () => ["/pet", { json: { ...pet, name: "" } }]),
  way("PUT /pet", 400, "Invalid ID supplied", ["id"], () => ["/pet", { json: pet }]),
  way("PUT /pet", 404, "Pet not found", [], () => ["/pet", { json: { id: uniqueId(), ...pet } }]),
  way("PUT /pet", 405, "Validation exception", ["photoUrls"], async () => {
    const { id } = await createPet();
    return ["/pet", { json: { id, name: "Rex" } }];
  }),
  way("GET /pet/findByStatus", 400, "Invalid status value", ["status"], () => [
    "/pet/findByStatus?status=lost",
  ]),
  way("GET /pet/findByTags", 400, "Invalid tag value", ["tags"], () => ["/pet/findByTags?tags="]),
  way("GET /pet/{petId}", 400, "Invalid ID supplied", ["petId"], () => ["/pet/seven"]),
  way("GET /pet/{petId}", 404, "Pet not found", [], () => [`/pet/${uniqueId()}`]),
  way("DELETE /pet/{petId}", 400, "Invalid ID supplied", ["petId"], () => ["/pet/seven"]),
  way("DELETE /pet/{petId}", 404, "Pet not found", [], () => [`/pet/${uniqueId()}`]),
  way("POST /store/order", 400, "Invalid order", ["quantity"], () => [
    "/store/order",
    { json: { quantity: -1 } },
  ]),
  way("GET /store/order/{orderId}", 400, "Invalid ID supplied", ["orderId"], () => [
    "/store/order/11",
  ]),
  way("GET /store/order/{orderId}", 404, "Order not found", [], () => ["/store/order/10"]),
  way("DELETE /store/order/{orderId}", 400, "Invalid ID supplied", ["orderId"], () => [
    "/store/order/seven",
  ]),
  way("DELETE /store/order/{orderId}", 404, "Order not found", [], () => ["/store/order/10"]),
  way("GET /user/login", 400, "Invalid username/password supplied", [], async () => {
    const { shown } = await createUser({ password: "right" });
    return [`/user/login?username=${shown.username}&password=wrong`];
  }),
  way("GET /user/{username}", 400, "Invalid username supplied", ["username"], () => ["/user/%20"]),
  way("GET /user/{username}", 404, "User not found", [], () => [nobody()]),
  way("PUT /user/{username}", 400, "Invalid user supplied", ["userStatus"], async () => {
    const { path } = await createUser();
    return [path, { json: { phone: "2", userStatus: "active" } }];
  }),
  way("PUT /user/{username}", 404, "User not found", [], () => [
    nobody(),
    { json: { firstName: "Nobody" } },
  ]),
  way("DELETE /user/{username}", 400, "Invalid username supplied", ["username"], () => [
    "/user/%20",
  ]),
  way("DELETE /user/{username}", 404, "User not found", [], () => [nobody()]),
];

const TOO_MANY: Bindings = { REQUESTS: { limit: async () => ({ success: false }) } };
const STALE = { headers: { "If-Match": '"1"' } };

/** The other errors: those of any operation, and those that the specification does not have. */
const OTHER_ERRORS: readonly Way[] = [
  way("GET /nowhere", 404, "Not found", [], () => ["/nowhere"]),
  way("PATCH /pet", 405, "Method not allowed", [], () => ["/pet"]),
  way("PATCH /user/{username}", 405, "Method not allowed", [], () => [nobody()]),
  way("POST /pet", 405, "Invalid input", ["id"], async () => {
    const { shown } = await createPet();
    return ["/pet", { json: { ...shown, name: "Max", status: "sold", tags: ["other"] } }];
  }),
  way("POST /pet", 413, "Content too large", [], () => ["/pet", { body: new Uint8Array(300_000) }]),
  way("POST /pet", 415, "Unsupported media type", ["Content-Type"], () => ["/pet", { body: "{}" }]),
  way("POST /pet", 422, "Idempotency-Key was used for another request", [], async () => {
    const headers = { "Idempotency-Key": uniqueName("key") };
    await clientWith()("POST", "/pet", { json: pet, headers });
    return ["/pet", { json: { ...pet, name: "Max" }, headers }];
  }),
  way("PUT /pet", 412, "Pet does not meet the precondition", [], async () => {
    const { shown } = await createPet();
    return ["/pet", { json: { ...shown, name: "Max" }, ...STALE }];
  }),
  way("DELETE /pet/{petId}", 401, "Authentication required", [], () => ["/pet/1"], PROTECTED),
  way("GET /pet/{petId}/images/{name}", 404, "Image not found", [], () => [
    "/pet/1/images/none.png",
  ]),
  way("GET /pet/{petId}/images/{name}", 416, "Range not satisfiable", [], async () => [
    (await STORED.image()).path,
    { headers: { Range: "bytes=9999-" } },
  ]),
  way("POST /store/order", 400, "Invalid order", ["id"], async () => {
    const { shown } = await placeOrder({ id: uniqueId() });
    return ["/store/order", { json: { ...shown, quantity: 5 } }];
  }),
  way("POST /user", 409, "Duplicate user", ["username"], async () => {
    const { username } = (await createUser()).shown;
    return ["/user", { json: { username, phone: "2" } }];
  }),
  way("POST /user", 409, "Duplicate user", ["id"], async () => {
    const { id } = await createUser();
    return ["/user", { json: { id, username: uniqueName("eve") } }];
  }),
  way("GET /user/{username}", 400, "Invalid username supplied", ["path"], () => ["/user/%FF"]),
  way(
    "GET /user/{username}",
    403,
    "Forbidden",
    [],
    async () => {
      const { headers } = await createSession();
      return [nobody(), { headers }];
    },
    PROTECTED,
  ),
  way("PUT /user/{username}", 412, "User does not meet the precondition", [], async () => [
    (await createUser()).path,
    { json: { phone: "2" }, ...STALE },
  ]),
  way("GET /pet/{petId}", 429, "Too many requests", [], () => ["/pet/1"], TOO_MANY),
  // A sandbox has its own database, which no binding replaces.
  ...(isSandbox
    ? []
    : [
        way(
          "GET /store/inventory",
          500,
          "Internal error",
          [],
          () => ["/store/inventory"],
          defectiveStore,
        ),
      ]),
  way(
    "GET /pet/{petId}",
    503,
    "Service unavailable",
    [],
    () => ["/pet/1"],
    databaseThrough(new Calls(() => ({ when: "before", message: "D1_ERROR" }))),
  ),
  way(
    "GET /user/login",
    503,
    "Service unavailable",
    [],
    () => ["/user/login?username=a&password=b"],
    { PASSWORD_KEY: undefined },
  ),
];

export const ERRORS: readonly Way[] = [...SPEC_ERRORS, ...OTHER_ERRORS];

const unchanged = (etag: string): Sent => ({ headers: { "If-None-Match": etag } });

/** Other answers that are not errors. */
export const OTHERS: readonly Way[] = [
  way("HEAD /pet/{petId}", 200, "an answer of HEAD", [], async () => [(await createPet()).path]),
  way("HEAD /user/{username}", 200, "an answer of HEAD", [], async () => [
    (await createUser()).path,
  ]),
  way("GET /pet/findByTags", 200, "a streamed list", [], async () => {
    const tag = uniqueName("long");
    await storePets(150, { tags: `json_array('${tag}')` });
    return [`/pet/findByTags?tags=${tag}`];
  }),
  way("OPTIONS /pet", 204, "OPTIONS", [], () => ["/pet"]),
  way("OPTIONS /user", 204, "a preflight", [], () => [
    "/user",
    { headers: { "Access-Control-Request-Method": "POST" } },
  ]),
  way("GET /pet/{petId}/images/{name}", 206, "a range of an image", [], async () => [
    (await STORED.image()).path,
    { headers: { Range: "bytes=0-3" } },
  ]),
  way("GET /pet/{petId}/images/{name}", 304, "an unchanged image", [], async () => [
    (await STORED.image()).path,
    unchanged("*"),
  ]),
  way("GET /pet/{petId}", 304, "an unchanged pet", [], async () => {
    const { path, etag } = await createPet();
    return [path, unchanged(etag)];
  }),
  way("GET /user/{username}", 304, "an unchanged user", [], async () => {
    const { path, etag } = await createUser();
    return [path, unchanged(etag)];
  }),
];
