import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { API_KEY, clientWith, outcome, refusal } from "../fixtures.ts";
import type { Bindings } from "../fixtures.ts";
import { CountingLimit } from "../limiters.ts";
import { exists, newStore } from "./store.ts";

/** The settings that decide who may create a sandbox, and the rule that they mean. */
const SETTINGS: readonly (readonly [string, object, "anyone" | "key" | "nobody"])[] = [
  ["open access", { ACCESS: "open" }, "anyone"],
  ["protected access", { ACCESS: "protected" }, "key"],
  ["open access and anyone", { ACCESS: "open", STORE_CREATION: "anyone" }, "anyone"],
  ["protected access and anyone", { ACCESS: "protected", STORE_CREATION: "anyone" }, "anyone"],
  ["open access and key", { ACCESS: "open", STORE_CREATION: "key" }, "key"],
  ["protected access and key", { ACCESS: "protected", STORE_CREATION: "key" }, "key"],
  ["open access and nobody", { ACCESS: "open", STORE_CREATION: "nobody" }, "nobody"],
  ["protected access and nobody", { ACCESS: "protected", STORE_CREATION: "nobody" }, "nobody"],
];

const CREDENTIALS: readonly (readonly [string, Record<string, string>, isRight: boolean])[] = [
  ["no key", {}, false],
  ["an empty key", { api_key: "" }, false],
  ["a wrong key", { api_key: "special-key" }, false],
  ["the key", { api_key: API_KEY }, true],
  ["the key as a bearer token", { Authorization: `Bearer ${API_KEY}` }, false],
];

/** Requests to a sandbox that does not exist: their status where they create it, and where they must not. */
const REQUESTS: readonly (readonly [string, string, json: object | undefined, number, number])[] = [
  ["POST", "/stores", undefined, 201, 401],
  ["POST", "/stores", { data: "classic" }, 201, 401],
  ["GET", "/stores/{store}/v2/store/inventory", undefined, 200, 404],
  ["POST", "/stores/{store}/v2/pet", { name: "Rex", photoUrls: [] }, 200, 404],
  ["GET", "/stores/{store}/api/v3/store/inventory", undefined, 200, 404],
  ["PUT", "/stores/{store}/data", { data: "classic" }, 204, 404],
  ["PUT", "/stores/{store}/faults", [], 204, 404],
  ["PUT", "/stores/{store}/requests", { record: "full" }, 204, 404],
  // These never create one.
  ["GET", "/stores/{store}", undefined, 404, 404],
  ["GET", "/stores/{store}/data", undefined, 404, 404],
  ["DELETE", "/stores/{store}", undefined, 404, 404],
];

const CELLS = SETTINGS.flatMap(([setting, bindings, rule]) =>
  CREDENTIALS.flatMap(([credential, headers, isRight]) =>
    REQUESTS.map(([method, path, json, made, refused]) => {
      const isMade = rule === "anyone" || (rule === "key" && isRight);
      const status = rule === "nobody" ? 404 : isMade ? made : refused;
      return { setting, bindings, credential, headers, method, path, json, status };
    }),
  ),
);

const service = (bindings: object) =>
  clientWith({ API_KEY, ...bindings } as Bindings, { base: "" });

describe("who may create a sandbox", () => {
  test.each(CELLS)(
    "$setting: $method $path with $credential is $status §10.2.4",
    async ({ bindings, headers, method, path, json, status }) => {
      const { name } = newStore();
      const answer = await service(bindings)(method, path.replace("{store}", name), {
        headers,
        ...(json && { json }),
      });
      expect(answer.status).toBe(status);
      expect(answer.headers.has("www-authenticate")).toBe(status === 401);
      expect(await exists(newStore({}, {}, name))).toBe(status < 300 && path !== "/stores");
    },
  );

  test("is nobody where no key is configured §10.2.4", async () => {
    const { name } = newStore();
    const send = service({ ACCESS: "protected", API_KEY: undefined });
    for (const api_key of ["", "undefined", API_KEY]) {
      const headers = { api_key };
      expect((await send("POST", "/stores", { headers })).status).toBe(401);
      expect((await send("GET", `/stores/${name}/v2/pet/1`, { headers })).status).toBe(404);
    }
  });

  test("is told by the answer §10.2.4", async () => {
    const { name } = newStore();
    const answer = await service({ STORE_CREATION: "key" })("GET", `/stores/${name}/v2/pet/1`);
    expect(outcome(answer)).toEqual(refusal(404, "Store not found", "store"));
    expect(answer.text).toContain("POST /stores");
  });

  test("needs no key afterwards, until the sandbox ends §10.2.4", async () => {
    const { name, object } = newStore();
    const send = service({ STORE_CREATION: "key" });
    const read = async (headers = {}) => send("GET", `/stores/${name}/v2/pet/1`, { headers });
    expect(outcome(await read({ api_key: API_KEY }))).toEqual(refusal(404, "Pet not found"));
    expect(outcome(await read())).toEqual(refusal(404, "Pet not found"));
    expect((await send("DELETE", `/stores/${name}`)).status).toBe(204);
    expect(outcome(await read())).toEqual(refusal(404, "Store not found", "store"));
    await runInDurableObject(object, (_, { storage }) => {
      expect(storage.sql.databaseSize).toBeLessThan(10_000);
    });
  });

  test("limits wrong keys of an address over all names, and takes the right one §10.2.4", async () => {
    const LOGINS = new CountingLimit(3);
    const send = service({ STORE_CREATION: "key", LOGINS });
    const guess = async (api_key: string) => {
      const headers = { api_key, "CF-Connecting-IP": "192.0.2.1" };
      const path = `/stores/${crypto.randomUUID()}/v2/pet/1`;
      return [
        (await send("GET", path, { headers })).status,
        (await send("POST", "/stores", { headers })).status,
      ];
    };
    expect(await guess("one")).toEqual([404, 401]);
    expect(await guess("two")).toEqual([404, 429]);
    expect(await guess("three")).toEqual([429, 429]);
    expect(await guess(API_KEY)).toEqual([404, 201]);
    expect(new Set(LOGINS.keys)).toEqual(new Set(["api_key 192.0.2.1"]));
  });

  test.each(["Anyone", "all", "0"])(
    "fails closed for STORE_CREATION = %s §6.6.1",
    async (unknown) => {
      const { status } = await service({ STORE_CREATION: unknown })("GET", "/v2/store/inventory");
      expect(status).toBe(503);
      expect(env.ACCESS).toBe("open");
    },
  );
});
