import { DurableObject } from "cloudflare:workers";
import { createApp } from "../app.ts";
import type { Service } from "../app.ts";
import { Database } from "../db/client.ts";
import { clientAddress } from "../http/address.ts";
import { isOfInterface } from "../http/base-path.ts";
import { countRequest, enforce } from "../http/rate-limit.ts";
import { faultOf, logRequest } from "../http/record.ts";
import type { RequestRecord } from "../http/record.ts";
import { readSettings } from "../platform/settings.ts";
import { fillingOf } from "./data.ts";
import { answerBy } from "./faults/answer.ts";
import { changed } from "./faults/delivery.ts";
import { Faults } from "./faults/faults.ts";
import { EXPOSED } from "./faults/prefer.ts";
import { INTERNAL } from "./internal-headers.ts";
import { routedPath, sandboxIn } from "./name.ts";
import { Recorder } from "./record/recorder.ts";
import type { Noted } from "./record/recorder.ts";
import { sandboxRoutes } from "./routes.ts";
import type { InObject } from "./routes.ts";
import { Sandbox } from "./sandbox.ts";
import { sessionsIn } from "./sessions.ts";

/** One request to a sandbox, and what is known of it after its answer. */
interface Visit extends Noted {
  readonly sandbox: Sandbox;
  readonly faults: Faults;
  readonly recorder: Recorder;
  readonly env: Env;
  readonly now: () => number;
  /** Set for a request of an interface. */
  record?: RequestRecord;
  /** The text of the answer, unless it is streamed. */
  text?: string | undefined;
}

/**
 * The app's home in the object of a sandbox. A request of an interface makes the sandbox or prolongs its life, meets its
 * rules for faults, and enters its record.
 */
const createSandboxApp = () =>
  createApp<Visit, InObject>({
    routes: sandboxRoutes,
    pathOf: routedPath,
    async handle({ c, bindings: visit, operation }, answer) {
      const { sandbox, faults, recorder, life, env, now } = visit;
      sandbox.open();
      sandbox.mustBe(life);
      const { headers, url } = c.req.raw;
      const named = sandboxIn(url);
      const storePath = named?.path ?? "";
      const settings = await readSettings(env);
      const { localStore, localData, passwordKeys } = settings;
      // Only the local sandbox is reached without its name.
      const isLocal = named === undefined || named.name === localStore;
      const use = async () => {
        const filling = await sandbox.use({
          life,
          now: now(),
          seconds: settings.storeSeconds,
          countNew: async () => enforce(env.NEW_STORES, clientAddress(headers)),
          fillingOfNew: async () =>
            isLocal && localData !== undefined ? fillingOf(localData, passwordKeys) : undefined,
        });
        if (filling) recorder.log.begin(filling.data);
      };
      const engine = sandbox.engine(life);
      const run = async () =>
        answer({
          db: new Database(engine),
          bookmark: () => undefined,
          sessions: sessionsIn(engine),
          images: sandbox.images,
          storePath,
          countRequest: async (key) => countRequest(c, env.REQUESTS, key),
          logins: limitBelow(sandbox.prefix, env.LOGINS),
          loginsPerUser: limitBelow(sandbox.prefix, env.LOGINS_PER_USER),
          // Anyone who knows the name of a sandbox can use it, so access is open.
          settings: named ? { ...settings, isProtected: false } : settings,
          now,
          report: (fault) => c.set("fault", faultOf(fault)),
          sandbox,
          faults,
          recorder,
          use,
        });
      if (!isOfInterface(c.req.path)) return run();
      c.set("added", EXPOSED);
      await use();
      visit.operationId = operation?.id;
      visit.recording = recorder.begin(c, settings);
      const fault = faults.meet(c, operation);
      if (!fault) return run();
      visit.met = { fault, storePath, isFile: operation?.binary !== undefined };
      const { response, isPatched } = await answerBy(fault.demand, { c, operation, answer: run });
      visit.met.isPatched = isPatched;
      return response;
    },
    note(record, visit, c) {
      // The Worker logs the request. Only the object knows its fault.
      if (record.fault || record.uncounted) logRequest(record);
      if (isOfInterface(record.path)) Object.assign(visit, { record, text: c.get("text") });
    },
  });

/** Made when first needed: a Worker that only forwards needs none. */
let app: Service<Visit> | undefined;

/** A sandbox. The Worker forwards to it every request that is for it (docs/decisions/007-sandboxes.md). */
export class StoreObject extends DurableObject<Env> {
  readonly #sandbox: Sandbox;
  readonly #faults: Faults;
  readonly #recorder: Recorder;
  /** The time, in milliseconds since the epoch. */
  now = (): number => Date.now();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sandbox = new Sandbox(ctx, () => this.env.IMAGES);
    this.#faults = new Faults(this.#sandbox);
    this.#recorder = new Recorder(ctx, this.#sandbox);
  }

  override async fetch(request: Request): Promise<Response> {
    const { env, now } = this;
    const sandbox = this.#sandbox;
    const recorder = this.#recorder;
    const life = sandbox.lifeAt(Date.now() - Number(request.headers.get(INTERNAL.held)));
    const visit: Visit = { sandbox, faults: this.#faults, recorder, life, env, now };
    app ??= createSandboxApp();
    const answered = await app.fetch(request, visit);
    const { met, record, text } = visit;
    if (!record) return answered;
    const answer = { response: answered, content: answered.body ? text : "" };
    return recorder.end(record, visit, met ? await changed(answer, met) : answer);
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#recorder.acknowledge(socket, message);
  }

  override async alarm(): Promise<void> {
    await this.#sandbox.alarm();
  }
}

/** A limit on attempts that no other sandbox uses up. */
const limitBelow = (prefix: string, limiter: RateLimit): RateLimit => ({
  limit: async ({ key }) => limiter.limit({ key: prefix + key }),
});
