import { createMiddleware } from "hono/factory";
import type { App } from "../../env.ts";
import { addressOf, enforce } from "../limits.ts";

/** Limits the requests of one client address. */
export const limitRequests = createMiddleware<App>(async (c, next) => {
  await enforce(c.env.REQUESTS, addressOf(c.req.raw.headers));
  await next();
});
