import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createPet, createUser, send, type Init } from "../client.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** A request, then the status, the message, and the invalid fields. */
type Refused = [method: string, path: string, init: Init, status: number, message: string, ...at: string[]];

/** The specification's error table, row by row. */
const SPECIFIED: Refused[] = [
  ["POST", "/v2/pet", { json: { photoUrls: [] } }, 405, "Invalid input", "name"],
  ["PUT", "/v2/pet", { json: { name: "Rex", photoUrls: [] } }, 400, "Invalid ID supplied", "id"],
  ["PUT", "/v2/pet", { json: { id: 987_654_321, name: "Rex", photoUrls: [] } }, 404, "Pet not found"],
  ["PUT", "/v2/pet", { json: { id: 1, name: "Rex" } }, 405, "Validation exception", "photoUrls"],
  ["GET", "/v2/pet/findByStatus?status=lost", {}, 400, "Invalid status value", "status.0"],
  ["GET", "/v2/pet/findByTags?tags=", {}, 400, "Invalid tag value", "tags.0"],
  ["GET", "/v2/pet/seven", {}, 400, "Invalid ID supplied", "petId"],
  ["GET", "/v2/pet/987654321", {}, 404, "Pet not found"],
  ["DELETE", "/v2/pet/seven", {}, 400, "Invalid ID supplied", "petId"],
  ["DELETE", "/v2/pet/987654321", {}, 404, "Pet not found"],
  ["POST", "/v2/store/order", { json: { quantity: -1 } }, 400, "Invalid order", "quantity"],
  ["GET", "/v2/store/order/11", {}, 400, "Invalid ID supplied", "orderId"],
  ["GET", "/v2/store/order/10", {}, 404, "Order not found"],
  ["DELETE", "/v2/store/order/seven", {}, 400, "Invalid ID supplied", "orderId"],
  ["DELETE", "/v2/store/order/10", {}, 404, "Order not found"],
  ["GET", "/v2/user/login?username=a&password=b", {}, 400, "Invalid username/password supplied"],
  ["GET", "/v2/user/%20", {}, 400, "Invalid username supplied", "username"],
  ["GET", "/v2/user/nobody", {}, 404, "User not found"],
  ["PUT", "/v2/user/nobody", { json: { userStatus: "0" } }, 400, "Invalid user supplied", "userStatus"],
  ["PUT", "/v2/user/nobody", { json: {} }, 404, "User not found"],
  ["DELETE", "/v2/user/%20", {}, 400, "Invalid username supplied", "username"],
  ["DELETE", "/v2/user/nobody", {}, 404, "User not found"],
  // Not in the table.
  ["POST", "/v2/pet/1", { body: new URLSearchParams({ status: "lost" }) }, 405, "Invalid input", "status"],
  ["POST", "/v2/user", { json: { userStatus: "0" } }, 400, "Invalid user supplied", "userStatus"],
  ["GET", "/nowhere", {}, 404, "Not found"],
  ["PATCH", "/v2/pet", {}, 405, "Method not allowed"],
  // The ID is checked before the other fields, and all fields before the database.
  ["PUT", "/v2/pet", { json: { id: 0, name: 7 } }, 400, "Invalid ID supplied", "id", "name", "photoUrls"],
  ["PUT", "/v2/pet", { json: { id: 987_654_321, name: "Rex" } }, 405, "Validation exception", "photoUrls"],
  // Petstore 3 has different messages.
  ["GET", "/api/v3/pet/findByStatus?status=lost", {}, 400, "Invalid status value", "status.0"],
  ["GET", "/api/v3/pet/findByTags", {}, 400, "Invalid tag value", "tags"],
  ["POST", "/api/v3/store/order", { json: [] }, 400, "Invalid input", "body"],
  ["POST", "/api/v3/store/order", { json: { quantity: "1" } }, 422, "Validation exception", "quantity"],
  ["POST", "/api/v3/user/createWithList", { json: {} }, 400, "Invalid input", "body"],
  ["GET", "/api/v3/user/nobody", {}, 404, "User not found"],
  ["PUT", "/api/v3/user/nobody", { json: {} }, 404, "User not found"],
  ["DELETE", "/api/v3/user/nobody", {}, 404, "User not found"],
  ["GET", "/api/v3/user/%20", {}, 400, "Invalid username supplied", "username"],
  ["PUT", "/api/v3/user/%20", { json: {} }, 400, "bad request", "username"],
  ["GET", "/api/v3/user/login", {}, 400, "Invalid username/password supplied"],
];

