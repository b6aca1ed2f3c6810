// `npm run smoke -- <origin> [--api-key <key>]`: walks every operation of a running service over HTTP, and provokes
// every error of interface §8.2. Where access is protected, it needs the API key. Prints a line per step; ends with exit
// status 1 at the first wrong answer.
//
// It makes its own pet, order and user and deletes them again, so it may be run on a service that holds
// data. Only where others write at the same moment can it be mistaken: it compares inventory counts, and
// expects an order id that it freed to be free.
import { deepStrictEqual, match, strictEqual } from "node:assert";
import { randomUUID } from "node:crypto";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { endWith } from "../scripts/command.ts";
import { PNG, WrongAnswer, imageForm, memberOf, send } from "./http.ts";
import type { Answer, Sent } from "./http.ts";

const {
  values: { "api-key": apiKey },
  positionals: [origin = "http://127.0.0.1:8787"],
} = parseArgs({ options: { "api-key": { type: "string" } }, allowPositionals: true });
const credentials = apiKey === undefined ? {} : { api_key: apiKey };
const ask = async (target: string, sent: Sent = {}) =>
  send(`${origin}/v2`, target, { ...sent, headers: { ...sent.headers, ...credentials } });

interface Expected {
  readonly status: number;
  /** The body, exactly. */
  readonly json?: unknown;
  /** The `message` of the body. */
  readonly message?: string | RegExp;
  /** An item that the body, an array, must have. */
  readonly item?: unknown;
  readonly headers?: Record<string, RegExp>;
}

/** Paths of what the walk made and has not deleted yet. */
const leftovers = new Set<string>();
let steps = 0;

/** Sends one request and compares the answer. @throws WrongAnswer at the first difference */
async function step(
  target: string,
  does: string,
  expected: Expected,
  sent: Sent = {},
): Promise<Answer> {
  const [method, path = ""] = target.split(" ");
  // The query is left out: that of a login holds a password.
  const line = `${method} /v2${path.replace(/\?.*/, "")}  ${does}`;
  const answer = await ask(target, sent);
  const { status, json, message, item, headers = {} } = expected;
  try {
    strictEqual(answer.status, status);
    if (json !== undefined) deepStrictEqual(answer.json, json);
    const said = memberOf(answer.json, "message");
    if (typeof message === "string") strictEqual(said, message);
    else if (message) match(String(said), message);
    const list = item === undefined ? [] : (answer.json as unknown[]);
    if (item !== undefined)
      deepStrictEqual(
        list.find((one) => isDeepStrictEqual(one, item)),
        item,
      );
    for (const [name, pattern] of Object.entries(headers)) {
      match(answer.headers.get(name) ?? "", pattern, `the header ${name}`);
    }
  } catch (error) {
    const answered = `${answer.status} ${answer.text.slice(0, 1000)}`;
    throw new WrongAnswer(`${line}\n${String(error)}\nwas answered: ${answered}`, { cause: error });
  }
  steps += 1;
  console.log(`ok  ${line}`);
  return answer;
}

function idOf(answer: Answer): number {
  const id = Number(memberOf(answer.json, "id") ?? memberOf(answer.json, "message"));
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw new WrongAnswer(`an id was expected in ${answer.text}`);
}

function etagOf({ etag }: Answer): string {
  if (etag?.startsWith('"')) return etag;
  throw new WrongAnswer(`a strong ETag was expected, not ${etag}`);
}

function tokenOf(answer: Answer): string {
  return String(memberOf(answer.json, "message")).replace(/^.*:/, "");
}

/** The inventory. */
async function countPets(does: string): Promise<Record<"available" | "pending" | "sold", number>> {
  const { json } = await step("GET /store/inventory", does, { status: 200 });
  const { available = NaN, pending = NaN, sold = NaN } = json as Record<string, number>;
  return { available, pending, sold };
}

/** The answer where the specification shows no body. */
const okay = (message: string): Expected => ({
  status: 200,
  json: { code: 200, type: "unknown", message },
});

