// `npm run smoke -- <origin>`: calls every operation of a running service, and all management endpoints of a sandbox.
// Without an origin, it starts a server. Protected access requires `--api-key <key>`.
//
// The service may contain data: the test deletes what it creates. It compares counts, so it fails if other clients write at
// the same time. With `--sandbox`, it changes only a new sandbox, which it deletes.
import { deepEqual, equal, match, ok, partialDeepStrictEqual } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { withServer } from "./server.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "api-key": { type: "string" }, sandbox: { type: "boolean", default: false } },
});

/** The signature of a PNG file, the only part that the service examines. */
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

interface Sent {
  readonly json?: unknown;
  readonly body?: RequestInit["body"];
  readonly headers?: Readonly<Record<string, string>>;
  /** The expected status. Default: 200. */
  readonly status?: number;
}

/** A JSON object or array. */
// oxlint-disable-next-line typescript/no-explicit-any -- the assertions below check its content
type Json = any;

/** The operations that were called, as `<base URL> <operationId>`. */
const called = new Set<string>();

/** Sends a request and checks the status. @param step what it tests, such as the operation's ID */
async function call(step: string, target: string, sent: Sent = {}) {
  const { json, body = json === undefined ? undefined : JSON.stringify(json), status = 200 } = sent;
  const [method = "", url = ""] = target.split(" ");
  const response = await fetch(url, {
    method,
    redirect: "manual",
    headers: {
      ...(json !== undefined && { "Content-Type": "application/json" }),
      ...(values["api-key"] !== undefined && { "X-API-Key": values["api-key"] }),
      ...sent.headers,
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  // Omits the query, which may contain a password, and the sandbox's secret name.
  const shown = `${method} ${new URL(url).pathname.replace(/^\/sandboxes\/[^/]+/, "/sandboxes/…")}`;
  equal(response.status, status, `${step}: ${shown} returned ${response.status}: ${text.slice(0, 1000)}`);
  console.log(`ok  ${step}  ${shown}  ${status}`);
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
  const parsed: Json = isJson ? JSON.parse(text) : undefined;
  return { json: parsed, text, headers: response.headers };
}

/** Calls an operation of one of the APIs. */
async function operate(operationId: string, base: string, target: string, sent: Sent = {}) {
  called.add(`${base} ${operationId}`);
  return call(operationId, target.replace(" ", ` ${base}`), sent);
}

const done = (message: string) => ({ code: 200, type: "unknown", message });

async function testPets(base: string): Promise<void> {
  const tag = `smoke-${randomUUID()}`;
  const rex = {
    category: { id: 1, name: "Dogs" },
    name: "Rex",
    photoUrls: "https://pets.example/1.jpg,https://pets.example/2.jpg",
    tags: [{ id: 1, name: tag }, { name: "house-trained" }],
    status: "available",
  };
  const { json: before } = await operate("getInventory", base, "GET /store/inventory");
  const added = await operate("addPet", base, "POST /pet", { json: rex });
  const { id } = added.json;
  const pet = { id, ...rex };
  deepEqual(added.json, pet);
  try {
    const invalid = await operate("addPet", base, "POST /pet", { json: { name: "" }, status: 405 });
    deepEqual(
      invalid.json.errors.map(({ path }: { path: string }) => path),
      ["name", "photoUrls"],
    );
    deepEqual((await operate("getPetById", base, `GET /pet/${id}`)).json, pet);
    const byStatus = `GET /pet/findByStatus?status=available&after=${id - 1}&limit=1`;
    deepEqual((await operate("findPetsByStatus", base, byStatus)).json, [pet]);
    deepEqual((await operate("findPetsByTags", base, `GET /pet/findByTags?tags=${tag}`)).json, [pet]);
    const { json: counted } = await operate("getInventory", base, "GET /store/inventory");
    deepEqual(counted, { ...before, available: before.available + 1 });

    const etag = added.headers.get("ETag") ?? "";
    match(etag, /^"/);
    const unchanged = { headers: { "If-None-Match": etag }, status: 304 };
    await operate("getPetById", base, `GET /pet/${id}`, unchanged);
    const sold = { id, name: "Rex", photoUrls: ["1.jpg"], status: "sold" };
    const change = { json: sold, headers: { "If-Match": etag } };
    deepEqual((await operate("updatePet", base, "PUT /pet", change)).json, sold);
    await operate("updatePet", base, "PUT /pet", { ...change, status: 412 });
    const form = { body: new URLSearchParams({ name: "Rex II" }) };
    const updated = await operate("updatePetWithForm", base, `POST /pet/${id}`, form);
    deepEqual(updated.json, done(String(id)));

    const upload = new FormData();
    upload.set("file", new File([PNG], "rex.png", { type: "image/png" }));
    const target = `POST /pet/${id}/uploadImage`;
    const uploaded = await operate("uploadFile", base, target, { body: upload });
    match(uploaded.json.message, /File uploaded to \.\/rex\.png, 8 bytes$/);
    const { json: shown } = await operate("getPetById", base, `GET /pet/${id}`);
    const path = /\/pet\/\d+\/images\/[\w-]+\.png$/.exec(shown.photoUrls.at(-1))?.[0] ?? "";
    const image = await operate("getPetImage", base, `GET ${path}`);
    equal(image.headers.get("Content-Type"), "image/png");
    equal(image.headers.get("Content-Length"), String(PNG.length));
  } finally {
    const { json } = await operate("deletePet", base, `DELETE /pet/${id}`);
    deepEqual(json, done(String(id)));
  }
  await operate("getPetById", base, `GET /pet/${id}`, { status: 404 });
  deepEqual((await operate("getInventory", base, "GET /store/inventory")).json, before);
}

async function testOrders(base: string): Promise<void> {
  const order = {
    petId: 7,
    quantity: 2,
    shipDate: "2026-12-24T10:30:00.000+0000",
    status: "placed",
    complete: false,
  };
  const sent = { json: order, headers: { "Idempotency-Key": randomUUID() } };
  const { json } = await operate("placeOrder", base, "POST /store/order", sent);
  deepEqual(json, { id: json.id, ...order });
  const again = await operate("placeOrder", base, "POST /store/order", sent);
  deepEqual(again.json, json);
  // Only the IDs 1 to 10 can be looked up. They may all be in use.
  const target = `GET /store/order/${json.id}`;
  const status = json.id <= 10 ? 200 : 400;
  const found = await operate("getOrderById", base, target, { status });
  if (status === 200) deepEqual(found.json, json);
  const deleted = await operate("deleteOrder", base, `DELETE /store/order/${json.id}`);
  deepEqual(deleted.json, done(String(json.id)));
}

async function testUsers(base: string): Promise<void> {
  const ada = {
    username: `ada-${randomUUID()}`,
    firstName: "Ada",
    email: "ada@pets.example",
    password: `${randomUUID()}&ü`,
    userStatus: 0,
  };
  const { username, password, ...shown } = ada;
  const user = `/user/${username}`;
  const login = (secret: string) => `GET /user/login?${new URLSearchParams({ username, password: secret }).toString()}`;

  const created = await operate("createUser", base, "POST /user", { json: ada });
  const id = Number(created.json.message);
  const duplicate = { json: { ...ada, firstName: "Eve" }, status: 409 };
  await operate("createUser", base, "POST /user", duplicate);
  // With the API key, a lookup omits the password.
  const found = await operate("getUserByName", base, `GET ${user}`);
  partialDeepStrictEqual(found.json, { id, username, ...shown });

  const loggedIn = await operate("loginUser", base, login(password));
  const [, token = ""] = /^logged in user session:([\w-]{43})$/.exec(loggedIn.json.message) ?? [];
  const cookie = loggedIn.headers.get("Set-Cookie")?.split("; ") ?? [];
  const path = `Path=${new URL(base).pathname}`;
  for (const part of [`session=${token}`, "HttpOnly", "SameSite=Strict", path]) {
    ok(cookie.includes(part), `the cookie lacks ${part.replace(token, "the token")}`);
  }
  match(loggedIn.headers.get("X-Expires-After") ?? "", /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  match(loggedIn.headers.get("X-Rate-Limit") ?? "", /^\d+$/);
  const bearer = { headers: { Authorization: `Bearer ${token}` } };
  deepEqual((await operate("logoutUser", base, "GET /user/logout", bearer)).json, done("ok"));

  const changed = { json: { password: "another" } };
  const updated = await operate("updateUser", base, `PUT ${user}`, changed);
  deepEqual(updated.json, done(String(id)));
  await operate("loginUser", base, login(password), { status: 400 });
  await operate("loginUser", base, login("another"));
  const deleted = await operate("deleteUser", base, `DELETE ${user}`);
  deepEqual(deleted.json, done(username));
  await operate("getUserByName", base, `GET ${user}`, { status: 404 });

  for (const [operationId, list] of [
    ["createUsersWithArrayInput", "createWithArray"],
    ["createUsersWithListInput", "createWithList"],
  ] as const) {
    const names = ["bea", "cleo"].map((name) => `${name}-${randomUUID()}`);
    const json = names.map((name) => ({ username: name }));
    const users = await operate(operationId, base, `POST /user/${list}`, { json });
    deepEqual(users.json, done("ok"));
    for (const name of names) await operate("deleteUser", base, `DELETE /user/${name}`);
  }
}

/** Tests Petstore 3: the same data in other representations. */
async function testPetstore3(base: string, v2: string): Promise<void> {
  const tag = `smoke-${randomUUID()}`;
  const rex = { name: "Rex", photoUrls: ["rex.png"], tags: [{ name: tag }], status: "pending" };
  const added = await operate("addPet", base, "POST /pet", { json: rex });
  const { id } = added.json;
  await operate("addPet", base, "POST /pet", { json: { name: "" }, status: 422 });
  deepEqual((await operate("getPetById", v2, `GET /pet/${id}`)).json, { id, ...rex });
  const urls = { id, name: "Max", photoUrls: "1.png, 2.png", tags: [tag] };
  await operate("updatePet", v2, "PUT /pet", { json: urls });
  const max = { id, name: "Max", photoUrls: ["1.png", "2.png"], tags: [{ name: tag }] };
  deepEqual((await operate("getPetById", base, `GET /pet/${id}`)).json, max);
  deepEqual((await operate("findPetsByTags", base, `GET /pet/findByTags?tags=${tag}`)).json, [max]);
  const form = `POST /pet/${id}?status=sold`;
  const sold = { ...max, status: "sold" };
  deepEqual((await operate("updatePetWithForm", base, form)).json, sold);
  const byStatus = `GET /pet/findByStatus?status=sold&after=${id - 1}&limit=1`;
  deepEqual((await operate("findPetsByStatus", base, byStatus)).json, [sold]);
  deepEqual((await operate("updatePet", base, "PUT /pet", { json: sold })).json, sold);
  const file = { body: PNG, headers: { "Content-Type": "application/octet-stream" } };
  await operate("uploadFile", base, `POST /pet/${id}/uploadImage`, file);
  equal((await operate("deletePet", base, `DELETE /pet/${id}`)).text, "Pet deleted");
  await operate("getInventory", base, "GET /store/inventory");

  const { json: order } = await operate("placeOrder", base, "POST /store/order", { json: {} });
  const orderPath = `/store/order/${order.id}`;
  deepEqual((await operate("getOrderById", base, `GET ${orderPath}`)).json, order);
  equal((await operate("deleteOrder", base, `DELETE ${orderPath}`)).text, "");

  const [username, other] = [`ada-${randomUUID()}`, `bea-${randomUUID()}`];
  const ada = { username, password: "secret" };
  const created = await operate("createUser", base, "POST /user", { json: ada });
  partialDeepStrictEqual(created.json, { username });
  const list = { json: [{ username: other }] };
  const users = await operate("createUsersWithListInput", base, "POST /user/createWithList", list);
  partialDeepStrictEqual(users.json, [{ username: other }]);
  const loggedIn = await operate("loginUser", base, `GET /user/login?username=${username}&password=secret`);
  match(loggedIn.json, /^Logged in user session: [\w-]{43}$/);
  equal((await operate("logoutUser", base, "GET /user/logout")).text, "User logged out");
  const phone = { json: { phone: "1" } };
  const updated = await operate("updateUser", base, `PUT /user/${username}`, phone);
  partialDeepStrictEqual(updated.json, { username, phone: "1" });
  await operate("getUserByName", base, `GET /user/${username}`);
  for (const name of [username, other]) {
    equal((await operate("deleteUser", base, `DELETE /user/${name}`)).text, "");
  }
}

/** Checks that every operation in the documents was called. */
async function testDocuments(v2: string, v3: string): Promise<void> {
  for (const [base, path, version] of [
    [v2, "/openapi.json", /^3\.1\./],
    [v2, "/swagger.json", /^2\.0$/],
    [v3, "/openapi.json", /^3\.0\./],
  ] as const) {
    const { json } = await call("document", `GET ${base}${path}`);
    match(json.openapi ?? json.swagger, version);
    const methods = Object.values<Json>(json.paths).flatMap((item) => Object.values<Json>(item));
    const ids = methods.flatMap(({ operationId }) => operationId ?? []);
    ok(ids.length >= 19, `${path} has ${ids.length} operations`);
    deepEqual(
      ids.filter((id) => !called.has(`${base} ${id}`)),
      [],
      "operations that were not called",
    );
  }
}

async function testApis(origin: string): Promise<void> {
  const [v2, v3] = [`${origin}/v2`, `${origin}/api/v3`];
  await testPets(v2);
  await testOrders(v2);
  await testUsers(v2);
  await testPetstore3(v3, v2);
  await testDocuments(v2, v3);
}

async function testSandbox(origin: string): Promise<void> {
  const { json: created, headers } = await call("create a sandbox", `POST ${origin}/sandboxes`, {
    status: 201,
  });
  const url = `${origin}/sandboxes/${created.name}`;
  ok(headers.get("Location")?.endsWith(`/sandboxes/${created.name}`));
  try {
    await testApis(url);
    await call("replace its data", `PUT ${url}/data`, { json: { data: "classic" }, status: 204 });
    partialDeepStrictEqual((await call("read the sandbox", `GET ${url}`)).json, {
      name: created.name,
      pets: 10,
      orders: 3,
      users: 10,
    });
    equal((await call("read its data", `GET ${url}/data`)).json.pets.length, 10);
    const rule = { operationId: "getInventory", times: 1, status: 503 };
    await call("set a rule", `PUT ${url}/faults`, { json: [rule], status: 204 });
    await call("get the fault response", `GET ${url}/v2/store/inventory`, { status: 503 });
    await call("get the real response", `GET ${url}/v2/store/inventory`);
    deepEqual((await call("read the rules", `GET ${url}/faults`)).json, [{ ...rule, used: 1 }]);
    await call("delete the rules", `DELETE ${url}/faults`, { status: 204 });
    const { json: requests } = await call("read the request log", `GET ${url}/requests?status=5xx`);
    deepEqual(
      requests.map(({ operationId, status }: Json) => [operationId, status]),
      [["getInventory", 503]],
    );
    await call("empty the request log", `DELETE ${url}/requests`, { status: 204 });
    const access = { access: "protected", apiKey: randomUUID() };
    await call("protect its access", `PUT ${url}/access`, { json: access, status: 204 });
    deepEqual((await call("read its access", `GET ${url}/access`)).json, { access: "protected" });
    await call("be rejected without the key", `DELETE ${url}/v2/pet/1`, { status: 401 });
    const key = { headers: { "X-API-Key": access.apiKey } };
    await call("be accepted with the key", `DELETE ${url}/v2/pet/1`, key);
    const page = await call("view its page", `GET ${url}/`, { headers: { Accept: "text/html" } });
    match(page.text, /<html/);
  } finally {
    await call("delete the sandbox", `DELETE ${url}`, { status: 204 });
  }
  await call("read the deleted sandbox", `GET ${url}`, { status: 404 });
}

async function testService(origin: string): Promise<void> {
  deepEqual((await call("health", `GET ${origin}/health`)).json, { status: "ok" });
  match((await call("documentation", `GET ${origin}/docs/`)).text, /<html/);
  if (!values.sandbox) await testApis(origin);
  await testSandbox(origin);
  console.log("all responses are correct");
}

const [url] = positionals;
try {
  await (url === undefined ? withServer(testService) : testService(new URL(url).origin));
} catch (error) {
  const { message, cause } = error as Error;
  // The message is only `fetch failed`; the cause has the reason.
  console.error(cause instanceof Error ? `${url}: ${cause.message}` : message);
  process.exitCode = 1;
}
