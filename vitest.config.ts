import { execFileSync } from "node:child_process";
import { existsSync, statfsSync } from "node:fs";
// In package.json, an alias: Cloudflare has renamed its pool to @cloudflare/vitest-plugin.
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

// workerd flushes each write to the disk. On Linux, keep the stores in memory.
const MEMORY = "/dev/shm";
const NEEDED_BYTES = 2 ** 29;
if (existsSync(MEMORY)) {
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize > NEEDED_BYTES) process.env["TMPDIR"] = MEMORY;
}

// The pages and the documents, which the Worker reads from its assets.
execFileSync(process.execPath, ["scripts/site.ts"]);

export default defineConfig(async () => ({
  plugins: [
    cloudflareTest({
      // Hides the exceptions of Durable Objects that tests provoke.
      verbose: false,
      // With the settings in .dev.vars.
      wrangler: { configPath: "./wrangler.toml" },
      miniflare: { bindings: { MIGRATIONS: await readD1Migrations("migrations") } },
    }),
  ],
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/setup.ts"],
    // Starting a worker for each file would cost more than most files take. test/setup.ts empties the stores instead.
    isolate: false,
    // Each has its own workerd and its own stores.
    maxWorkers: 2,
    // Limits only tests that hang.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 10 } },
    // The Worker logs each request. Show the log of failed tests only.
    silent: "passed-only" as const,
  },
}));
