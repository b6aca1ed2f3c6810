import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { time } from "../src/unavailable.ts";

async function isEmpty(): Promise<boolean> {
  const [{ results }, { keys }, { objects }] = await Promise.all([
    env.DB.prepare("SELECT name FROM sqlite_schema WHERE name = 'pets'").all(),
    env.SESSIONS.list({ limit: 1 }),
    env.IMAGES.list({ limit: 1 }),
  ]);
  return results.length + keys.length + objects.length === 0;
}

// Many test files share a worker, so each begins with empty stores and a database that is up to date. The runtime may
// leave a store alone that is in use still.
await reset();
for (let tries = 1; !(await isEmpty()); tries++) {
  if (tries === 10) throw new Error("the stores of the test file before this one are not empty");
  await reset();
}
await applyD1Migrations(env.DB, env.MIGRATIONS);

// Nobody waits between two calls to a store, and nothing but these waits takes time: how often a call is made does not
// depend on how busy the machine is.
let now = 0;
Object.assign(time, {
  now: () => now,
  wait: async (ms: number) => {
    now += ms;
  },
  random: () => 0.5,
} satisfies typeof time);
