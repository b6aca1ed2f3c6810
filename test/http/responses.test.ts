import { describe, expect, test, vi } from "vitest";
import { send } from "../client.ts";
import { clientWith } from "../fixtures.ts";
import { CountingLimit } from "../limiters.ts";
import { exchange, operations, prepare } from "../operations.ts";
import type { Exchange } from "../operations.ts";
import type { Answer } from "../client.ts";
import { database } from "../engine.ts";

const pet = { name: "Rex", photoUrls: "rex.png", status: "sold" };

/** Requests that are refused, with the status. */
const refusals: readonly (Exchange & { readonly status: number })[] = [
  { method: "GET", path: "/nowhere", status: 404 },
  { method: "PATCH", path: "/pet", status: 405 },
  { method: "POST", path: "/pet", json: {}, status: 405 },
  { method: "POST", path: "/pet", body: "{", status: 415 },
  { method: "POST", path: "/pet", body: new Uint8Array(300_000), status: 413 },
  { method: "PUT", path: "/pet", json: { ...pet, id: 987654321 }, status: 404 },
  { method: "PUT", path: "/pet", json: pet, status: 400 },
  { method: "GET", path: "/pet/abc", status: 400 },
  { method: "GET", path: "/pet/987654321", status: 404 },
  { method: "GET", path: "/pet/findByStatus", status: 400 },
  { method: "GET", path: "/pet/findByTags?tags=", status: 400 },
  { method: "DELETE", path: "/pet/987654321", status: 404 },
  { method: "POST", path: "/store/order", json: { quantity: -1 }, status: 400 },
  { method: "GET", path: "/store/order/11", status: 400 },
  { method: "DELETE", path: "/store/order/987654321", status: 404 },
  { method: "POST", path: "/user", json: { username: "" }, status: 400 },
  { method: "GET", path: "/user/nobody-at-all", status: 404 },
  { method: "GET", path: "/user/%FF", status: 400 },
  { method: "PUT", path: "/user/nobody-at-all", json: {}, status: 404 },
  { method: "DELETE", path: "/user/nobody-at-all", status: 404 },
  { method: "GET", path: "/user/login?username=a&password=b", status: 400 },
];

const EXPOSED = [
  "etag",
  "link",
  "retry-after",
  "x-d1-bookmark",
  "x-expires-after",
  "x-rate-limit",
  "x-request-id",
];

function exposedBy({ headers }: Answer): string[] {
  const exposed = headers.get("access-control-expose-headers") ?? "";
  return exposed.toLowerCase().split(/, */).toSorted();
}

/** Operations whose success has an ETag: no edge may compress it, which would weaken the tag. */
const TAGGED = new Set([
  "addPet",
  "updatePet",
  "getPetById",
  "placeOrder",
  "getOrderById",
  "getUserByName",
]);

describe("every operation that is answered in JSON", () => {
  const inJson = operations.filter(({ operation }) => operation.binary === undefined);

  for (const { id, method, route: path } of inJson) {
    const route = `${method} ${path}`;
    const succeed = async (headers?: Record<string, string>) => {
      const answer = await exchange(send, (await prepare(id)).request, headers);
      expect(answer.status).toBe(200);
      return answer;
    };

    test(`is open to pages of any origin, without credentials: ${route}`, async () => {
      const answer = await succeed({ Origin: "https://shop.example" });
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      expect(exposedBy(answer)).toEqual(EXPOSED);
    });

    const stored = path.startsWith("/user") ? "no-store" : "private, no-cache";
    const cacheControl = TAGGED.has(id) ? `${stored}, no-transform` : stored;
    test(`is answered as JSON with Cache-Control: ${cacheControl}: ${route}`, async () => {
      const answer = await succeed();
      expect(answer.headers.get("cache-control")).toBe(cacheControl);
      expect(answer.headers.has("etag")).toBe(TAGGED.has(id));
      expect(answer.headers.get("content-type")).toBe("application/json");
    });

    test(`is answered with a request id of its own: ${route}`, async () => {
      const [one, other] = [await succeed(), await succeed()];
      expect(one.headers.get("x-request-id")).toMatch(/^[\w-]{8,}$/);
      expect(other.headers.get("x-request-id")).not.toBe(one.headers.get("x-request-id"));
    });
  }
});