const INTERNAL = /sqlite|d1_|drizzle|valibot|hono|constraint|select |insert |id_sequences|\.[jt]s\b|\bat \w+ \(|stack/i;

describe("an error", () => {
  test.each<Refused>(SPECIFIED)(
    "of %s %s %j has the status %i and the message %s",
    async (method, path, init, status, message, ...at) => {
      await createPet({ id: 1 });
      const response = await send(method, path, init);
      expect(response.status).toBe(status);
      expect(response.headers.get("content-type")).toMatch(/^application\/json/);
      const text = await response.text();
      expect(text).not.toMatch(INTERNAL);
      const { errors = [], ...body } = JSON.parse(text) as { errors?: { path: string }[] };
      expect(body).toEqual({ code: status, type: "error", message });
      expect(errors.map(({ path: each }) => each)).toEqual(at);
      const methods = /^\/v2\/pet\/\d/.test(path)
        ? ["DELETE", "GET", "HEAD", "OPTIONS", "POST"]
        : ["OPTIONS", "POST", "PUT"];
      const allow = response.headers.get("allow")?.split(", ").toSorted();
      expect(allow).toEqual(status === 405 ? methods : undefined);
    },
  );

  test("caused by a bug is 500, and only the log has details", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const DB = new Proxy(env.DB, {
      get: () => {
        throw new TypeError("a secret of the tests");
      },
    });
    const response = await send("GET", "/v2/store/inventory", { env: { DB } });
    const { message, ...body } = await response.json<{ message: string }>();
    expect([response.status, body]).toEqual([500, { code: 500, type: "error" }]);
    expect(message).not.toContain("secret");
    expect(log.mock.calls.flat().join(" ")).toContain("a secret of the tests");
  });
});

/** Returns what a request logs. */
async function linesOf(method: string, path: string, init: Init = {}): Promise<string[]> {
  const lines: string[] = [];
  for (const name of ["log", "info", "warn", "error"] as const) {
    vi.spyOn(console, name).mockImplementation((...line: unknown[]) => {
      lines.push(line.map(String).join(" "));
    });
  }
  await send(method, path, init);
  vi.restoreAllMocks();
  return lines;
}

describe("the log", () => {
  test.each([
    ["GET", "/v2/user/planted", {}],
    ["GET", "/v2/user/login?username=planted&password=planted", {}],
    ["POST", "/v2/user", { json: { username: "planted", password: "planted" } }],
    ["PUT", "/v2/user/planted", { json: { email: 7, password: "planted" } }],
    ["GET", "/planted", {}],
    ["GET", "/v2/store/inventory", { headers: { authorization: "Bearer planted" } }],
    ["GET", "/v2/store/inventory", { headers: { cookie: "session=planted", api_key: "planted" } }],
  ])("has one line for %s %s, without any part of the request", async (method, path, init) => {
    const lines = await linesOf(method, path, init);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ method });
    expect(lines[0]).not.toContain("planted");
  });

  test("contains neither the key for passwords nor a login's token", async () => {
    const { username, password } = await createUser();
    const lines: string[] = [];
    vi.spyOn(console, "log").mockImplementation((line) => void lines.push(String(line)));
    const response = await send("GET", `/v2/user/login?username=${username}&password=${password}`);
    const [, token = ""] = (await response.json<{ message: string }>()).message.split(":");
    expect(lines.join()).not.toContain(token);
    expect(lines.join()).not.toContain(env.PASSWORD_KEY);
  });
});
