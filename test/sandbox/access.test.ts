import { describe, expect, test } from "vitest";
import { createPet, createUser, protectedEnv, sandbox, send } from "../client.ts";

/** As short as a key may be. */
const API_KEY = "key-of-16-chars!";

/** A sandbox with protected access, the pet 1 that nobody owns, and the user ann. */
async function protectedSandbox(): Promise<string> {
  const path = sandbox();
  const base = `${path}/v2`;
  await createPet({ id: 1 }, { base });
  await createUser({ username: "ann" }, { base });
  const json = { access: "protected", apiKey: API_KEY };
  expect((await send("PUT", `${path}/access`, { json })).status).toBe(204);
  return path;
}

describe("the access of a sandbox", () => {
  test("is open at first, shows no key later, and can be open again", async () => {
    const path = sandbox();
    await createPet({ id: 1 }, { base: `${path}/v2` });
    const show = async () => (await send("GET", `${path}/access`)).json();
    expect(await show()).toEqual({ access: "open" });
    await send("PUT", `${path}/access`, { json: { access: "protected", apiKey: API_KEY } });
    expect(await show()).toEqual({ access: "protected" });
    expect((await send("PUT", `${path}/access`, { json: { access: "open" } })).status).toBe(204);
    expect(await show()).toEqual({ access: "open" });
    expect((await send("DELETE", `${path}/v2/pet/1`)).status).toBe(200);
  });

  test.each([
    ["no credential", 401, {}],
    ["a dead token", 401, { Authorization: "Bearer dead" }],
    ["the key", 200, { api_key: API_KEY }],
  ])("answers a client with %s %i", async (_, status, headers) => {
    const path = await protectedSandbox();
    for (const base of [`${path}/v2`, `${path}/api/v3`]) {
      const json = { name: "Rex", photoUrls: [] };
      for (const answer of [
        await send("POST", `${base}/pet`, { json, headers }),
        await send("GET", `${base}/user/ann`, { headers }),
      ]) {
        expect(answer.status).toBe(status);
        expect(answer.headers.has("www-authenticate")).toBe(status === 401);
      }
      expect((await send("GET", `${base}/pet/1`, { headers })).status).toBe(200);
    }
    expect((await send("DELETE", `${path}/v2/pet/1`, { headers })).status).toBe(status);
  });

  test("does not concern who manages the sandbox, and outlives its data", async () => {
    const path = await protectedSandbox();
    for (const below of ["", "/data", "/faults", "/access", "/requests"]) {
      expect((await send("GET", path + below)).status).toBe(200);
    }
    expect((await send("PUT", `${path}/faults`, { json: [] })).status).toBe(204);
    expect((await send("PUT", `${path}/data`, { json: { data: "classic" } })).status).toBe(204);
    expect((await send("DELETE", `${path}/v2/pet/1`)).status).toBe(401);
    expect((await send("DELETE", path)).status).toBe(204);
  });

  test("is not that of the service, and neither key opens the other", async () => {
    const [own, open] = [await protectedSandbox(), sandbox()];
    const env = protectedEnv;
    await send("PUT", `${open}/data`, { json: { data: "classic" } });
    expect((await send("DELETE", `${open}/v2/pet/1`, { env })).status).toBe(200);
    const headers = { api_key: env.API_KEY };
    expect((await send("DELETE", `${own}/v2/pet/1`, { env, headers })).status).toBe(401);
    const sent = { json: { name: "Rex", photoUrls: [] }, env, headers: { api_key: API_KEY } };
    expect((await send("POST", "/v2/pet", sent)).status).toBe(401);
  });

  test.each<[unknown, string]>([
    [[], "body"],
    [{ access: "closed" }, "access"],
    [{ access: "protected" }, "apiKey"],
    [{ access: "protected", apiKey: API_KEY.slice(1) }, "apiKey"],
  ])("is not changed by %j", async (json, path) => {
    const own = await protectedSandbox();
    const answer = await send("PUT", `${own}/access`, { json });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ errors: [{ path }] });
    expect(await (await send("GET", `${own}/access`)).json()).toEqual({ access: "protected" });
  });
});
