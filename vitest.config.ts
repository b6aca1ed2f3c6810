import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
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

/** What fails every call of every operation in every way takes minutes. Only `npm run test:all` does it. */
const EXHAUSTIVE = ["test/faults/*.test.ts"];

/** The tests that try more in `npm run test:all`, which `ALL` asks them for. */
const TRY_MORE = globSync("test/**/*.test.ts").filter((file) =>
  /drawn\.ts"|\benv\.ALL\b/.test(readFileSync(file, "utf8")),
);

/** The modes but for that of `npm test`: what each runs, and what it leaves out. */
const MODES: Readonly<Record<string, { include: string[]; exclude: string[] }>> = {
  more: { include: [...EXHAUSTIVE, ...TRY_MORE], exclude: [] },
  own: {
    include: ["test/**/*.test.ts"],
    exclude: [...EXHAUSTIVE, ...Object.keys(D1_ONLY_FILES)],
  },
};
const USUAL = { include: ["test/**/*.test.ts"], exclude: EXHAUSTIVE };

/**
 * `npm run test:all` runs what `npm test` leaves out: the exhaustive tests and ten times as many random cases (mode
 * "more"), then all other tests on a store of one's own (mode "own"), as `npm run test:own` does.
 */
export default defineConfig(async ({ mode }) => ({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: "./wrangler.toml", environment: "local" },
      miniflare: {
        bindings: {
          MIGRATIONS: await readD1Migrations("migrations"),
          SEED: seed,
          ALL: mode === "more",
          OWN: mode === "own",
        },
      },
    }),
  ],
  test: {
    ...(MODES[mode] ?? USUAL),
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
