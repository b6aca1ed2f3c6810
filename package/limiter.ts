import type { Limiter } from "../src/http/settings.ts";

/** Counts calls by key in periods of the clock, as Miniflare's rate limiter does. The counts are lost with the process. */
export function createLimiter({ limit, period }: { readonly limit: number; readonly period: number }): Limiter {
  const counts = new Map<string, number>();
  let current = 0;
  return {
    limit: async ({ key }) => {
      const seconds = Date.now() / 1000;
      const now = Math.floor(seconds / period);
      if (now !== current) counts.clear();
      current = now;
      const count = counts.get(key) ?? 0;
      if (count >= limit) return { success: false, retryAfter: Math.ceil((now + 1) * period - seconds) };
      counts.set(key, count + 1);
      return { success: true };
    },
  };
}
