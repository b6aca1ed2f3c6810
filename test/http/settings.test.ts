/// <reference types="vite/client" />
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import wranglerToml from "../../wrangler.toml?raw";
import type { Overrides } from "../bindings.ts";
import { protectedEnv, send } from "../client.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const KEY = new Uint8Array(32).fill(7).toBase64();

/** Sends a request that must return 503. @returns the logged errors */
async function rejectedWith(settings: object): Promise<string[]> {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const response = await send("GET", "/v2/store/inventory", { env: settings });
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(await response.json()).toMatchObject({ code: 503, type: "error" });
  const lines = log.mock.calls.map((line) => line.join(" "));
  vi.restoreAllMocks();
  return lines;
}

test.each([
  ["PASSWORD_KEY", undefined],
  ["PASSWORD_KEY", "too-short"],
  ["PASSWORD_KEY", `${KEY},not-a-key`],
  ["ACCESS", undefined],
  ["ACCESS", "closed"],
  ["SESSION_SECONDS", undefined],
  ["SANDBOX_SECONDS", undefined],
  ["REQUESTS_PER_MINUTE", undefined],
  ["SESSION_SECONDS", 3600],
  ["API_KEY", 1234567890123456],
  ["SESSION_SECONDS", "59"],
  ["SESSION_SECONDS", "3600.5"],
  ["SANDBOX_SECONDS", "never"],
  ["SANDBOX_CREATION", "everybody"],
  ["REQUESTS_PER_MINUTE", "many"],
  ["RATE_LIMITS", ""],
  ["RATE_LIMITS", "yes"],
  ["BEHIND_CLOUDFLARE", "perhaps"],
  ["PUBLIC_URL", "petstore.example.com"],
  ["PUBLIC_URL", "https://petstore.example.com/?query"],
])(
  "with a missing or invalid setting, every request returns 503, and one log line names it: %s=%s",
  async (name, value) => {
    const lines = await rejectedWith({ [name]: value });
    expect(lines).toHaveLength(1);
    const { error } = JSON.parse(lines[0] ?? "") as { readonly error: string };
    const problem = value === undefined ? "is missing" : "must be";
    expect(error.replace(/\.\d /, " ")).toMatch(`Unavailable: ${name} ${problem}`);
    if (value) expect(error).not.toContain(String(value));
  },
);

describe("in production", () => {
  const production = { ...protectedEnv, ENVIRONMENT: "production", PASSWORD_KEY: KEY };

  test.each([
    ["the public PASSWORD_KEY in .dev.vars", "PASSWORD_KEY", env.PASSWORD_KEY],
    ["the public key with a line break", "PASSWORD_KEY", `${env.PASSWORD_KEY}\n`],
    ["the public key after another key", "PASSWORD_KEY", `${KEY},${env.PASSWORD_KEY}`],
    ["an API_KEY of 15 characters", "API_KEY", "x".repeat(15)],
  ])("%s makes every request return 503", async (_, name, value) => {
    for (const ENVIRONMENT of ["production", "staging", "", undefined]) {
      for (const ACCESS of ["open", "protected"]) {
        const lines = await rejectedWith({ ...production, ENVIRONMENT, ACCESS, [name]: value });
        expect(lines).toHaveLength(1);
        expect(lines[0]).toContain(name);
        expect(lines[0]).not.toContain(value.trim());
      }
    }
  });

  test.each([{}, { API_KEY: "" }, { API_KEY: undefined }, { API_KEY: "x".repeat(16) }])(
    "%j is sufficient with a private PASSWORD_KEY",
    async (settings) => {
      const overrides = { ...production, ...settings } as Overrides;
      expect((await send("GET", "/v2/store/inventory", { env: overrides })).status).toBe(200);
    },
  );
});

test("production binds every limiter, counts calls, and states the limit of requests in X-Rate-Limit", () => {
  const limiter =
    /^\[\[ratelimits\]\]\nname = "(\w+)"\nnamespace_id = "\d+"\nsimple = \{ limit = (\d+), period = 60 \}$/gm;
  const limits = new Map([...wranglerToml.matchAll(limiter)].map(([, name, limit]) => [name, limit]));
  expect([...limits.keys()]).toEqual(["REQUESTS", "LOGINS", "LOGINS_PER_USER", "NEW_SANDBOXES"]);
  expect(wranglerToml).toContain('\nRATE_LIMITS = "on"\n');
  expect(wranglerToml).toContain(`\nREQUESTS_PER_MINUTE = "${limits.get("REQUESTS")}"\n`);
});
