import type { Context } from "hono";
import { Database } from "../db/client.ts";
import { Session } from "../db/session.ts";
import type { App } from "../context.ts";
import { readSettings } from "../settings.ts";
import { clientAddress } from "./address.ts";
import { countRequest } from "./rate-limit.ts";
import { faultOf } from "./record.ts";

/**
 * Admits a request: makes the services from the bindings, and limits the requests of one client address.
 * @param now the clock, in milliseconds since the epoch
 */
export const admission =
  (now: () => number) =>
  async (c: Context<App>): Promise<void> => {
    const { headers } = c.req.raw;
    c.set("services", {
      db: new Database(new Session(c.env.DB, headers.get("x-d1-bookmark") ?? undefined)),
      sessions: c.env.SESSIONS,
      images: c.env.IMAGES,
      logins: c.env.LOGINS,
      loginsPerUser: c.env.LOGINS_PER_USER,
      settings: await readSettings(c.env),
      now,
      countRequest: async (key: string) => countRequest(c, key),
      report: (fault: unknown) => c.set("fault", faultOf(fault)),
    });
    await countRequest(c, clientAddress(headers));
  };
