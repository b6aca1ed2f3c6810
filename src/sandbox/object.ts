import { DurableObject } from "cloudflare:workers";
import { createApp } from "../app.ts";
import type { Arrival } from "../app.ts";
import { BASE_PATH, isOfInterface } from "../base-path.ts";
import { Database } from "../db/client.ts";
import { clientAddress } from "../http/address.ts";
import { countRequest, enforce } from "../http/rate-limit.ts";
import { faultOf, logRequest } from "../http/record.ts";
import { readSettings } from "../settings.ts";
import type { FaultRule } from "./contract.ts";
import { insertionsOfText } from "./data.ts";
import { DELAY } from "./forward.ts";
import type { InSandbox } from "./handlers.ts";
import type { LoggedRequest } from "./log.ts";
import { sandboxIn } from "./name.ts";
import { sandboxRoutes } from "./routes.ts";
import { answerBy } from "./rules.ts";
import { Sandbox } from "./sandbox.ts";
import { sessionsIn } from "./sessions.ts";

/** The longest path in the log. */
const MAX_LOGGED_PATH = 2048;

/** One request to a sandbox, and the rule for faults that it met. */
interface Visit {
  readonly sandbox: Sandbox;
  /** The life of the sandbox in which the request came. */
  readonly life: number;
  readonly env: Env;
  readonly now: () => number;
  rule: FaultRule | undefined;
}

/**
 * The app's home in the object of a sandbox. A request of the interface makes the sandbox or prolongs its life, meets
 * its rules for faults, and enters its log.
 */
const app = createApp<Visit, InSandbox>({
  routes: sandboxRoutes,
  async serve({ c, bindings: visit, operation }, answer) {
    const { sandbox, life, env, now } = visit;
    sandbox.open();
    const { headers, url } = c.req.raw;
    const named = sandboxIn(url);
    const settings = await readSettings(env);
    const { localStore, localData, passwordKeys } = settings;
    // Only the local one is reached without its name.
    const isLocal = named === undefined || named.name === localStore;
    const use = async () =>
      sandbox.use({
        life,
        now: now(),
        seconds: settings.storeSeconds,
        countNew: async () => enforce(env.NEW_STORES, clientAddress(headers)),
        contentOfNew: async () =>
          isLocal && localData !== undefined ? insertionsOfText(localData, passwordKeys) : [],
      });
    if (isOfInterface(c.req.path)) {
      await use();
      visit.rule = sandbox.nextRule(factsOf({ c, operation }));
    }
    const engine = sandbox.engine(life);
    const serve = async () =>
      answer({
        db: new Database(engine),
        bookmark: () => undefined,
        sessions: sessionsIn(engine),
        images: sandbox.images,
        basePath: (named?.path ?? "") + BASE_PATH,
        countRequest: async (key) => countRequest(c, env.REQUESTS, key),
        logins: limitBelow(sandbox.prefix, env.LOGINS),
        loginsPerUser: limitBelow(sandbox.prefix, env.LOGINS_PER_USER),
        // Anyone who knows the name of a sandbox can use it, so access is open.
        settings: named ? { ...settings, isProtected: false } : settings,
        now,
        report: (fault) => c.set("fault", faultOf(fault)),
        sandbox,
        use,
      });
    return visit.rule ? answerBy(visit.rule, operation, serve) : serve();
  },
  note(record, { sandbox, life, rule }) {
    // The Worker logs the request. Only the object knows its fault.
    if (record.fault || record.uncounted) logRequest(record);
    if (!isOfInterface(record.path)) return;
    const { at, method, path, status, ms, errors } = record;
    const request: Omit<LoggedRequest, "id"> = {
      at,
      method,
      path: path.slice(0, MAX_LOGGED_PATH),
      status,
      ms: ms + (rule?.delayMs ?? 0),
      ...(errors && { errors }),
      ...(rule && { isOnDemand: true }),
    };
    sandbox.record(request, life);
  },
});

/** A sandbox. The Worker forwards to it every request that is for it (docs/decisions/007-stores-of-ones-own.md). */
export class StoreObject extends DurableObject<Env> {
  readonly #sandbox: Sandbox;
  /** The time, in milliseconds since the epoch. */
  now = (): number => Date.now();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sandbox = new Sandbox(ctx, () => this.env.IMAGES);
  }

  override async fetch(request: Request): Promise<Response> {
    const { env, now } = this;
    const sandbox = this.#sandbox;
    const visit: Visit = { sandbox, life: sandbox.life, env, now, rule: undefined };
    const response = await app.fetch(request, visit);
    const delayMs = visit.rule?.delayMs;
    if (delayMs !== undefined) response.headers.set(DELAY, String(delayMs));
    return response;
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#sandbox.acknowledge(socket, message);
  }

  override async alarm(): Promise<void> {
    await this.#sandbox.alarm();
  }
}

const factsOf = ({ c, operation }: Pick<Arrival<Visit>, "c" | "operation">) => ({
  operationId: operation?.id,
  method: c.req.method,
  // Routes accept one slash at the end.
  path: c.req.path.slice(BASE_PATH.length).replace(/\/$/, ""),
  template: c.get("route")?.path.replaceAll(/:(\w+)/g, "{$1}"),
});

/** A limit on attempts that no other sandbox uses up. */
const limitBelow = (prefix: string, limiter: RateLimit): RateLimit => ({
  limit: async ({ key }) => limiter.limit({ key: prefix + key }),
});
