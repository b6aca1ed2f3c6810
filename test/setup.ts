import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { time } from "../src/unavailable.ts";

// Many test files share a worker, so each begins with empty stores and a database that is up to date.
await reset();
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
