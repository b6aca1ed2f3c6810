// `npm run smoke -- <origin> [--api-key <key>] [--own]`: calls every operation of a running service. Protected access needs
// the API key. Prints a line for each step, and ends with exit status 1 at the first wrong answer.
//
// The service may hold data: the walk deletes the pet, the order and the users that it creates. Other clients that write
// at the same time can make it fail, because it compares inventory counts. With `--own`, it uses a new sandbox, and deletes
// it. What the service answers to every other request is tested in test/.
import { deepStrictEqual, match, strictEqual } from "node:assert";
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { endWith } from "../scripts/command.ts";
import { PNG, WrongAnswer, imageForm, memberOf, send } from "./http.ts";
import type { Answer, Sent } from "./http.ts";

const {
  values: { "api-key": apiKey, own },
  positionals: [origin = "http://127.0.0.1:8787"],
} = parseArgs({
  options: { "api-key": { type: "string" }, own: { type: "boolean", default: false } },
  allowPositionals: true,
});
/** The path of the sandbox. Its name is secret, so it is never printed. */
const sandbox = own ? `/stores/${randomUUID()}` : "";
const PETSTORE3 = "/api/v3";
/** A path without a base path belongs to /v2. */
const below = (path: string) => (path.startsWith(PETSTORE3) ? path : `/v2${path}`);
const credentials = apiKey === undefined ? {} : { api_key: apiKey };
const ask = async (target: string, sent: Sent = {}) => {
  const [method, path = ""] = target.split(" ");
  const headers = { ...sent.headers, ...credentials };
  return send(origin + sandbox, `${method} ${below(path)}`, { ...sent, headers });
};

/** A request, and the expected answer. */
interface Step extends Sent {
  /** Default: 200. */
  readonly status?: number;
  /** The exact body: its value if it is JSON, otherwise its text. */
  readonly shows?: unknown;
  /** The `message` of the body. */
  readonly message?: string | RegExp;
  /** Headers of the answer. */
  readonly gets?: Readonly<Record<string, RegExp>>;
}

/** Paths of what the walk has created and not yet deleted. */
const leftovers = new Set<string>();
let steps = 0;

