import type { Context } from "hono";
import { Database } from "./db/client.ts";
import { D1Engine } from "./db/d1.ts";
import type { App } from "./context.ts";
import { readSettings } from "./settings.ts";
import { clientAddress } from "./http/address.ts";
import { countRequest } from "./http/rate-limit.ts";
import { faultOf } from "./http/record.ts";

/**
 * Admits a request: makes the services from the bindings, and limits the requests of one client address.
 * @param now the clock, in milliseconds since the epoch
 */
export const admission =
  (now: () => number) =>
  async (c: Context<App>): Promise<void> => {
    const { headers } = c.req.raw;
    const engine = new D1Engine(c.env.DB, headers.get("x-d1-bookmark") ?? undefined);
    c.set("services", {
      db: new Database(engine),
      bookmark: () => engine.bookmark,
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
