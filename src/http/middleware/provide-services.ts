import { createMiddleware } from "hono/factory";
import { Database } from "../../db/client.ts";
import type { App } from "../../env.ts";
import { readSettings } from "../../settings.ts";

/** Makes what handlers use, from the bindings. */
export const provideServices = (now: () => number) =>
  createMiddleware<App>(async (c, next) => {
    c.set("services", {
      db: new Database(c.env.DB, c.req.header("x-d1-bookmark")),
      sessions: c.env.SESSIONS,
      images: c.env.IMAGES,
      settings: readSettings(c.env),
      now,
    });
    await next();
  });
