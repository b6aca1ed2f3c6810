import { drizzle } from "drizzle-orm/d1";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../http/env.ts";

const BOOKMARK = "x-d1-bookmark";

/** The format of a bookmark. D1 might fail on anything else, so it is ignored. */
const SHAPE = /^[\da-f]{8}-[\da-f]{8}-[\da-f]{8}-[\da-f]{32}$/;

/** Provides D1, KV, and R2. If a client sends the bookmark back, any replica that is as recent can respond. */
export const cloudflareBindings = createMiddleware<AppEnv>(async (c, next) => {
  const seen = c.req.header(BOOKMARK) ?? "";
  const session = c.env.DB.withSession(SHAPE.test(seen) ? seen : "first-primary");
  // Drizzle uses only methods that a session has, but its types require a whole D1Database.
  c.set("db", drizzle(session as unknown as D1Database));
  c.set("sessions", c.env.SESSIONS);
  c.set("images", c.env.IMAGES);
  await next();
  const bookmark = session.getBookmark();
  if (bookmark !== null) c.res.headers.set(BOOKMARK, bookmark);
});
