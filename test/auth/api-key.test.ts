import { describe, expect, test } from "vitest";
import { createPet, protectedEnv, send } from "../client.ts";

const KEY = protectedEnv.API_KEY;

/** Deletes a pet, which requires the API key. */
async function attempt(headers: Record<string, string>, env: object = protectedEnv) {
  const { id } = await createPet();
  return send("DELETE", `/v2/pet/${id}`, { headers, env });
}

describe("the API key", () => {
  test.each([
    [{ "x-api-key": KEY }],
    [{ api_key: "wrong", "x-api-key": KEY }],
    [{ api_key: KEY, "x-api-key": "wrong" }],
  ])("is accepted in %j", async (headers) => {
    expect((await attempt(headers)).status).toBe(200);
  });

  test.each([
    [{ api_key: "" }],
    [{ "x-api-key": KEY.slice(0, -1) }],
    [{ authorization: `Bearer ${KEY}` }],
    [{ "api-key": KEY }],
  ])("is not accepted in %j", async (headers) => {
    const response = await attempt(headers);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer\b/);
  });

  test("is never accepted if no key is configured", async () => {
    for (const API_KEY of [undefined, ""]) {
      for (const headers of [{ api_key: "" }, { api_key: "undefined" }, { "x-api-key": "null" }]) {
        expect((await attempt(headers, { ...protectedEnv, API_KEY })).status).toBe(401);
      }
    }
  });

  test("is ignored with open access, whether right or wrong", async () => {
    for (const api_key of [KEY, "wrong"]) {
      expect((await attempt({ api_key }, { API_KEY: KEY })).status).toBe(200);
    }
  });
});
