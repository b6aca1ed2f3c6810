import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach } from "vitest";
import { time } from "../src/platform/failures.ts";
import { send } from "./client.ts";
import { D1_ONLY_TESTS } from "./d1-only.ts";
import { beginStore, isSandbox } from "./engine.ts";

async function isEmpty(): Promise<boolean> {
  const [{ results }, { keys }, { objects }] = await Promise.all([
    env.DB.prepare("SELECT name FROM sqlite_schema WHERE name = 'pets'").all(),
    env.SESSIONS.list({ limit: 1 }),
    env.IMAGES.list({ limit: 1 }),
  ]);
  return results.length + keys.length + objects.length === 0;
}

// Test files share workers, so each starts with empty stores and a migrated database. The runtime may refuse to empty a
// store that is still in use.
await reset();
for (let tries = 1; !(await isEmpty()); tries++) {
  if (tries === 10) throw new Error("the stores of the test file before this one are not empty");
  await reset();
}
// A sandbox must not use D1: without tables, any use fails.
if (!isSandbox) await applyD1Migrations(env.DB, env.MIGRATIONS);

// Waits between retries take no time, and only they advance the clock. So a busy machine does not change the number of
// calls.
let now = 0;
Object.assign(time, {
  now: () => now,
  wait: async (ms: number) => {
    now += ms;
  },
  random: () => 0.5,
} satisfies typeof time);

// Its first request makes the sandbox.
beginStore();
if (isSandbox) await send("GET", "/store/inventory");

if (isSandbox) {
  beforeEach(({ task, skip }) => {
    const file = Object.entries(D1_ONLY_TESTS).find(([name]) => task.file.name.endsWith(name));
    const names = [];
    for (let each: typeof task.suite | typeof task = task; each; each = each.suite) {
      names.unshift(each.name);
    }
    const full = names.join(" > ");
    const [, reason] = Object.entries(file?.[1] ?? {}).find(([name]) => full.includes(name)) ?? [];
    if (reason !== undefined) skip(reason);
  });
}
