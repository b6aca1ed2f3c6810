import { waitUntil } from "cloudflare:workers";
import { createApp } from "./app.ts";
import type { Service } from "./app.ts";
import { Database } from "./db/client.ts";
import { D1Engine } from "./db/d1.ts";
import { clientAddress } from "./http/address.ts";
import { isOfInterface } from "./http/base-path.ts";
import { ApiError } from "./http/errors.ts";
import { countRequest } from "./http/rate-limit.ts";
import { faultOf, logRequest } from "./http/record.ts";
import { readSettings } from "./platform/settings.ts";
import type { Settings } from "./platform/settings.ts";
import { EXPOSED } from "./sandbox/faults/prefer.ts";
import { forward } from "./sandbox/forward.ts";
import type { WithForward } from "./sandbox/handlers.ts";
import { routedPath, sandboxIn } from "./sandbox/name.ts";
import { workerRoutes } from "./sandbox/routes.ts";
import { documents, isDocument } from "./site/documents.ts";
import type { WithAssets } from "./site/documents.ts";
import { pageFor } from "./site/pages.ts";
import { sessionsInKv } from "./user/sessions.ts";

/**
 * The app's home in the Worker. It counts each request, serves the shared store from D1, KV and R2, and forwards a
 * request for a sandbox to the sandbox's object.
 * @param now the clock, in milliseconds since the epoch
 * @param later lets work continue after the answer
 */
export const createWorker = (
  now: () => number = Date.now,
  later: (work: Promise<unknown>) => void = waitUntil,
): Service<Env> =>
  createApp<Env, WithAssets & WithForward>({
    routes: [...documents, ...workerRoutes],
    pathOf: routedPath,
    note(record, { LOCAL_LOG }: Env & { readonly LOCAL_LOG?: string }, { req }) {
      const { errors } = record;
      // Set by `npm start`.
      logRequest(record, LOCAL_LOG ? { path: new URL(req.url).pathname, errors } : {});
    },
    async handle({ c, bindings: env }, answer) {
      const { headers, url } = c.req.raw;
      const sandbox = sandboxIn(url);
      if (sandbox?.isInterface) c.set("added", EXPOSED);
      const settings = await readSettings(env);
      if (c.get("route")?.isPrivate) refuseForeignHost(url, settings);
      const count = async (key: string) => countRequest(c, env.REQUESTS, key);
      const address = clientAddress(headers);
      await count(address);
      // These rows are already written. If they exceed the limit, the next request is refused.
      const countRows = async (rows: number) =>
        Promise.allSettled(
          Array.from({ length: Math.floor(rows / 1000) }, async () => count(address)),
        );
      const to = async (name: string, request: Request) =>
        forward(env.STORES, name, request, countRows);
      const isOff =
        hasNo(sandbox?.name, settings) && (sandbox !== undefined || BELOW_STORES.test(c.req.path));
      const page = await pageFor(c, env.ASSETS, sandbox, isOff);
      if (page) return page;
      const local = isOfInterface(c.req.path) ? settings.localStore : undefined;
      const name = sandbox?.name ?? local;
      if (name !== undefined && !isDocument(c.get("route")?.path)) return to(name, c.req.raw);
      const report = (fault: unknown) => c.set("fault", faultOf(fault));
      const engine = new D1Engine(env.DB, headers.get("x-d1-bookmark") ?? undefined);
      return answer({
        db: new Database(engine),
        bookmark: () => engine.bookmark,
        sessions: sessionsInKv(env.SESSIONS, (fault, work) => {
          report(fault);
          later(work);
        }),
        images: env.IMAGES,
        storePath: "",
        countRequest: count,
        logins: env.LOGINS,
        loginsPerUser: env.LOGINS_PER_USER,
        settings,
        now,
        report,
        assets: env.ASSETS,
        forward: to,
      });
    },
  });

const BELOW_STORES = /^\/stores(?:\/|$)/;

/** Whether the settings switch off the sandbox of this name. */
const hasNo = (name: string | undefined, { isSingle, localStore, storeSeconds }: Settings) =>
  isSingle ? name !== localStore : storeSeconds === 0;

/** Refuses a request to a private path of the local store under a name that is not this machine's. @throws ApiError 403 */
function refuseForeignHost(url: string, { localStore, localHosts }: Settings): void {
  if (localStore === undefined || isOwnHost(url, localHosts)) return;
  const errors = [{ path: "Host", message: "must be the name or address of this machine" }];
  throw new ApiError([403, "Forbidden"], { errors });
}

/**
 * Whether a URL's host is an IP address, or a name that only this machine or its network resolves. This stops DNS
 * rebinding: a website points its own domain at this machine, and browsers then let its scripts read the answers.
 */
function isOwnHost(url: string, localHosts: readonly string[]): boolean {
  const { hostname } = new URL(url);
  return (
    /^\[|\.\d+$|^[^.]+$|\.(?:localhost|local)$/.test(hostname) || localHosts.includes(hostname)
  );
}
