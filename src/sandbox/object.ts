import { DurableObject } from "cloudflare:workers";
import { createApp } from "../app.ts";
import type { Arrival } from "../app.ts";
import { basePathOf, isOfInterface } from "../http/base-path.ts";
import { Database } from "../db/client.ts";
import { clientAddress } from "../http/address.ts";
import { countRequest, enforce } from "../http/rate-limit.ts";
import { faultOf, logRequest } from "../http/record.ts";
import { templateOf } from "../routes.ts";
import { readSettings } from "../platform/settings.ts";
import type { FaultRule } from "./contract.ts";
import { fillingOf } from "./data.ts";
import { BREAK, DELAY } from "./forward.ts";
import type { InSandbox } from "./handlers.ts";
import { MOST_PATH } from "./record/log.ts";
import type { LoggedRequest } from "./record/log.ts";
import { maskPath } from "./record/masking.ts";
import { sandboxIn } from "./name.ts";
import { EXPOSED, preferenceOf } from "./faults/prefer.ts";
import { Recording } from "./record/recording.ts";
import { sandboxRoutes } from "./routes.ts";
import { answerBy } from "./faults/rules.ts";
import type { Fault } from "./faults/rules.ts";
import { Sandbox } from "./sandbox.ts";
import { sessionsIn } from "./sessions.ts";

/** One request to a sandbox, the fault that it met, and its record if the sandbox records in full. */
interface Visit {
  readonly sandbox: Sandbox;
  /** The life of the sandbox in which the request came. */
  readonly life: number;
  readonly env: Env;
  readonly now: () => number;
  operationId?: string | undefined;
  fault?: Fault | undefined;
  /** The rule that applied. A preference of the client is none. */
  rule?: FaultRule | undefined;
  recording?: Recording;
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
        fillingOfNew: async () =>
          isLocal && localData !== undefined ? fillingOf(localData, passwordKeys) : undefined,
      });
    if (isOfInterface(c.req.path)) {
      c.set("added", EXPOSED);
      await use();
      visit.operationId = operation?.id;
      const isPackage = localStore !== undefined;
      const { record = isPackage ? "full" : "lines", secrets = isPackage } =
        sandbox.log.about.mode ?? {};
      if (record === "full") {
        visit.recording = new Recording(c.req.raw, !secrets);
        c.req.raw = visit.recording.request;
      }
      const preference = preferenceOf(headers);
      if (preference) c.set("added", { ...EXPOSED, "Preference-Applied": preference.applied });
      visit.fault = preference?.fault ?? sandbox.nextFault(factsOf({ c, operation }));
      if (!preference) visit.rule = visit.fault?.rule;
    }
    const engine = sandbox.engine(life);
    const serve = async () =>
      answer({
        db: new Database(engine),
        bookmark: () => undefined,
        sessions: sessionsIn(engine),
        images: sandbox.images,
        storePath: named?.path ?? "",
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
    return visit.fault ? answerBy(visit.fault.rule, operation, serve) : serve();
  },
  note(record, { sandbox, life, operationId, fault, rule, recording }, c) {
    // The Worker logs the request. Only the object knows its fault.
    if (record.fault || record.uncounted) logRequest(record);
    if (!isOfInterface(record.path)) return;
    const { at, method, path, status, ms, errors } = record;
    const request: Omit<LoggedRequest, "id"> = {
      at,
      method,
      // The cut may be in the middle of a character.
      path: maskPath(path.slice(0, MOST_PATH).toWellFormed()),
      status,
      ms: ms + (fault?.delayMs ?? 0),
      ...(operationId !== undefined && { operationId }),
      ...(errors && { errors }),
      ...(rule && { rule }),
    };
    if (!recording) sandbox.record(request, life);
    else recording.answered(c, (full) => sandbox.record({ ...request, ...full }, life));
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
    const visit: Visit = { sandbox, life: sandbox.life, env, now };
    const response = await app.fetch(request, visit);
    const { rule, delayMs = 0 } = visit.fault ?? {};
    if (delayMs > 0) response.headers.set(DELAY, String(delayMs));
    if (rule?.break) response.headers.set(BREAK, rule.break);
    return response;
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#sandbox.acknowledge(socket, message);
  }

  override async alarm(): Promise<void> {
    await this.#sandbox.alarm();
  }
}

const factsOf = ({ c, operation }: Pick<Arrival<Visit>, "c" | "operation">) => {
  const { path, method } = c.req;
  const below = basePathOf(path).length;
  return {
    operationId: operation?.id,
    method,
    // Routes accept one slash at the end.
    path: path.slice(below).replace(/\/$/, ""),
    template: templateOf(c.get("route")?.path.slice(below) ?? ""),
  };
};

/** A limit on attempts that no other sandbox uses up. */
const limitBelow = (prefix: string, limiter: RateLimit): RateLimit => ({
  limit: async ({ key }) => limiter.limit({ key: prefix + key }),
});
