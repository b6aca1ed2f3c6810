import { createMiddleware } from "hono/factory";
import { Database } from "../../db/client.ts";
import type { App, Principal, Services } from "../../env.ts";
import { readSettings } from "../../settings.ts";

/** Proves who sent a request, by the other services. */
export type Authenticate = (
  headers: Headers,
  services: Omit<Services, "authenticate">,
) => Promise<Principal | undefined>;

/** Makes what handlers use, from the bindings. */
export const provideServices = (now: () => number, authenticate: Authenticate) =>
  createMiddleware<App>(async (c, next) => {
    const services = {
      db: new Database(c.env.DB, c.req.header("x-d1-bookmark")),
      sessions: c.env.SESSIONS,
      images: c.env.IMAGES,
      logins: c.env.LOGINS,
      settings: readSettings(c.env),
      now,
    };
    c.set("services", {
      ...services,
      authenticate: async (headers) => authenticate(headers, services),
    });
    await next();
  });
