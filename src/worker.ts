import { waitUntil } from "cloudflare:workers";
import { createApp } from "./app.ts";
import type { Service } from "./app.ts";
import { isOfInterface } from "./http/base-path.ts";
import { D1Engine } from "./db/d1.ts";
import { Database } from "./db/client.ts";
import { documents, isDocument } from "./site/documents.ts";
import type { WithAssets } from "./site/documents.ts";
import { clientAddress } from "./http/address.ts";
import { ApiError } from "./http/errors.ts";
import type { DeclaredError } from "./http/errors.ts";
import { countRequest } from "./http/rate-limit.ts";
import { faultOf, logRequest } from "./http/record.ts";
import { pageFor } from "./site/pages.ts";
import { forward } from "./sandbox/forward.ts";
import { NO_SANDBOXES, routedPath, sandboxIn } from "./sandbox/name.ts";
import type { WithForward } from "./sandbox/handlers.ts";
import { EXPOSED } from "./sandbox/faults/prefer.ts";
import { workerRoutes } from "./sandbox/routes.ts";
import { readSettings } from "./platform/settings.ts";
import { sessionsInKv } from "./user/sessions.ts";

const FOREIGN_HOST: DeclaredError = [403, "Forbidden"];

/**
 * The Worker's home of the app. It counts each request, serves the shared store from D1, KV and R2, and forwards a
 * request that is for a sandbox to the sandbox's object.
 * @param now the clock, in milliseconds since the epoch
 * @param later lets work go on after the answer
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
      // `npm start` sets it.
      logRequest(record, LOCAL_LOG ? { path: new URL(req.url).pathname, errors } : {});
    },
    async handle({ c, bindings: env }, answer) {
      const { headers, url } = c.req.raw;
      const sandbox = sandboxIn(url);
      if (sandbox?.isInterface) c.set("added", EXPOSED);
      const settings = await readSettings(env);
      const isPrivate = c.get("route")?.isPrivate ?? false;
      if (isPrivate && settings.localStore !== undefined && !isOwnHost(url, settings.localHosts)) {
        const errors = [{ path: "Host", message: "must be that of this machine" }];
        throw new ApiError(FOREIGN_HOST, { errors });
      }
      const count = async (key: string) => countRequest(c, env.REQUESTS, key);
      const address = clientAddress(headers);
      await count(address);
      // The rows are written, so it is the next request that is refused.
      const countRows = async (rows: number) =>
        Promise.allSettled(
          Array.from({ length: Math.floor(rows / 1000) }, async () => count(address)),
        );
      const to = async (name: string, request: Request) =>
        forward(env.STORES, name, request, countRows);
      const isOff = settings.isSingle
        ? sandbox?.name !== settings.localStore
        : settings.storeSeconds === 0;
      if (isOff && (sandbox || /^\/stores(?:\/|$)/.test(c.req.path))) {
        throw ApiError.general("unknownPath", {
          errors: [{ path: "store", message: NO_SANDBOXES }],
        });
      }
      const page = await pageFor(c, env.ASSETS, sandbox);
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

/**
 * Whether a URL's host is an address, or a name that only this machine or its network gives. A page elsewhere can let its
 * own name stand for an address of this machine (DNS rebinding), and is then of the same origin as the answer.
 */
function isOwnHost(url: string, localHosts: readonly string[]): boolean {
  const { hostname } = new URL(url);
  return (
    /^\[|\.\d+$|^[^.]+$|\.(?:localhost|local)$/.test(hostname) || localHosts.includes(hostname)
  );
}
