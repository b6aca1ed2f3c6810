import { describe, expect, test } from "vitest";
import { getJson, protectedEnv, send } from "../client.ts";
import { classicSandbox, protect } from "./sandboxes.ts";

/** As short as a key may be. */
const API_KEY = "key-of-16-chars!";

const protectedSandbox = async () => protect(await classicSandbox(), API_KEY);

describe("a sandbox's access", () => {
  test("is open initially, never shows the key, and can be opened again", async () => {
    const path = await classicSandbox();
    const show = async () => getJson(`${path}/access`);
    expect(await show()).toEqual({ access: "open" });
    await protect(path, API_KEY);
    expect(await show()).toEqual({ access: "protected" });
    expect((await send("PUT", `${path}/access`, { json: { access: "open" } })).status).toBe(204);
    expect(await show()).toEqual({ access: "open" });
    expect((await send("DELETE", `${path}/v2/pet/1`)).status).toBe(200);
  });

  test("does not apply to management endpoints, and is kept when the data is replaced", async () => {
    const path = await protectedSandbox();
    for (const below of ["", "/data", "/faults", "/access", "/requests"]) {
      expect((await send("GET", path + below)).status).toBe(200);
    }
    expect((await send("PUT", `${path}/faults`, { json: [] })).status).toBe(204);
    expect((await send("PUT", `${path}/data`, { json: { data: "classic" } })).status).toBe(204);
    expect((await send("DELETE", `${path}/v2/pet/1`)).status).toBe(401);
    expect((await send("DELETE", path)).status).toBe(204);
  });

  test("is independent of the service's access, and neither key works for the other", async () => {
    const [own, open] = [await protectedSandbox(), await classicSandbox()];
    const env = protectedEnv;
    expect((await send("DELETE", `${open}/v2/pet/1`, { env })).status).toBe(200);
    const headers = { api_key: env.API_KEY };
    expect((await send("DELETE", `${own}/v2/pet/1`, { env, headers })).status).toBe(401);
    const sent = { json: { name: "Rex", photoUrls: [] }, env, headers: { api_key: API_KEY } };
    expect((await send("POST", "/v2/pet", sent)).status).toBe(401);
  });

  test.each<[unknown, string]>([
    [[], "body"],
    [{ access: "closed" }, "access"],
    [{}, "access"],
    [{ access: "open", apiKey: API_KEY }, "apiKey"],
    [{ access: "protected", apiKey: API_KEY, key: API_KEY }, "key"],
    [JSON.parse('{"access":"open","__proto__":1}'), "__proto__"],
    [{ access: "protected" }, "apiKey"],
    [{ access: "protected", apiKey: API_KEY.slice(1) }, "apiKey"],
    // What no header can carry, or not to its end.
    [{ access: "protected", apiKey: " ".repeat(16) }, "apiKey"],
    [{ access: "protected", apiKey: ` ${API_KEY}` }, "apiKey"],
    [{ access: "protected", apiKey: `${API_KEY} ` }, "apiKey"],
    [{ access: "protected", apiKey: `${API_KEY}\n` }, "apiKey"],
    [{ access: "protected", apiKey: `${API_KEY}\t${API_KEY}` }, "apiKey"],
    [{ access: "protected", apiKey: `${API_KEY}\u007F` }, "apiKey"],
    [{ access: "protected", apiKey: "schlüssel-der-tests" }, "apiKey"],
    [{ access: "protected", apiKey: "密".repeat(16) }, "apiKey"],
    [{ access: "protected", apiKey: 1_234_567_890_123_456 }, "apiKey"],
  ])("rejects %j", async (json, path) => {
    const own = await protectedSandbox();
    const response = await send("PUT", `${own}/access`, { json });
    expect(response.status).toBe(400);
    // The library's own messages do not say what to change.
    const message = expect.not.stringMatching(/Invalid|Expected|received/);
    expect(await response.json()).toMatchObject({ errors: [{ path, message }] });
    expect(await getJson(`${own}/access`)).toEqual({ access: "protected" });
  });
});
