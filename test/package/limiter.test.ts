import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { createLimiter } from "../../package/limiter.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Miniflare accepts the limit and the period as options, too. */
const real: RateLimit["limit"] = async (options) =>
  env.NEW_SANDBOXES.limit({ ...options, limit: 2, period: 60 } as RateLimitOptions);

/** Counts calls with two keys. @returns whether each call is within the limit */
async function outcomes(limit: RateLimit["limit"]) {
  const keys = ["a", "a", "b", "a", "b", "b"];
  const found = [];
  for (const key of keys) found.push((await limit({ key: `limiter test ${key}` })).success);
  return found;
}

test("A limiter counts each key in periods of the clock, as Miniflare's does", async () => {
  // Each period begins at a multiple of its length.
  vi.useFakeTimers({ toFake: ["Date"], now: 600_000 });
  const own = createLimiter({ limit: 2, period: 60 });
  expect(await outcomes(async (options) => own.limit(options))).toEqual([true, true, true, false, true, false]);
  expect(await outcomes(real)).toEqual([true, true, true, false, true, false]);
  vi.setSystemTime(659_999);
  expect(await own.limit({ key: "limiter test a" })).toMatchObject({ success: false });
  vi.setSystemTime(660_000);
  expect(await own.limit({ key: "limiter test a" })).toEqual({ success: true });
});

test("A rejected call says in how many whole seconds the period ends", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 600_000 });
  const own = createLimiter({ limit: 1, period: 60 });
  expect(await own.limit({ key: "a" })).toEqual({ success: true });
  for (const [time, seconds] of [
    [600_000, 60],
    [600_001, 60],
    [648_500, 12],
    [659_999, 1],
  ] as const) {
    vi.setSystemTime(time);
    expect(await own.limit({ key: "a" })).toEqual({ success: false, retryAfter: seconds });
  }
  vi.setSystemTime(660_000);
  expect(await own.limit({ key: "a" })).toEqual({ success: true });
});
