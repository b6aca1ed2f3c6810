import { describe, expect, test } from "vitest";
import { createPet, createUser, placeOrder, send } from "../client.ts";

/** Returns responses of every kind. */
async function responses(): Promise<Response[]> {
  const { id } = await createPet();
  const { username, password } = await createUser();
  const headers = { origin: "https://shop.example" };
  return Promise.all(
    [
      ["GET", `/v2/pet/${id}`],
      ["GET", `/api/v3/pet/${id}`],
      ["GET", "/v2/pet/findByStatus?status=sold"],
      ["GET", "/v2/pet/seven"],
      ["GET", "/v2/pet/987654321"],
      ["GET", "/v2/nowhere"],
      ["PATCH", "/v2/pet"],
      ["GET", `/v2/user/${username}`],
      ["GET", `/v2/user/login?username=${username}&password=${password}`],
    ].map(async ([method = "", path = ""]) => send(method, path, { headers })),
  );
}

describe("every API response", () => {
  test("can be read by pages from any origin without credentials, and keeps its type", async () => {
    for (const { headers } of await responses()) {
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-allow-credentials")).toBeNull();
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("access-control-expose-headers")).toBe("*");
    }
  });

  test("has a unique request ID, never the client's", async () => {
    const ids = (await responses()).map(({ headers }) => headers.get("x-request-id"));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[\w-]{8,}$/);
    const headers = { "x-request-id": "chosen-by-the-client" };
    const response = await send("GET", "/v2/store/inventory", { headers });
    expect(response.headers.get("x-request-id")).not.toBe("chosen-by-the-client");
  });

  test("is no-store for users and logins, and private otherwise", async () => {
    const { id } = await createPet();
    await placeOrder({ id: 9 });
    const { username, password } = await createUser();
    for (const [path, caching] of [
      [`/v2/pet/${id}`, /^private, no-cache, no-transform$/],
      ["/v2/store/order/9", /^private, no-cache, no-transform$/],
      [`/v2/user/${username}`, /^no-store, no-transform$/],
      [`/v2/user/login?username=${username}&password=${password}`, /^no-store/],
      ["/v2/user/nobody", /^no-store/],
      ["/v2/store/inventory", /^private, no-cache$/],
      ["/v2/pet/findByStatus?status=sold", /^private, no-cache$/],
      ["/v2/pet/987654321", /^private, no-cache$/],
    ] as const) {
      const response = await send("GET", path);
      expect(response.headers.get("cache-control"), path).toMatch(caching);
    }
  });
});

test.each([
  "/",
  "/health",
  "/v2",
  "/v2/pet/seven",
  "/api/v3/store/inventory",
  "/nowhere",
  "/sandboxes/",
  "/sandboxes/short",
])("every response has a Date: %s", async (path) => {
  for (const [method, Accept] of [
    ["GET", "*/*"],
    ["GET", "text/html"],
    ["HEAD", "*/*"],
    ["OPTIONS", "*/*"],
    ["PATCH", "*/*"],
  ] as const) {
    const { headers } = await send(method, path, { headers: { Accept }, documented: false });
    const date = headers.get("date") ?? "";
    expect(new Date(date).toUTCString()).toBe(date);
  }
});

test("paths outside the APIs have no CORS", async () => {
  const headers = { origin: "https://shop.example", "access-control-request-method": "GET" };
  for (const path of ["/", "/health", "/nowhere", "/sandboxes"]) {
    for (const method of ["GET", "OPTIONS"]) {
      const response = await send(method, path, { headers });
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
  }
});

test("Content-Location is the URL of the resource that PUT returns, under the same API", async () => {
  const { id } = await createPet();
  const json = { id, name: "Max", photoUrls: [] };
  for (const [path, location] of [
    ["/v2/pet", `/v2/pet/${id}`],
    ["/v2/pet/", `/v2/pet/${id}`],
    ["/api/v3/pet", `/api/v3/pet/${id}`],
  ] as const) {
    const response = await send("PUT", path, { json });
    expect([path, response.headers.get("content-location")]).toEqual([path, location]);
  }
});

test("Content-Location is absent for an order that cannot be looked up", async () => {
  for (const [base, id, location] of [
    ["/v2", 10, "/v2/store/order/10"],
    ["/v2", 11, null],
    ["/api/v3", 10, "/api/v3/store/order/10"],
    ["/api/v3", 11, "/api/v3/store/order/11"],
  ] as const) {
    for (const headers of [{}, { "idempotency-key": `${base} ${id}` }]) {
      await send("DELETE", `/v2/store/order/${id}`);
      for (let attempt = 1; attempt <= 2; attempt++) {
        const response = await send("POST", `${base}/store/order`, { json: { id }, headers });
        expect([base, id, response.headers.get("content-location")]).toEqual([base, id, location]);
      }
    }
  }
});
