// `npm run smoke -- <origin>`: sends the examples of every operation to a running service, and uses all management endpoints of
// a sandbox. Without an origin, it starts a server. Protected access requires `--api-key <key>`.
//
// The service may contain data: the test deletes what it creates. It compares counts, so it fails if other clients write at
// the same time. With `--sandbox`, it changes only a new sandbox, which it deletes.
import { deepEqual, equal, match, ok, partialDeepStrictEqual } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { PNG, walk } from "../test/documents/walk.ts";
import { withServer } from "./server.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { "api-key": { type: "string" }, sandbox: { type: "boolean", default: false } },
});

const KEY = options["api-key"] === undefined ? {} : { "X-API-Key": options["api-key"] };

interface Sent {
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The expected status. Default: 200. */
  readonly status?: number;
}

/** A JSON object or array. */
// oxlint-disable-next-line typescript/no-explicit-any -- the assertions below check its content
type Json = any;

/** Checks the status of a response. @param step what it tests, such as the operation's ID @returns its content */
async function check(step: string, method: string, response: Response, status = 200) {
  const { headers, url } = response;
  const text = await response.text();
  // Omits the query, which may contain a password, and the sandbox's secret name.
  const shown = `${method} ${new URL(url).pathname.replace(/^\/sandboxes\/[^/]+/, "/sandboxes/…")}`;
  equal(response.status, status, `${step}: ${shown} returned ${response.status}: ${text.slice(0, 1000)}`);
  console.log(`ok  ${step}  ${shown}  ${status}`);
  const isJson = headers.get("Content-Type")?.startsWith("application/json");
  const json: Json = isJson ? JSON.parse(text) : undefined;
  return { json, text, headers };
}

/** Sends a request and checks the status. */
async function call(step: string, target: string, { json, headers, status }: Sent = {}) {
  const [method = "", url = ""] = target.split(" ");
  const type = json !== undefined && { "Content-Type": "application/json" };
  const response = await fetch(url, {
    method,
    redirect: "manual",
    headers: { ...type, ...KEY, ...headers },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  return check(step, method, response, status);
}

function checkLogin(base: string, { json, headers }: Awaited<ReturnType<typeof check>>): void {
  const [token = ""] = /[\w-]{43}$/.exec(json.message ?? json) ?? [];
  const cookie = headers.get("Set-Cookie")?.split("; ") ?? [];
  for (const part of [`session=${token}`, "HttpOnly", "SameSite=Strict", `Path=${new URL(base).pathname}`]) {
    ok(cookie.includes(part), `the cookie lacks ${part.replace(token, "the token")}`);
  }
  match(headers.get("X-Expires-After") ?? "", /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  match(headers.get("X-Rate-Limit") ?? "", /^\d+$/);
}

/** Sends the examples of an API's document, for resources of its own, which it deletes. */
async function testApi(base: string, version: RegExp): Promise<void> {
  const { json: document } = await call("document", `GET ${base}/openapi.json`);
  match(document.openapi, version);
  const { json: before } = await call("count the pets", `GET ${base}/store/inventory`);
  const suffix = `-${randomUUID()}`;
  const created = new Set<string>();
  const values: Record<string, unknown> = { username: `ada${suffix}` };

  const rename = (name: string, value: unknown) => {
    if (name !== "username") return value;
    created.add(`/user/${String(value)}${suffix}`);
    return `${String(value)}${suffix}`;
  };

  const steps = walk({
    document,
    values,
    send: async ({ target, ...init }) => fetch(base + target, { ...init, headers: KEY }),
    bodyFor: (_, example) => {
      const body: Json = JSON.parse(JSON.stringify(example), rename);
      return "id" in body ? { ...body, id: values["petId"] } : body;
    },
  });
  try {
    for await (const { operation, target, response } of steps) {
      const { operationId, method } = operation;
      // At /v2, only the IDs 1 to 10 can be looked up. Other orders may have them all.
      const isHidden = operationId === "getOrderById" && base.endsWith("/v2") && Number(values["orderId"]) > 10;
      const result = await check(operationId, method, response, isHidden ? 400 : 200);
      const { json, headers } = result;
      if (operationId === "addPet") created.add(`/pet/${(values["petId"] = json.id)}`);
      if (operationId === "placeOrder") created.add(`/store/order/${(values["orderId"] = json.id)}`);
      if (operationId === "loginUser") checkLogin(base, result);
      if (operationId === "getPetImage") {
        equal(headers.get("Content-Type"), PNG.type);
        equal(headers.get("Content-Length"), String(PNG.size));
      }
      if (operationId === "getPetById") {
        partialDeepStrictEqual(json, { id: values["petId"], status: "pending" });
        const etag = { "If-None-Match": headers.get("ETag") ?? "" };
        await call("an unchanged pet", `GET ${base}${target}`, { headers: etag, status: 304 });
        await call("a changed pet", `PUT ${base}/pet`, { json, headers: { "If-Match": '"0"' }, status: 412 });
      }
    }
  } finally {
    // Most are deleted already.
    for (const path of created) await fetch(base + path, { method: "DELETE", headers: KEY });
  }
  for (const path of created) {
    if (!path.startsWith("/store")) await call("a deleted resource", `GET ${base}${path}`, { status: 404 });
  }
  deepEqual((await call("count the pets", `GET ${base}/store/inventory`)).json, before);
  const status = base.endsWith("/v2") ? 405 : 422;
  const { json: error } = await call("an invalid pet", `POST ${base}/pet`, { json: { name: "" }, status });
  deepEqual(
    error.errors.map(({ path }: Json) => path),
    ["name", "photoUrls"],
  );
}

async function testApis(origin: string): Promise<void> {
  await testApi(`${origin}/v2`, /^3\.1\./);
  await testApi(`${origin}/api/v3`, /^3\.0\./);
  equal((await call("document", `GET ${origin}/v2/swagger.json`)).json.swagger, "2.0");
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
  if (!options.sandbox) await testApis(origin);
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
