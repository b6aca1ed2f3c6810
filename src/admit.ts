import type { Context } from "hono";
import type { App, Services } from "./context.ts";
import { Database } from "./db/client.ts";
import { D1Engine } from "./db/d1.ts";
import { clientAddress } from "./http/address.ts";
import { countRequest, enforce } from "./http/rate-limit.ts";
import { faultOf } from "./http/record.ts";
import { BASE_PATH } from "./base-path.ts";
import { readSettings } from "./settings.ts";
import type { Settings } from "./settings.ts";
import { meetingRules } from "./stores/demand.ts";
import { storeIn } from "./stores/name.ts";
import { OwnStore } from "./stores/own-store.ts";
import { report } from "./stores/report.ts";
import { imagesBelow, limitBelow, prefixOf, sessionsBelow } from "./stores/spaces.ts";

/** The services that depend on the store that a request is for. */
type StoreServices = Pick<
  Services,
  "db" | "bookmark" | "sessions" | "images" | "logins" | "loginsPerUser" | "basePath"
>;

/**
 * Admits a request: makes the services from the bindings, and limits the requests of one client address. Only this
 * function knows which store a request is for: the shared store, or a store of the client's own.
 * @param now the clock, in milliseconds since the epoch
 */
export const admission =
  (now: () => number) =>
  async (c: Context<App>): Promise<void> => {
    const { env } = c;
    const { headers, url } = c.req.raw;
    const settings = await readSettings(env);
    const address = clientAddress(headers);
    const ownStore = (name: string) =>
      new OwnStore(env.STORES, name, {
        now,
        seconds: settings.storeSeconds,
        countNew: async () => enforce(env.NEW_STORES, address),
      });
    const named = storeIn(url);
    const name = named?.name ?? settings.localStore;
    c.set("services", {
      ...(name === undefined
        ? sharedServices(env, headers)
        : ownServices(c, name, ownStore(name), (named?.path ?? "") + BASE_PATH)),
      // Anyone who knows the name of a store can use it, so access is open.
      settings: named ? withoutAccess(settings) : settings,
      now,
      ownStore,
      countRequest: async (key: string) => countRequest(c, key),
      report: (fault: unknown) => c.set("fault", faultOf(fault)),
    });
    await countRequest(c, address);
  };

function sharedServices(env: Env, headers: Headers): StoreServices {
  const engine = new D1Engine(env.DB, headers.get("x-d1-bookmark") ?? undefined);
  return {
    db: new Database(engine),
    bookmark: () => engine.bookmark,
    sessions: env.SESSIONS,
    images: env.IMAGES,
    logins: env.LOGINS,
    loginsPerUser: env.LOGINS_PER_USER,
    basePath: BASE_PATH,
  };
}

function ownServices(
  c: Context<App>,
  name: string,
  store: OwnStore,
  basePath: string,
): StoreServices {
  const { IMAGES, LOGINS, LOGINS_PER_USER, SESSIONS, STORES } = c.env;
  if (`${c.req.path}/`.startsWith(`${BASE_PATH}/`)) {
    c.set("around", meetingRules(c, store));
    c.set("observe", (request) => c.executionCtx.waitUntil(report(store, name, request)));
  }
  const prefix = prefixOf(STORES.idFromName(name));
  return {
    db: new Database(store),
    bookmark: () => undefined,
    sessions: sessionsBelow(prefix, SESSIONS),
    images: imagesBelow(prefix, IMAGES),
    logins: limitBelow(prefix, LOGINS),
    loginsPerUser: limitBelow(prefix, LOGINS_PER_USER),
    basePath,
  };
}

function withoutAccess(settings: Settings): Settings {
  return { ...settings, isProtected: false };
}
