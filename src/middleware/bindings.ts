import { drizzle } from "drizzle-orm/d1";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../http/env.ts";

const BOOKMARK = "x-d1-bookmark";

/** The shape of a bookmark. Anything else is not passed on: D1 might fail on it. */
const SHAPE = /^[\da-f]{8}-[\da-f]{8}-[\da-f]{8}-[\da-f]{32}$/;

/** Gives the routes D1, KV and R2. A client that sends the bookmark back may be answered by any replica that is as new. */
export const cloudflareStores = createMiddleware<AppEnv>(async (c, next) => {
  const seen = c.req.header(BOOKMARK) ?? "";
  const session = c.env.DB.withSession(SHAPE.test(seen) ? seen : "first-primary");
  // Drizzle uses only what a session has, but its types ask for a whole D1Database.
  c.set("db", drizzle(session as unknown as D1Database));
  c.set("sessions", c.env.SESSIONS);
  c.set("images", c.env.IMAGES);
  await next();
  const bookmark = session.getBookmark();
  if (bookmark !== null) c.res.headers.set(BOOKMARK, bookmark);
});
