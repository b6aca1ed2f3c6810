/// <reference types="vite/client" />
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import wranglerToml from "../wrangler.toml?raw";
import { send } from "./client.ts";
import type { Send } from "./client.ts";
import { clientWith, expectUnavailable } from "./fixtures.ts";

/** Values that the service must not run with. `undefined`: missing. */
const BROKEN: Readonly<Record<string, readonly (string | undefined)[]>> = {
  PASSWORD_KEY: [undefined, ""],
  ACCESS: [undefined, "", "closed", "OPEN"],
  SESSION_SECONDS: [undefined, "", "an hour", "59", "-3600", "3600.5", "1e999"],
  REQUESTS_PER_MINUTE: [undefined, "many", "-7"],
};

/** Keeps what the service logs from the output, and gives its lines, less the random id that may hold any digits. */
function captureLog(): () => string[] {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  return () => log.mock.calls.map((line) => line.join(" ").replace(/"requestId":"[^"]*",/, ""));
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a setting that is missing or wrong", () => {
  test.each(
    Object.entries(BROKEN).flatMap(([name, values]) => values.map((value) => ({ name, value }))),
  )(
    "closes the service with 503 and is named in one log line: $name $value §6.6.1 §API8",
    async ({ name, value }) => {
      const lines = captureLog();
      expectUnavailable(await clientWith({ [name]: value })("GET", "/store/inventory"));
      expect(lines()).toHaveLength(1);
      expect(lines()[0]).toContain(name);
      for (const shown of value ? [value] : []) expect(lines()[0]).not.toContain(shown);
    },
  );

  test("closes every operation, and none of them writes §6.6.1 §API8 §V16.5", async () => {
    captureLog();
    const username = "settings-closed";
    await send("POST", "/user", { json: { username } });
    const client = clientWith({ PASSWORD_KEY: undefined });
    const answers = await Promise.all([
      client("POST", "/pet", { json: { name: "Rex", photoUrls: "closed.png", tags: ["closed"] } }),
      client("GET", "/pet/1"),
      client("POST", "/store/order", { json: { id: 777 } }),
      client("POST", "/user", { json: { username: "settings-new" } }),
      client("GET", "/user/login?username=a&password=b"),
      client("GET", "/user/logout"),
      client("DELETE", `/user/${username}`),
    ]);
    for (const answer of answers) expectUnavailable(answer);

    expect((await send("GET", "/pet/findByTags?tags=closed")).json).toEqual([]);
    expect((await send("DELETE", "/store/order/777")).status).toBe(404);
    expect((await send("GET", "/user/settings-new")).status).toBe(404);
    expect((await send("GET", `/user/${username}`)).status).toBe(200);
  });
});

const inventory = async (client: Send) => client("GET", "/store/inventory");

describe("anywhere but locally", () => {
  const KEY = new Uint8Array(32).fill(7).toBase64();
  const elsewhere = (settings: object) =>
    clientWith({ ENVIRONMENT: "production", PASSWORD_KEY: KEY, ...settings });

  test.each([
    ["the public key of wrangler.toml", "PASSWORD_KEY", env.PASSWORD_KEY],
    ["the public key with a line break", "PASSWORD_KEY", `${env.PASSWORD_KEY}\n`],
    ["the public key without its padding", "PASSWORD_KEY", env.PASSWORD_KEY.replace("=", "")],
    ["the public key behind another", "PASSWORD_KEY", `${KEY},${env.PASSWORD_KEY}`],
    ["an API key of 15 characters", "API_KEY", "x".repeat(15)],
  ])(
    "%s counts as missing: 503 in both modes, and one log line §6.6.2 §V13.3",
    async (_, name, value) => {
      for (const ENVIRONMENT of ["production", "staging", "", undefined]) {
        for (const ACCESS of ["open", "protected"]) {
          const lines = captureLog();
          expectUnavailable(await inventory(elsewhere({ ENVIRONMENT, ACCESS, [name]: value })));
          expect(lines()).toHaveLength(1);
          expect(lines()[0]).toContain(`${name} counts as missing`);
          expect(lines()[0]).not.toContain(value.trim());
          vi.restoreAllMocks();
        }
      }
    },
  );

  test.each([
    ["another key, and no API key", {}],
    ["an empty API key, which is none", { API_KEY: "" }],
    ["an API key of 16 characters", { API_KEY: "x".repeat(16) }],
  ])("%s will do §6.6.2", async (_, settings) => {
    for (const ACCESS of ["open", "protected"]) {
      expect((await inventory(elsewhere({ ACCESS, ...settings }))).status).toBe(200);
    }
  });

  test("is what wrangler.toml says of production, and locally the public key will do in both modes §6.6.2", async () => {
    expect(wranglerToml.match(/^ENVIRONMENT = .*$/gm)).toEqual([
      'ENVIRONMENT = "production"',
      'ENVIRONMENT = "preview"',
      'ENVIRONMENT = "local"',
    ]);
    for (const ACCESS of ["open", "protected"]) {
      const client = clientWith({ ACCESS, API_KEY: "short" } as Partial<Env>);
      expect((await inventory(client)).status).toBe(200);
    }
  });
});

test("in every environment of wrangler.toml the documents are built for its access", () => {
  expect(wranglerToml.match(/^(ACCESS|command) = .*$/gm)).toEqual([
    'command = "node scripts/site.ts protected"',
    'ACCESS = "protected"',
    // Previews are built as production is.
    'ACCESS = "protected"',
    'command = "node scripts/site.ts open"',
    'ACCESS = "open"',
  ]);
});

test("the local rate limit lets a load test through: a million requests a minute §6.7.1", () => {
  expect(Number(env.REQUESTS_PER_MINUTE)).toBeGreaterThanOrEqual(1_000_000);
});
