import { waitUntil } from "cloudflare:workers";
import { createApp } from "./app.ts";
import { documents, isDocument } from "./assets/documents.ts";
import type { WithAssets } from "./assets/documents.ts";
import { pageFor } from "./assets/pages.ts";
import { Database } from "./db/client.ts";
import { D1Engine } from "./db/d1.ts";
import { clientAddress } from "./http/address.ts";
import { SANDBOX_PATH } from "./http/base-path.ts";
import { ApiError } from "./http/errors.ts";
import type { Exchange } from "./http/exchange.ts";
import { faultOf, logExchange, logFault } from "./http/log.ts";
import { mounted } from "./http/mounted.ts";
import { countRequest } from "./http/rate-limit.ts";
import { readSettings } from "./platform/settings.ts";
import type { Settings } from "./platform/settings.ts";
import { EXPOSED } from "./sandbox/faults/prefer.ts";
import { forward } from "./sandbox/forward.ts";
import type { WithForward } from "./sandbox/handlers.ts";
import { forwardedRoutes, storesRoutes } from "./sandbox/routes.ts";
import { sessionsInKv } from "./user/sessions.ts";

type Bindings = Env & {
  /** Set by `npm start`. */
  readonly LOCAL_LOG?: string;
  /** Set by the package: another base path of `/v2`. */
  readonly LOCAL_BASE_PATH?: string;
};

/**
 * The app's home in the Worker. It counts each request, serves the shared store from D1, KV and R2, and forwards a
 * request for a sandbox to the sandbox's object.
 * @param now the clock, in milliseconds since the epoch
 * @param later lets work continue after the answer
 */
export const createWorker = (
  now: () => number = Date.now,
  later: (work: Promise<unknown>) => void = waitUntil,
) => {
  const app = createApp<Bindings, WithAssets & WithForward>({
    routes: {
      "": [...documents, ...storesRoutes],
      [SANDBOX_PATH]: [...documents, ...forwardedRoutes],
    },
    async serve({ env, var: { exchange } }, next) {
      const { basePath, request, route, sandbox } = exchange;
      if (sandbox && basePath) exchange.added = EXPOSED;
      const settings = await readSettings(env);
      if (route?.isPrivate) refuseForeignHost(request.url, settings);
      const address = clientAddress(request.headers);
      const count = async (key: string) => countRequest(exchange, env.REQUESTS, key);
      await count(address);

      const page = await pageFor(exchange, env.ASSETS, isSwitchedOff(exchange, settings));
      if (page) return page;
      const sendTo: WithForward["forward"] = async (name, sent) =>
        forward(env.STORES, name, sent, async (rows) =>
          // Each thousand rows count as a request. They are written already, so if they exceed the limit, the next request
          // is refused.
          Promise.allSettled(
            Array.from({ length: Math.floor(rows / 1000) }, async () => count(address)),
          ),
        );
      const name = sandbox?.name ?? (basePath ? settings.localStore : undefined);
      if (name !== undefined && !isDocument(route?.path)) return sendTo(name, request);

      const report = (fault: unknown) => {
        exchange.fault = faultOf(fault);
      };
      const engine = new D1Engine(env.DB, request.headers.get("x-d1-bookmark") ?? undefined);
      exchange.services = {
        db: new Database(engine),
        bookmark: () => engine.bookmark,
        sessions: sessionsInKv(env.SESSIONS, (fault, retry) => {
          report(fault);
          later(retry.catch((again: unknown) => logFault(exchange, again)));
        }),
        images: env.IMAGES,
        storePath: sandbox?.path ?? "",
        countRequest: count,
        logins: env.LOGINS,
        loginsPerUser: env.LOGINS_PER_USER,
        settings,
        now,
        report,
        assets: env.ASSETS,
        forward: sendTo,
      };
      return next();
    },
    note(exchange, answer, { LOCAL_LOG }) {
      const { errors, request } = exchange;
      const more = { path: new URL(request.url).pathname, errors };
      logExchange(exchange, answer, LOCAL_LOG ? more : {});
    },
  });
  return {
    async fetch(request: Request, env: Bindings): Promise<Response> {
      const call = async (sent: Request) => app.fetch(sent, env);
      const answer = await mounted(normalised(request), env.LOCAL_BASE_PATH, call);
      // The header does not say what the client accepts: the runtime sets its own.
      const isCompressed = env.LOCAL_LOG && request.cf?.clientAcceptEncoding;
      return isCompressed ? untransformed(answer) : answer;
    },
  };
};

/**
 * An answer that `wrangler dev` sends as it is, if it says `no-transform`. Cloudflare's edge obeys that, but `wrangler dev`
 * compresses what has no encoding, and holds it back until it is whole
 * (https://github.com/cloudflare/workers-sdk/issues/8004).
 */
function untransformed(answer: Response): Response {
  const { body, headers } = answer;
  if (body === null || !headers.get("Cache-Control")?.includes("no-transform")) return answer;
  const sent = new Response(body, answer);
  sent.headers.set("Content-Encoding", "identity");
  return sent;
}

/**
 * A request as the object of a sandbox gets it: its URL without backslashes and dot segments. Outside the package, the
 * platform has done that already, and most URLs have neither.
 */
function normalised(request: Request): Request {
  const { url } = request;
  return /\\|\/(?:\.|%2e)/i.test(url) ? new Request(new URL(url), request) : request;
}

/** Whether a request is for a sandbox, although the settings allow only the local store. */
const isSwitchedOff = (
  { path, sandbox }: Exchange,
  { localStore, storeCreation }: Settings,
): boolean =>
  storeCreation === "nobody" &&
  (sandbox ? sandbox.name !== localStore : /^\/stores(?:\/|$)/.test(path));

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
