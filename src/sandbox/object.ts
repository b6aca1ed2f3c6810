import { DurableObject } from "cloudflare:workers";
import type { Bindings, Limiter } from "../http/settings.ts";
import { logError, rethrow } from "../middleware/log.ts";
import { createSandboxApp } from "./app.ts";
import type { SandboxEnv } from "./env.ts";
import type { Apis } from "./rules/operations.ts";
import { SandboxState } from "./state.ts";

/** When the alarm retries the deletion of a sandbox, in milliseconds. */
const RETRY_MS = 60 * 60 * 1000;

/** Whether an endpoint may send this code in a Close frame (RFC 6455, section 7.4). */
const isSendable = (code: number): boolean => code >= 1000 && code < 5000 && ![1004, 1005, 1006, 1015].includes(code);

/** Created by the first request, because an isolate that only proxies starts 0.5 ms faster without it. */
let app: ReturnType<typeof createSandboxApp> | undefined;

/** A private pet store: the APIs over the SQLite of a Durable Object, and over the bucket below a prefix. */
export abstract class SandboxObject extends DurableObject<Bindings> {
  /** The APIs by their base path. */
  abstract readonly apis: Apis;
  readonly #state = new SandboxState(this.ctx);
  #access = this.#state.access;
  #bindings: SandboxEnv["Bindings"] | undefined;

  override async fetch(request: Request): Promise<Response> {
    app ??= createSandboxApp(this.apis);
    return app.fetch(request, this.#currentBindings(), {
      waitUntil: (work) => this.ctx.waitUntil(work),
      passThroughOnException: () => {},
      props: {},
    });
  }

  /** Returns the same object until a setting changes, because the settings are parsed once per bindings object. */
  #currentBindings(): SandboxEnv["Bindings"] {
    if (this.#bindings?.SERVICE !== this.env || this.#access !== this.#state.access) {
      this.#access = this.#state.access;
      this.#bindings = this.#createBindings();
    }
    return this.#bindings;
  }

  #createBindings(): SandboxEnv["Bindings"] {
    const { access, apiKey = "" } = this.#access;
    // Prefix the keys, so that no other sandbox uses up the password attempts.
    const prefixKeys = (limiter: Limiter): Limiter => ({
      limit: async ({ key }) => limiter.limit({ key: this.#state.prefix + key }),
    });
    const { LOGINS, LOGINS_PER_USER } = this.env;
    return {
      ...this.env,
      SANDBOX: this.#state,
      SERVICE: this.env,
      ACCESS: access,
      API_KEY: apiKey,
      ...(LOGINS && { LOGINS: prefixKeys(LOGINS) }),
      ...(LOGINS_PER_USER && { LOGINS_PER_USER: prefixKeys(LOGINS_PER_USER) }),
    };
  }

  override async alarm(): Promise<void> {
    const { expiresAt = 0, storage } = this.#state;
    // The deletion removes the alarm as well. The runtime stops retrying an alarm that fails after some minutes.
    await storage.setAlarm(Math.max(expiresAt, Date.now() + RETRY_MS)).catch(rethrow);
    if (Date.now() < expiresAt) return;
    await this.#state.delete(this.env.IMAGES).catch(logError);
  }

  /** Clients only listen. */
  override webSocketMessage(): void {}

  /** Responds to a Close frame (RFC 6455, section 5.5.1). A dropped connection has the code 1006, which must not be sent. */
  override webSocketClose(socket: WebSocket, code: number, reason: string, wasClean: boolean): void {
    if (!wasClean) return;
    try {
      if (code === 1005) socket.close(1000, reason);
      else if (isSendable(code)) socket.close(code, reason);
      else socket.close(1002);
    } catch (error) {
      logError(error);
    }
  }
}
