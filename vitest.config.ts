import { execFileSync } from "node:child_process";
import { existsSync, statfsSync } from "node:fs";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { D1_ONLY_FILES } from "./test/d1-only.ts";

/** Each run makes the same choices: a test that passed once passes again. */
const FIXED_SEED = 20261121;

/** The seed of all random choices: test/drawn.ts. */
const { SEED = FIXED_SEED } = process.env;
const seed = SEED === "random" ? Math.floor(Math.random() * 2 ** 31) : Number(SEED);
console.log(`seed ${seed}: SEED=${seed} npm test repeats this run`);

// workerd flushes each write of a store to the disk, which is a third of the time. On Linux, keep the stores in memory.
const IN_MEMORY = "/dev/shm";
const NEEDED_BYTES = 2 ** 29;
if (existsSync(IN_MEMORY)) {
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  if (bavail * bsize > NEEDED_BYTES) process.env["TMPDIR"] = IN_MEMORY;
}

// The static assets that the Worker serves.
execFileSync(process.execPath, ["scripts/site.ts", "open"]);

/** Fails every call of every operation in every way, which takes minutes. Only `npm test -- --mode all` runs these. */
const EXHAUSTIVE = ["test/faults/*.test.ts"];

/** What each mode leaves out. */
const EXCLUDED: Readonly<Record<string, readonly string[]>> = {
  test: EXHAUSTIVE,
  all: [],
  sandbox: [...EXHAUSTIVE, ...Object.keys(D1_ONLY_FILES)],
};

/**
 * `npm test` leaves out the exhaustive tests. `npm test -- --mode all` runs them too, and tries ten times as many
 * random cases. `npm test -- --mode sandbox` runs the tests of `npm test` on a sandbox.
 */
export default defineConfig(async ({ mode }) => ({
  plugins: [
    cloudflareTest({
      // Expected exceptions of Durable Objects would fill the output.
      verbose: false,
      wrangler: { configPath: "./wrangler.toml", environment: "local" },
      miniflare: {
        bindings: {
          MIGRATIONS: await readD1Migrations("migrations"),
          SEED: seed,
          ALL: mode === "all",
          OWN: mode === "sandbox",
        },
      },
    }),
  ],
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...(EXCLUDED[mode] ?? [])],
    setupFiles: ["test/setup.ts"],
    // A worker for each file would cost more than most files. test/setup.ts empties the stores instead.
    isolate: false,
    maxWorkers: "100%",
    // Only ends tests that hang. The machine may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 10 } },
    // Without a terminal: only failures and the summary.
    reporters: [
      process.stdout.isTTY ? "default" : "minimal",
      ...(process.env["GITHUB_ACTIONS"] ? ["github-actions"] : []),
    ],
    slowTestThreshold: 10_000,
    // The service logs a line for each request. Only failed tests show theirs.
    silent: "passed-only" as const,
  },
}));
