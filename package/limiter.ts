import type { Limiter } from "../src/http/settings.ts";

/** Counts calls by key in periods of the clock, as Miniflare's rate limiter does. The counts are lost with the process. */
export function limiter({ limit, period }: { readonly limit: number; readonly period: number }): Limiter {
  const counts = new Map<string, number>();
  let current = 0;
  return {
    limit: async ({ key }) => {
      const now = Math.floor(Date.now() / (period * 1000));
      if (now !== current) counts.clear();
      current = now;
      const count = counts.get(key) ?? 0;
      if (count >= limit) return { success: false };
      counts.set(key, count + 1);
      return { success: true };
    },
  };
}