test("no operation sends a request of its own, whatever URLs it is given", async () => {
  const fetched = vi.spyOn(globalThis, "fetch");
  for (const { id } of operations) {
    const { request } = await prepare(id, { word: "http://127.0.0.1/" });
    expect((await exchange(send, request)).status).toBe(200);
  }
  const photoUrls = ["http://127.0.0.1/", "http://169.254.169.254/latest", "//pets.example/a.png"];
  await send("POST", "/pet", { json: { name: "Rex", photoUrls } });
  expect(fetched).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

describe("every refusal", () => {
  for (const { status, ...refused } of refusals) {
    const request = `${status} ${refused.method} ${refused.path}`;
    test(`has a body of code, type, message and the fields at fault: ${request}`, async () => {
      const answer = await exchange(send, refused);
      expect(answer.status).toBe(status);
      expect(answer.headers.get("content-type")).toBe("application/json");
      const { errors = [], ...body } = answer.json as { errors?: unknown[] };
      expect(body).toEqual({
        code: status,
        type: "error",
        message: expect.stringMatching(/^[A-Z][\w/ ]+$/),
      });
      for (const error of errors) {
        expect(error).toEqual({ path: expect.stringMatching(/./), message: expect.any(String) });
      }
    });

    test(`is open to pages of any origin, and never cached: ${request}`, async () => {
      const answer = await exchange(send, refused, { Origin: "https://shop.example" });
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      expect(exposedBy(answer)).toEqual(EXPOSED);
      expect(answer.headers.get("x-request-id")).toMatch(/^[\w-]{8,}$/);
      expect(answer.headers.get("cache-control")).toBe(
        refused.path.startsWith("/user") ? "no-store" : "private, no-cache",
      );
    });
  }

  test("shows nothing internal", async () => {
    for (const { status: _, ...refused } of refusals) {
      const { text } = await exchange(send, refused);
      expect(text).not.toMatch(
        /sqlite|d1_|drizzle|valibot|hono|constraint|select |insert |update |\bpets\b|id_ranges|\.[jt]s\b|\bat \w+ \(|stack/i,
      );
    }
  });

  test("stores nothing", async () => {
    await send("POST", "/pet", { json: { id: 900_001, ...pet } });
    await send("POST", "/store/order", { json: { id: 900_001 } });
    await send("POST", "/user", { json: { id: 900_001, username: "stays" } });
    const tables = ["pets", "pet_tags", "inventory", "orders", "users", "id_sequences"];
    const content = async () => {
      const results = await database.batch(
        [...tables, "id_ranges"].map((table) => database.prepare(`select * from ${table}`)),
      );
      return results.map(({ results: rows }) => rows);
    };
    const before = await content();

    const more: readonly (Exchange & { readonly status: number })[] = [
      ...refusals,
      { method: "POST", path: "/pet", json: { ...pet, id: 900_001, name: "Max" }, status: 405 },
      { method: "POST", path: "/pet", json: { ...pet, tags: ["ok", 7] }, status: 405 },
      { method: "PUT", path: "/pet", json: { id: 900_001, name: "Max" }, status: 405 },
      { method: "POST", path: "/store/order", json: { id: 900_001, quantity: 5 }, status: 400 },
      { method: "POST", path: "/user", json: { username: "stays", phone: "2" }, status: 409 },
      { method: "POST", path: "/user", json: { id: 900_001, username: "new" }, status: 409 },
      { method: "PUT", path: "/user/stays", json: { phone: "2", userStatus: "0" }, status: 400 },
      { method: "PUT", path: "/user/stays", json: { username: "login" }, status: 400 },
      {
        method: "PUT",
        path: "/pet",
        json: { ...pet, id: 900_001, name: "Max" },
        headers: { "If-Match": '"1"' },
        status: 412,
      },
      { method: "DELETE", path: "/pet/900001", headers: { "If-Match": '"1"' }, status: 412 },
      {
        method: "DELETE",
        path: "/store/order/900001",
        headers: { "If-Match": '"1"' },
        status: 412,
      },
      { method: "DELETE", path: "/user/stays", headers: { "If-Match": '"1"' }, status: 412 },
    ];
    for (const { status, ...refused } of more) {
      expect((await exchange(send, refused)).status).toBe(status);
    }

    expect(await content()).toEqual(before);
  });
});

describe("too many requests", () => {
  test("are answered 429 with Retry-After, and reach no store", async () => {
    const REQUESTS = new CountingLimit(0);
    const client = clientWith({ REQUESTS });
    const headers = { "CF-Connecting-IP": "203.0.113.7", Origin: "https://shop.example" };
    const tags = [crypto.randomUUID()];
    const answer = await client("POST", "/pet", { json: { ...pet, tags }, headers });

    expect(answer.status).toBe(429);
    expect(answer.json).toEqual({ code: 429, type: "error", message: "Too many requests" });
    expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(exposedBy(answer)).toContain("retry-after");
    expect(REQUESTS.keys).toEqual([expect.stringContaining("203.0.113.7")]);
    expect((await send("GET", `/pet/findByTags?tags=${tags[0]}`)).json).toEqual([]);
  });

  test("are counted per client address", async () => {
    const client = clientWith({ REQUESTS: new CountingLimit(2) });
    const from = async (address: string) =>
      client("GET", "/store/inventory", { headers: { "CF-Connecting-IP": address } });
    const statuses = [];
    for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.2"]) {
      statuses.push((await from(address)).status);
    }
    expect(statuses).toEqual([200, 200, 429, 200, 200]);
  });
});
