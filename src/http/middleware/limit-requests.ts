import { createMiddleware } from "hono/factory";
import type { App } from "../../env.ts";
import { available } from "../../unavailable.ts";
import { ApiError } from "../errors.ts";

/** Seconds: the period of the limit in wrangler.toml. */
const PERIOD = "60";

/** Limits the requests of one client address. */
export const limitRequests = createMiddleware<App>(async (c, next) => {
  const key = c.req.header("CF-Connecting-IP") ?? "";
  const { success } = await available(() => c.env.REQUESTS.limit({ key }));
  if (!success) throw ApiError.general(429, { headers: { "Retry-After": PERIOD } });
  await next();
});
