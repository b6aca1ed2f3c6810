import { execFileSync } from "node:child_process";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { D1_ONLY_FILES } from "./test/d1-only.ts";

/** CI always uses this seed: a test that passed once passes again. */
const FIXED_SEED = 20261121;

/** The seed of all random choices: test/drawn.ts. */
const seed = Number(
  process.env["SEED"] ?? (process.env["CI"] ? FIXED_SEED : Math.floor(Math.random() * 2 ** 31)),
);
console.log(`seed ${seed}: SEED=${seed} npm test repeats this run`);

// The static assets, of which the Worker serves some.
execFileSync(process.execPath, ["scripts/site.ts", "open"]);

/** These fail every call of every operation in every way, which takes minutes. */
const EXHAUSTIVE = ["test/faults/*.test.ts"];

/** What each mode leaves out. */
const EXCLUDED: Readonly<Record<string, readonly string[]>> = {
  test: EXHAUSTIVE,
  all: [],
  sandbox: Object.keys(D1_ONLY_FILES),
};

/**
 * `npm test` leaves out the exhaustive tests. `npm test -- --mode all` runs them too, and tries ten times as many
 * random cases. `npm test -- --mode sandbox` runs the tests of `npm test` on a sandbox.
 */
export default defineConfig(async ({ mode }) => ({
  plugins: [
    cloudflareTest({
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
    // A worker for each file would cost more than most of the files. test/setup.ts empties the stores instead.
    isolate: false,
    maxWorkers: "100%",
    // They end what hangs. The machine may be busy with something else.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // The service logs a line for every request.
    silent: "passed-only" as const,
  },
}));
