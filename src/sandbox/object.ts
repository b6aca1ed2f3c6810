import { DurableObject } from "cloudflare:workers";
import type { Context, Next } from "hono";
import { createApp } from "../app.ts";
import { Database } from "../db/client.ts";
import { clientAddress } from "../http/address.ts";
import { SANDBOX_PATH } from "../http/base-path.ts";
import type { App, Exchange } from "../http/exchange.ts";
import { faultOf, logExchange } from "../http/log.ts";
import { countRequest, enforce } from "../http/rate-limit.ts";
import { readSettings } from "../platform/settings.ts";
import type { Settings } from "../platform/settings.ts";
import { refuseCreation } from "./creation.ts";
import { fillingOf } from "./data.ts";
import { answerBy } from "./faults/answer.ts";
import { changed } from "./faults/delivery.ts";
import { Faults } from "./faults/faults.ts";
import { EXPOSED } from "./faults/prefer.ts";
import { Recorder } from "./record/recorder.ts";
import type { Recording } from "./record/recording.ts";
import { sandboxRoutes } from "./routes.ts";
import type { InObject } from "./routes.ts";
import { Sandbox } from "./sandbox.ts";
import { sessionsIn } from "./sessions.ts";

/** What an object passes to the app. */
interface Bindings {
  readonly sandbox: Sandbox;
  readonly faults: Faults;
  readonly recorder: Recorder;
  readonly env: Env;
  readonly now: () => number;
}

type Types = App<Bindings, InObject>;

/**
 * The app's home in the object of a sandbox. A request of an interface makes the sandbox or prolongs its life, meets its
 * rules for faults, and enters its record.
 */
const createSandboxApp = () =>
  createApp<Bindings, InObject>({
    routes: { [SANDBOX_PATH]: sandboxRoutes },
    async serve(c, next) {
      const { exchange } = c.var;
      const { sandbox, faults, recorder, env, now } = c.env;
      const { basePath, sandbox: named } = exchange;
      sandbox.open();
      const settings = await readSettings(env);
      const { use, isPast } = stayIn(c.env, exchange, settings);
      // A `GET` outside the interfaces does not prolong the life of a sandbox.
      const db = new Database(sandbox.engine(basePath ? use : undefined));
      exchange.services = {
        db,
        bookmark: () => undefined,
        sessions: sessionsIn(db),
        images: sandbox.images,
        storePath: named?.path ?? "",
        countRequest: async (key) => countRequest(exchange, env.REQUESTS, key),
        logins: limitBelow(sandbox.prefix, env.LOGINS),
        loginsPerUser: limitBelow(sandbox.prefix, env.LOGINS_PER_USER),
        // Anyone who knows the name of a sandbox can use it, so access is open.
        settings: named ? { ...settings, isProtected: false } : settings,
        now,
        report: (fault) => {
          exchange.fault = faultOf(fault);
        },
        sandbox,
        faults,
        recorder,
        use,
      };
      if (!basePath) return next();
      exchange.added = EXPOSED;
      await use();
      return recordAndMeetRules(c, next, recorder.begin(exchange, settings), isPast);
    },
    note(exchange, answer) {
      // The Worker logs the request. Only the object knows its fault.
      if (exchange.fault || exchange.uncounted) logExchange(exchange, answer);
    },
  });

/** `use` makes the sandbox or prolongs its life for a request. `isPast` tells whether that life has ended. */
function stayIn({ sandbox, recorder, env, now }: Bindings, exchange: Exchange, settings: Settings) {
  const { localStore, localData, passwordKeys, storeSeconds } = settings;
  const { headers } = exchange.request;
  const named = exchange.sandbox?.name;
  // Only the local sandbox is reached without its name.
  const isLocal = named === undefined || named === localStore;
  let { life } = sandbox;
  return {
    use: async () => {
      const filling = await sandbox.use({
        now: now(),
        seconds: storeSeconds,
        async admit() {
          if (!isLocal) await refuseCreation(headers, settings, env.LOGINS);
          await enforce(env.NEW_STORES, clientAddress(headers));
        },
        fillingOfNew: async () =>
          isLocal && localData !== undefined ? fillingOf(localData, passwordKeys) : undefined,
      });
      if (filling) recorder.log.begin(filling.data);
      ({ life } = sandbox);
    },
    isPast: () => life !== sandbox.life,
  };
}

/** Applies the rule that the request meets, if any, and records the answer. */
async function recordAndMeetRules(
  c: Context<Types>,
  next: Next,
  recording: Recording | undefined,
  isPast: () => boolean,
): Promise<void> {
  const { exchange } = c.var;
  const { faults, recorder } = c.env;
  const { request } = exchange;
  const fault = faults.meet(exchange);
  let isPatched = false;
  exchange.finish = async (answer) => {
    const response = request.method === "HEAD" ? new Response(null, answer) : answer;
    const outgoing = { response, content: response.body ? exchange.text : "" };
    const sent = fault ? await changed(outgoing, exchange, fault, isPatched) : outgoing;
    return recorder.end(exchange, { fault, recording, isPast }, sent);
  };
  if (!fault) return next();
  const answered = await answerBy(fault.demand, exchange, async () => {
    await next();
    const { res } = c;
    // Otherwise its headers would be added to those of an answer on demand.
    c.res = undefined;
    return res;
  });
  ({ isPatched } = answered);
  c.res = answered.response;
}

/** Made when first needed: an isolate that only forwards never needs it. */
let app: ReturnType<typeof createSandboxApp> | undefined;

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
    app ??= createSandboxApp();
    return app.fetch(request, {
      sandbox: this.#sandbox,
      faults: this.#faults,
      recorder: this.#recorder,
      env: this.env,
      now: this.now,
    });
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#recorder.acknowledge(socket, message);
  }

  override async alarm(): Promise<void> {
    await this.#sandbox.alarm();
  }
}

/** The limiter with keys of its own, so that no other sandbox uses up the attempts. */
const limitBelow = (prefix: string, limiter: RateLimit): RateLimit => ({
  limit: async ({ key }) => limiter.limit({ key: prefix + key }),
});
