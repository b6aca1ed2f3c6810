import { createMiddleware } from "hono/factory";
import { Database } from "../db/client.ts";
import type { App, Principal, Services } from "../env.ts";
import { readSettings } from "../settings.ts";
import { addressOf, enforce } from "./limits.ts";

/** Proves who sent a request, by the other services. */
export type Authenticate = (
  headers: Headers,
  services: Omit<Services, "authenticate">,
) => Promise<Principal | undefined>;

/**
 * Makes what handlers use, from the bindings, and limits the requests of one client address.
 * @param now the clock, in milliseconds since the epoch
 */
export const admitRequest = (now: () => number, authenticate: Authenticate) =>
  createMiddleware<App>(async (c, next) => {
    const { headers } = c.req.raw;
    const services = {
      db: new Database(c.env.DB, headers.get("x-d1-bookmark") ?? undefined),
      sessions: c.env.SESSIONS,
      images: c.env.IMAGES,
      requests: c.env.REQUESTS,
      logins: c.env.LOGINS,
      settings: readSettings(c.env),
      now,
    };
    c.set("services", {
      ...services,
      authenticate: async (sent) => authenticate(sent, services),
    });
    await enforce(c.env.REQUESTS, addressOf(headers));
    await next();
  });
