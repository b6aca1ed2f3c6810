import { expect, test } from "vitest";
import { send } from "../client.ts";
import type { Answer } from "../client.ts";
import { clientWith, createUser, logIn, uniqueName, userPath } from "../fixtures.ts";

/** Clients of a service that lets nobody in, and of one that lacks a setting. */
const limited = clientWith({ REQUESTS: { limit: async () => ({ success: false }) } });
const closed = clientWith({ PASSWORD_KEY: undefined });

const missing = () => userPath(uniqueName("nobody"));

test.each<[string, number, () => Promise<Answer>]>([
  ["POST /user", 200, () => send("POST", "/user", { json: {} })],
  ["POST /user", 400, () => send("POST", "/user", { json: { userStatus: "0" } })],
  [
    "POST /user",
    409,
    async () => {
      const { id } = await createUser();
      return send("POST", "/user", { json: { id, username: uniqueName("eve") } });
    },
  ],
  [
    "POST /user",
    415,
    () => send("POST", "/user", { body: "{}", headers: { "Content-Type": "text/plain" } }),
  ],
  ["GET /user/{username}", 200, async () => send("GET", (await createUser()).path)],
  ["GET /user/{username}", 400, () => send("GET", "/user/%20")],
  ["GET /user/{username}", 404, () => send("GET", missing())],
  ["HEAD /user/{username}", 200, async () => send("HEAD", (await createUser()).path)],
  ["PUT /user/{username}", 200, async () => send("PUT", (await createUser()).path, { json: {} })],
  ["PUT /user/{username}", 400, async () => send("PUT", (await createUser()).path, { json: [] })],
  ["PUT /user/{username}", 404, () => send("PUT", missing(), { json: {} })],
  [
    "PUT /user/{username}",
    412,
    async () =>
      send("PUT", (await createUser()).path, { json: {}, headers: { "If-Match": '"stale"' } }),
  ],
  ["PATCH /user/{username}", 405, () => send("PATCH", missing())],
  ["OPTIONS /user", 204, () => send("OPTIONS", "/user")],
  ["GET /user/login", 429, () => limited("GET", "/user/login?username=a&password=b")],
  ["GET /user/login", 503, () => closed("GET", "/user/login?username=a&password=b")],
  ["DELETE /user/{username}", 200, async () => send("DELETE", (await createUser()).path)],
  ["DELETE /user/{username}", 400, () => send("DELETE", "/user/%20")],
  ["DELETE /user/{username}", 404, () => send("DELETE", missing())],
  [
    "GET /user/login",
    200,
    async () => {
      const { shown } = await createUser({ password: "secret" });
      return logIn(shown.username, "secret");
    },
  ],
  ["GET /user/login", 400, () => logIn(uniqueName("nobody"), "secret")],
  ["GET /user/logout", 200, () => send("GET", "/user/logout")],
])("no answer about users may be stored: %s with %i", async (_, status, request) => {
  const answer = await request();
  expect(answer.status).toBe(status);
  const caching = answer.headers.has("etag") ? "no-store, no-transform" : "no-store";
  expect(answer.headers.get("cache-control")).toBe(caching);
});

test("answers about pets and orders may be kept by the client, but not used unchecked", async () => {
  for (const path of ["/pet/1", "/pet/findByStatus?status=sold", "/store/inventory"]) {
    expect((await send("GET", path)).headers.get("cache-control")).toBe("private, no-cache");
  }
});
