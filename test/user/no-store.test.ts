import { expect, test } from "vitest";
import { send } from "../client.ts";
import type { Answer } from "../client.ts";
import { clientWith, createUser, uniqueName, userPath } from "../fixtures.ts";

/** Clients of a service whose limiters refuse everyone, and of one that lacks a setting. */
const limited = clientWith({ REQUESTS: { limit: async () => ({ success: false }) } });
const closed = clientWith({ PASSWORD_KEY: undefined });

const missing = () => userPath(uniqueName("nobody"));

test.each<[string, number, () => Promise<Answer>]>([
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
  ["GET /user/{username}", 400, () => send("GET", "/user/%20")],
  ["HEAD /user/{username}", 200, async () => send("HEAD", (await createUser()).path)],
  ["PUT /user/{username}", 400, async () => send("PUT", (await createUser()).path, { json: [] })],
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
  ["DELETE /user/{username}", 400, () => send("DELETE", "/user/%20")],
])("no answer about users may be stored: %s with %i", async (_, status, request) => {
  const answer = await request();
  expect(answer.status).toBe(status);
  const caching = answer.headers.has("etag") ? "no-store, no-transform" : "no-store";
  expect(answer.headers.get("cache-control")).toBe(caching);
});