/** Sends one request and compares the answer. @throws WrongAnswer at the first difference */
async function step(target: string, does: string, wanted: Step = {}): Promise<Answer> {
  const { status = 200, shows, message, gets = {}, ...sent } = wanted;
  const [method, path = ""] = target.split(" ");
  // Without the query, because a login's has a password.
  const line = `${method} ${below(path).replace(/\?.*/, "")}  ${does}`;
  const answer = await ask(target, sent);
  try {
    strictEqual(answer.status, status);
    if (shows !== undefined) deepStrictEqual(answer.json ?? answer.text, shows);
    const said = memberOf(answer.json, "message");
    if (typeof message === "string") strictEqual(said, message);
    else if (message) match(String(said), message);
    for (const [name, pattern] of Object.entries(gets)) {
      match(answer.headers.get(name) ?? "", pattern, `the header ${name}`);
    }
  } catch (error) {
    const answered = `${answer.status} ${answer.text.slice(0, 1000)}`;
    throw new WrongAnswer(`${line}\n${String(error)}\ngot: ${answered}`, { cause: error });
  }
  if (method === "DELETE" && status === 200) leftovers.delete(path);
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

const exactly = (text: string | number) => new RegExp(`^${text}$`);

/** The answer of an operation whose specification has no body. */
const okay = (message: string): Step => ({ shows: { code: 200, type: "unknown", message } });

async function walkPets(): Promise<void> {
  const tag = `smoke-${randomUUID()}`;
  const rex = {
    category: { id: 1, name: "Dogs" },
    name: "Rex",
    photoUrls: "https://pets.example/rex-1.jpg,https://pets.example/rex-2.jpg",
    tags: [{ id: 1, name: tag }, { name: "house-trained" }],
    status: "available",
  };
  const { json } = await step("GET /store/inventory", "counts pets by status");
  const before = json as { readonly available: number };
  const counts = async (does: string, more: object) =>
    step("GET /store/inventory", does, { shows: { ...before, ...more } });

  const added = await step("POST /pet", "adds a pet", { json: rex });
  const id = idOf(added);
  const path = `/pet/${id}`;
  leftovers.add(path);
  const pet = { id, ...rex };
  const max = { ...pet, name: "Max" };
  const invalid = { status: 405, message: "Invalid input", gets: { Allow: /POST/ } };
  await step("POST /pet", "refuses another pet under a taken id", { json: max, ...invalid });
  await step(`GET ${path}`, "finds it by id", { shows: pet });
  await step(`HEAD ${path}`, "answers without a body", { gets: { ETag: /"/ } });
  const byStatus = `GET /pet/findByStatus?status=available,sold&after=${id - 1}&limit=1`;
  await step(byStatus, "finds it by status", { shows: [pet] });
  await step(`GET /pet/findByTags?tags=${tag}`, "finds it by tag, and sends its length", {
    shows: [pet],
    gets: { "Content-Length": exactly(Buffer.byteLength(JSON.stringify([pet]))) },
    // A compressed answer would have no length.
    headers: { "Accept-Encoding": "identity" },
  });
  await counts("counts it", { available: before.available + 1 });

  const old = etagOf(added);
  await step(`GET ${path}`, "sends nothing that the client has", {
    headers: { "If-None-Match": old },
    status: 304,
    gets: { ETag: exactly(old) },
  });
  const headers = { "If-Match": old };
  const outdated = { headers, status: 412, message: "Pet does not meet the precondition" };
  const sold = { id, name: "Rex", photoUrls: ["https://pets.example/rex-3.jpg"], status: "sold" };
  const unchanged = "replaces it as long as it is unchanged";
  await step("PUT /pet", unchanged, { json: sold, headers, shows: sold });
  await step("PUT /pet", "refuses an outdated change", { json: pet, ...outdated });
  const body = new URLSearchParams({ name: "Rex II" });
  await step(`POST ${path}`, "updates it with a form", { body, ...okay(String(id)) });
  await step(`POST ${path}/uploadImage`, "stores an image of it", {
    body: imageForm(),
    message: /^File uploaded to .\/rex\.png, \d+ bytes$/,
  });
  const shown = await step(`GET ${path}`, "finds the image's URL");
  const image = /\/pet\/\d+\/images\/[\w-]+\.png/.exec(shown.text)?.[0] ?? "";
  await step(`GET ${image}`, "shows the image", {
    gets: { "Content-Type": /^image\/png$/, "Content-Length": exactly(PNG.length) },
  });
  await step(`DELETE ${path}`, "deletes it", { headers: { api_key: "any" }, ...okay(String(id)) });
  await step(`GET ${path}`, "finds it no more", { status: 404, message: "Pet not found" });
  await counts("counts it no more", {});
}

async function walkOrders(): Promise<void> {
  const headers = { "Idempotency-Key": randomUUID() };
  const wish = {
    petId: 7,
    quantity: 2,
    shipDate: "2026-12-24T10:30:00.000+0000",
    status: "placed",
    complete: false,
  };
  const place = "POST /store/order";
  const id = idOf(await step(place, "places an order", { json: wish, headers }));
  const path = `/store/order/${id}`;
  leftovers.add(path);
  const shows = { id, ...wish };
  await step(place, "places none twice under one idempotency key", { json: wish, headers, shows });
  const reused = { status: 422, message: /Idempotency-Key/ };
  const another = { json: { ...wish, quantity: 3 }, headers };
  await step(place, "refuses another one under the key", { ...another, ...reused });
  // Only ids 1 to 10 can be looked up (interface §4.4). They may all be taken.
  if (id <= 10) await step(`GET ${path}`, "finds it", { shows });
  else console.log(`    order ids 1 to 10 are all taken: order ${id} cannot be looked up`);
  await step(`DELETE ${path}`, "deletes it", okay(String(id)));
}

async function walkUsers(isProtected: boolean): Promise<void> {
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
  const created = await step("POST /user", "creates a user", { json: ada });
  const { password: _, ...rest } = ada;
  const done = { shows: created.json };
  const duplicate = { status: 409, message: "Duplicate user" };
  const other = { ...ada, phone: "+44 20 7946 0002" };
  await step("POST /user", "refuses a taken username", { json: other, ...duplicate });
  const found = await step(`GET ${path}`, "finds the user", {
    shows: { id: idOf(created), ...(isProtected ? rest : ada) },
    gets: { "Cache-Control": /^no-store, no-transform$/ },
  });

  const loggedIn = {
    message: /^logged in user session:[\w-]{43}$/,
    gets: {
      "X-Expires-After": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
      "X-Rate-Limit": /^\d+$/,
      "Set-Cookie": new RegExp(
        String.raw`^session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=${sandbox}/v2; Max-Age=\d+`,
      ),
    },
  };
  const logIn = async (password: string, does: string) => {
    const { json } = await step(login(password), does, loggedIn);
    return String(memberOf(json, "message")).replace(/^.*:/, "");
  };
  const loggedOut = { ...okay("ok"), gets: { "Set-Cookie": /^session=; .*Max-Age=0/ } };
  const bearer = { Authorization: `Bearer ${await logIn(ada.password, "logs the user in")}` };
  const logout = "GET /user/logout";
  await step(logout, "ends the session of a bearer token", { headers: bearer, ...loggedOut });

  const password = randomUUID();
  const headers = { "If-Match": etagOf(found) };
  await step(`PUT ${path}`, "changes the password alone", { json: { password }, headers, ...done });
  const denied = { status: 400, message: "Invalid username/password supplied" };
  await step(login(ada.password), "refuses the old password", denied);
  const cookie = { Cookie: `session=${await logIn(password, "takes the new password")}` };
  await step(logout, "ends the session of a cookie", { headers: cookie, ...loggedOut });
  await step(`DELETE ${path}`, "deletes the user", okay(ada.username));
  await step(`GET ${path}`, "finds the user no more", { status: 404, message: "User not found" });

  for (const list of ["createWithArray", "createWithList"]) {
    const json = ["bea", "cleo"].map((name) => ({ username: `${name}-${randomUUID()}` }));
    for (const { username } of json) leftovers.add(`/user/${username}`);
    await step(`POST /user/${list}`, "creates users", { json, ...okay("ok") });
    for (const { username } of json) {
      await step(`DELETE /user/${username}`, "deletes one of them", okay(username));
    }
  }
}

/** Writes through one interface, and reads through the other. */
async function walkPetstore3(): Promise<void> {
  const rex = { name: "Rex", photoUrls: ["rex.png"], tags: [{ name: "dog" }], status: "pending" };
  const id = idOf(await step(`POST ${PETSTORE3}/pet`, "adds a pet", { json: rex }));
  const path = `${PETSTORE3}/pet/${id}`;
  leftovers.add(path);
  await step(`GET /pet/${id}`, "finds it", { shows: { id, ...rex } });
  await step("PUT /pet", "replaces it", { json: { id, name: "Max", photoUrls: "1.png, 2.png" } });
  const max = { id, name: "Max", photoUrls: ["1.png", "2.png"] };
  await step(`GET ${path}`, "shows its URLs in an array", { shows: max });
  await step(`POST ${path}?status=sold`, "updates it", { shows: { ...max, status: "sold" } });
  await step(`DELETE ${path}`, "deletes it", { shows: "Pet deleted" });
  const place = `POST ${PETSTORE3}/store/order`;
  const order = `${PETSTORE3}/store/order/${idOf(await step(place, "places an order", { json: {} }))}`;
  leftovers.add(order);
  await step(`DELETE ${order}`, "deletes it", {
    shows: "",
    gets: { "Content-Type": exactly("") },
  });
}

async function walkDocuments(): Promise<void> {
  const described = { gets: { "Content-Type": /^application\/json\b/ } };
  const openApi = await step("GET /openapi.json", "describes the interface", described);
  match(String(memberOf(openApi.json, "openapi")), /^3\.1\./);
  const swagger = await step("GET /swagger.json", "describes it to older tools", described);
  strictEqual(memberOf(swagger.json, "swagger"), "2.0");
  const third = await step(`GET ${PETSTORE3}/openapi.json`, "describes Petstore 3", described);
  match(String(memberOf(third.json, "openapi")), /^3\.0\./);
}

try {
  const { status } = await send(origin + sandbox, "DELETE /v2/pet/rex");
  await walkPets();
  await walkOrders();
  await walkUsers(status === 401);
  await walkPetstore3();
  await walkDocuments();
  console.log(`${steps} steps, all right`);
} catch (error) {
  process.exitCode = 1;
  if (error instanceof WrongAnswer) {
    console.error(`not ok  ${error.message}`);
    // Report the first failure, not those of the clean-up.
    for (const path of leftovers) await ask(`DELETE ${path}`).catch(() => undefined);
  } else {
    endWith(error, origin);
  }
} finally {
  if (own) await send(origin, `DELETE ${sandbox}`).catch(() => undefined);
}
