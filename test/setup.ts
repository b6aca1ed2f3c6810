import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { time } from "../src/unavailable.ts";

// Storage is isolated per test file; this brings the file's own database up to date.
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