async function walkPets(): Promise<void> {
  const tag = `smoke-${randomUUID()}`;
  const rex = {
    category: { id: 1, name: "Dogs" },
    name: "Rex",
    photoUrls: "https://pets.example/rex-1.jpg,https://pets.example/rex-2.jpg",
    tags: [{ id: 1, name: tag }, { name: "house-trained" }],
    status: "available",
  };
  const before = await countPets("counts pets by status");
  const counted = (more: object): Expected => ({ status: 200, json: { ...before, ...more } });

  const added = await step("POST /pet", "adds a pet", { status: 200 }, { json: rex });
  const id = idOf(added);
  const path = `/pet/${id}`;
  leftovers.add(path);
  const pet = { id, ...rex };
  const found = { status: 200, json: pet };
  await step("POST /pet", "answers a retry with the stored pet", found, { json: pet });
  await step(
    "POST /pet",
    "refuses another pet under a taken id",
    { status: 405, message: "Invalid input", headers: { Allow: /POST/ } },
    { json: { ...pet, name: "Max" } },
  );
  await step(`GET ${path}`, "finds it by id", found);
  await step(`HEAD ${path}`, "answers without a body", { status: 200, headers: { ETag: /"/ } });
  const byStatus = "GET /pet/findByStatus?status=available,sold";
  await step(byStatus, "finds it by status", { status: 200, item: pet });
  const byTag = `GET /pet/findByTags?tags=${tag}`;
  await step(byTag, "finds it by tag", { status: 200, json: [pet] });
  const length = Buffer.byteLength(JSON.stringify([pet]));
  await step(
    byTag,
    "sends a short list with its length",
    { status: 200, headers: { "Content-Length": new RegExp(`^${length}$`) } },
    // What is compressed on the way has none.
    { headers: { "Accept-Encoding": "identity" } },
  );
  await step("GET /store/inventory", "counts it", counted({ available: before.available + 1 }));

  const old = etagOf(added);
  const ifMatch = { "If-Match": old };
  const outdated = { status: 412, message: "Pet does not meet the precondition" };
  await step(
    `GET ${path}`,
    "sends nothing that the client has",
    { status: 304, headers: { ETag: new RegExp(`^${old}$`) } },
    { headers: { "If-None-Match": old } },
  );
  const sold = { id, name: "Rex", photoUrls: ["https://pets.example/rex-3.jpg"], status: "sold" };
  await step(
    "PUT /pet",
    "replaces it as long as it is unchanged",
    { status: 200, json: sold },
    { json: sold, headers: ifMatch },
  );
  await step("PUT /pet", "refuses an outdated change", outdated, { json: pet, headers: ifMatch });
  await step("GET /store/inventory", "counts it as sold", counted({ sold: before.sold + 1 }));
  await step(`POST ${path}`, "updates it with a form", okay(String(id)), {
    body: new URLSearchParams({ name: "Rex II" }),
  });
  await step(`GET ${path}`, "finds it as updated", {
    status: 200,
    json: { ...sold, name: "Rex II" },
  });
  await step(
    `POST ${path}/uploadImage`,
    "stores an image of it",
    { status: 200, message: /^File uploaded to .\/rex\.png, \d+ bytes$/ },
    { body: imageForm() },
  );
  const shown = await step(`GET ${path}`, "finds the image's URL", { status: 200 });
  const image = /\/pet\/\d+\/images\/[\w-]+\.png/.exec(shown.text)?.[0] ?? "";
  await step(`GET ${image}`, "shows the image", {
    status: 200,
    headers: { "Content-Type": /^image\/png$/, "Content-Length": new RegExp(`^${PNG.length}$`) },
  });
  await step(byTag, "finds it no more by its old tag", { status: 200, json: [] });
  await step(`DELETE ${path}`, "refuses an outdated delete", outdated, { headers: ifMatch });
  await step(`DELETE ${path}`, "deletes it", okay(String(id)), { headers: { api_key: "any" } });
  leftovers.delete(path);

  const missing = { status: 404, message: "Pet not found" };
  await step(`GET ${path}`, "finds it no more", missing);
  await step(`DELETE ${path}`, "cannot delete it twice", missing);
  await step("PUT /pet", "replaces no pet that is gone", missing, { json: sold });
  await step("GET /store/inventory", "counts it no more", counted({}));
}

async function walkOrders(): Promise<void> {
  const once = { "Idempotency-Key": randomUUID() };
  const wish = {
    petId: 7,
    quantity: 2,
    shipDate: "2026-12-24T10:30:00.000+0000",
    status: "placed",
    complete: false,
  };
  const placed = await step(
    "POST /store/order",
    "places an order",
    { status: 200 },
    { json: wish, headers: once },
  );
  const id = idOf(placed);
  const path = `/store/order/${id}`;
  leftovers.add(path);
  const order = { id, ...wish };
  const stored = { status: 200, json: order };
  await step("POST /store/order", "answers a retry with the stored order", stored, { json: order });
  await step("POST /store/order", "places none twice under one idempotency key", stored, {
    json: wish,
    headers: once,
  });
  await step(
    "POST /store/order",
    "refuses another order under the same key",
    { status: 422, message: /Idempotency-Key/ },
    { json: { ...wish, quantity: 3 }, headers: once },
  );
  await step(
    "POST /store/order",
    "refuses another order under a taken id",
    { status: 400, message: "Invalid order" },
    { json: { ...order, quantity: 3 } },
  );

  const missing = { status: 404, message: "Order not found" };
  // Only ids 1 to 10 can be looked up (interface §4.4). Where all of those are taken this order has another.
  const canBeFound = id <= 10;
  if (canBeFound) {
    await step(`GET ${path}`, "finds it", stored);
    await step(
      `GET ${path}`,
      "sends nothing that the client has",
      { status: 304 },
      { headers: { "If-None-Match": etagOf(placed) } },
    );
  } else {
    console.log(`    order ids 1 to 10 are all taken: order ${id} cannot be looked up`);
  }
  await step(
    `DELETE ${path}`,
    "refuses an outdated delete",
    { status: 412, message: "Order does not meet the precondition" },
    { headers: { "If-Match": '"0"' } },
  );
  await step(`DELETE ${path}`, "deletes it", okay(String(id)));
  leftovers.delete(path);
  if (canBeFound) await step(`GET ${path}`, "finds it no more", missing);
  await step(`DELETE ${path}`, "cannot delete it twice", missing);
}

async function walkUsers(): Promise<void> {
  const ada = {
    username: `ada-${randomUUID()}`,
    firstName: "Ada",
    lastName: "Byron",
    email: "ada@pets.example",
    password: `${randomUUID()}&ü`,
    phone: "+44 20 7946 0001",
    userStatus: 0,
  };
  const path = `/user/${ada.username}`;
  const login = (password: string) =>
    `GET /user/login?${new URLSearchParams({ username: ada.username, password }).toString()}`;

  leftovers.add(path);
  const created = await step("POST /user", "creates a user", { status: 200 }, { json: ada });
  const { password: _, ...shown } = ada;
  /** As look-ups show the user. */
  const user = { id: idOf(created), ...shown };
  const withPassword = (password: string) => (isProtected ? user : { ...user, password });
  const done = { status: 200, json: created.json };
  await step("POST /user", "answers a retry with the same id", done, { json: ada });
  await step(
    "POST /user",
    "refuses a taken username",
    { status: 409, message: "Duplicate user" },
    { json: { ...ada, phone: "+44 20 7946 0002" } },
  );
  const found = await step(`GET ${path}`, "finds the user", {
    status: 200,
    json: withPassword(ada.password),
    headers: { "Cache-Control": /^no-store, no-transform$/ },
  });

  const loggedIn = {
    status: 200,
    message: /^logged in user session:[\w-]{43}$/,
    headers: {
      "X-Expires-After": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
      "X-Rate-Limit": /^\d+$/,
      "Set-Cookie": /^session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/v2; Max-Age=\d+/,
    },
  };
  const loggedOut = {
    ...okay("ok"),
    headers: { "Set-Cookie": /^session=; .*Max-Age=0/ },
  };
  const session = await step(login(ada.password), "logs the user in", loggedIn);
  await step("GET /user/logout", "ends the session of a bearer token", loggedOut, {
    headers: { Authorization: `Bearer ${tokenOf(session)}` },
  });

  const password = randomUUID();
  const ifMatch = { "If-Match": etagOf(found) };
  await step(`PUT ${path}`, "changes the password alone", done, {
    json: { password },
    headers: ifMatch,
  });
  const changed = { status: 200, json: withPassword(password) };
  await step(`GET ${path}`, "finds the user with the new password", changed);
  await step(
    `PUT ${path}`,
    "refuses an outdated change",
    { status: 412, message: "User does not meet the precondition" },
    { json: { password: ada.password }, headers: ifMatch },
  );
  const denied = { status: 400, message: "Invalid username/password supplied" };
  await step(login(ada.password), "refuses the old password", denied);
  const again = await step(login(password), "takes the new password", loggedIn);
  await step("GET /user/logout", "ends the session of a cookie", loggedOut, {
    headers: { Cookie: `session=${tokenOf(again)}` },
  });

  await step(`DELETE ${path}`, "deletes the user", okay(ada.username));
  leftovers.delete(path);
  const missing = { status: 404, message: "User not found" };
  await step(`GET ${path}`, "finds the user no more", missing);
  await step(`PUT ${path}`, "changes no user that is gone", missing, { json: { phone: "1" } });
  await step(`DELETE ${path}`, "cannot delete the user twice", missing);
  await step(login(password), "logs nobody in", denied);
}

async function walkManyUsers(): Promise<void> {
  for (const list of ["createWithArray", "createWithList"]) {
    const users = ["bea", "cleo"].map((name) => ({ username: `${name}-${randomUUID()}` }));
    for (const { username } of users) leftovers.add(`/user/${username}`);
    await step(`POST /user/${list}`, "creates users", okay("ok"), { json: users });
    await step(
      `POST /user/${list}`,
      "refuses taken usernames",
      { status: 409, message: "Duplicate user" },
      { json: users },
    );
    for (const { username } of users) {
      await step(`DELETE /user/${username}`, "deletes one of them", okay(username));
      leftovers.delete(`/user/${username}`);
    }
  }
}

async function walkDocuments(): Promise<void> {
  const isJson = { "Content-Type": /^application\/json\b/ };
  for (const [file, version] of [
    ["openapi.json", /"openapi": ?"3\.1\./],
    ["swagger.json", /"swagger": ?"2\.0"/],
  ] as const) {
    const described = { status: 200, headers: isJson };
    const { text: document } = await step(`GET /${file}`, "describes the interface", described);
    if (!version.test(document)) throw new WrongAnswer(`${file} must be of version ${version}`);
  }
}

const json = { "Content-Type": "application/json" };
const text = { "Content-Type": "text/plain" };
const long = { firstName: "A".repeat(48 * 1024) };
const lost = { id: 1, name: "Rex", photoUrls: "rex.jpg", status: "lost" };

/** What is refused whatever the service holds: request, what the service does, status, message. */
const refusals: readonly (readonly [string, string, number, string, Sent?])[] = [
  ["POST /pet", "needs photoUrls", 405, "Invalid input", { json: { name: "Rex" } }],
  ["PUT /pet", "needs an id", 400, "Invalid ID supplied", { json: { ...lost, id: null } }],
  ["PUT /pet", "needs a known status", 405, "Validation exception", { json: lost }],
  ["GET /pet/findByStatus?status=lost", "needs a known status", 400, "Invalid status value"],
  ["GET /pet/findByTags", "needs a tag", 400, "Invalid tag value"],
  ["GET /pet/rex", "needs an integer", 400, "Invalid ID supplied"],
  ["DELETE /pet/rex", "needs an integer", 400, "Invalid ID supplied"],
  [
    "POST /store/order",
    "needs a quantity of 0 or more",
    400,
    "Invalid order",
    { json: { quantity: -1 } },
  ],
  ["GET /store/order/11", "needs an id from 1 to 10", 400, "Invalid ID supplied"],
  ["DELETE /store/order/first", "needs an integer", 400, "Invalid ID supplied"],
  ["GET /user/login?username=ada", "needs a password", 400, "Invalid username/password supplied"],
  ["GET /user/%20", "needs a username", 400, "Invalid username supplied"],
  ["PUT /user/%20", "needs a username", 400, "Invalid user supplied", { json: {} }],
  ["DELETE /user/%20", "needs a username", 400, "Invalid username supplied"],
  ["POST /user", "needs JSON", 400, "Invalid user supplied", { body: "{", headers: json }],
  [
    "POST /user",
    "needs the JSON media type",
    415,
    "Unsupported media type",
    { body: "{}", headers: text },
  ],
  ["POST /user", "needs a body of at most 48 KiB", 413, "Content too large", { json: long }],
  ["PATCH /pet", "has no such method", 405, "Method not allowed"],
  ["GET /toys", "has no such path", 404, "Not found"],
];

async function removeLeftovers(): Promise<void> {
  for (const path of leftovers) {
    // The walk has failed already; what matters is told.
    await ask(`DELETE ${path}`).catch(() => undefined);
  }
}

let isProtected = false;

try {
  isProtected = (await send(`${origin}/v2`, "DELETE /pet/rex")).status === 401;
  await walkPets();
  await walkOrders();
  await walkUsers();
  await walkManyUsers();
  await walkDocuments();
  for (const [target, does, status, message, sent] of refusals) {
    const headers = status === 405 ? { Allow: /[A-Z]+/ } : {};
    await step(target, does, { status, message, headers }, sent);
  }
  console.log(`${steps} steps, all right`);
} catch (error) {
  process.exitCode = 1;
  if (error instanceof WrongAnswer) {
    console.error(`not ok  ${error.message}`);
    await removeLeftovers();
  } else {
    endWith(error, origin);
  }
}
