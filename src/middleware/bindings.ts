import { AsyncLocalStorage } from "node:async_hooks";
import { drizzle } from "drizzle-orm/d1";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../http/env.ts";

const BOOKMARK = "x-d1-bookmark";

/** The format of a bookmark. D1 might fail on anything else, so it is ignored. */
const BOOKMARK_FORMAT = /^[\da-f]{8}-[\da-f]{8}-[\da-f]{8}-[\da-f]{32}$/;

/** The D1 session of each request. */
const sessions = new AsyncLocalStorage<D1DatabaseSession>();

/** Returns the D1 session of the current request. Throws outside a request. */
function getSession(): D1DatabaseSession {
  const session = sessions.getStore();
  if (!session) throw new Error("a query was executed outside a request");
  return session;
}

/** The methods of a D1 database that Drizzle calls. Statements are created when they are executed, in the session of the request. */
const client = {
  prepare: (query: string) => ({
    bind: (...values: unknown[]) =>
      getSession()
        .prepare(query)
        .bind(...values),
  }),
  batch: async (statements: D1PreparedStatement[]) => getSession().batch(statements),
};

/** One database for all requests, so that each query is prepared only once. */
const db = drizzle(client as D1Database);

/** Provides D1, KV, and R2. If a client sends the bookmark back, any replica that is as recent can respond. */
export const cloudflareBindings = createMiddleware<AppEnv>(async (c, next) => {
  const seen = c.req.header(BOOKMARK) ?? "";
  const session = c.env.DB.withSession(BOOKMARK_FORMAT.test(seen) ? seen : "first-primary");
  c.set("db", db);
  c.set("sessions", c.env.SESSIONS);
  c.set("images", c.env.IMAGES);
  await sessions.run(session, next);
  const bookmark = session.getBookmark();
  if (bookmark !== null) c.res.headers.set(BOOKMARK, bookmark);
});
