import { createMiddleware } from "hono/factory";
import { openSession } from "../db/client.ts";
import type { AppEnv } from "../env.ts";

const BOOKMARK = "x-d1-bookmark";

/** Gives the routes D1, KV and R2. A client that sends the bookmark back may be answered by any replica that is as new. */
export const cloudflareStores = createMiddleware<AppEnv>(async (c, next) => {
  const { session, db } = openSession(c.env.DB, c.req.header(BOOKMARK));
  c.set("db", db);
  c.set("sessions", c.env.SESSIONS);
  c.set("images", c.env.IMAGES);
  await next();
  const bookmark = session.getBookmark();
  if (bookmark !== null) c.res.headers.set(BOOKMARK, bookmark);
});
