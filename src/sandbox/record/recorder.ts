import { ApiError } from "../../http/errors.ts";
import type { Exchange } from "../../http/exchange.ts";
import { time } from "../../platform/failures.ts";
import type { Settings } from "../../platform/settings.ts";
import type { Outgoing } from "../faults/delivery.ts";
import type { Fault } from "../faults/rules.ts";
import type { Sandbox } from "../sandbox.ts";
import { MOST_PATH, RequestLog } from "./log.ts";
import type { LoggedRequest } from "./log.ts";
import { maskPair } from "./masking.ts";
import { Recording } from "./recording.ts";
import type { Recorded } from "./recording.ts";
import { Watcher } from "./watcher.ts";

/** The largest number of pages that watch a sandbox. */
const MAX_WATCHERS = 20;

/** How long requests are gathered before they are written to the log together, in milliseconds. */
const GATHERED_MS = 100;

/** What happened to a request in the object, besides what the app knows of it. */
interface Happened {
  /** Set if a fault changed the answer. */
  readonly fault: Fault | undefined;
  /** Set if the sandbox records in full. */
  readonly recording: Recording | undefined;
  /** Whether the sandbox has ended since the request was handled. */
  readonly isPast: () => boolean;
}

/** Records the requests to a sandbox, and shows them to the pages that watch it. */
export class Recorder {
  readonly log: RequestLog;
  readonly #ctx: DurableObjectState;
  readonly #sandbox: Sandbox;

  constructor(ctx: DurableObjectState, sandbox: Sandbox) {
    this.#ctx = ctx;
    this.#sandbox = sandbox;
    this.log = new RequestLog(sandbox.database, () => this.#showAll());
    sandbox.onEnd(() => {
      this.log.forget();
      for (const socket of ctx.getWebSockets()) socket.close(1001, "the store has ended");
    });
  }

  /**
   * Begins to record a request.
   * @param settings the npm package, which has a local store, records in full by default
   * @returns `undefined` if the sandbox records only lines
   */
  begin(exchange: Exchange, { localStore, showsSecrets }: Settings): Recording | undefined {
    const { record = localStore === undefined ? "lines" : "full", secrets = showsSecrets } =
      this.log.settings.mode ?? {};
    if (record === "lines") return undefined;
    const recording = new Recording(exchange.request, !secrets);
    exchange.request = recording.request;
    return recording;
  }

  /** Records a request after its answer. @returns the answer to send */
  end(
    { at, errors, operation, path, request: { method } }: Exchange,
    { fault, recording, isPast }: Happened,
    outgoing: Outgoing,
  ): Response {
    const { rule, delayMs = 0 } = fault ?? {};
    const request: Omit<LoggedRequest, "id"> = {
      at,
      method,
      // The cut may be in the middle of a character.
      path: maskPair(path.slice(0, MOST_PATH).toWellFormed()),
      status: outgoing.response.status,
      ms: Date.now() - at + delayMs,
      ...(operation && { operationId: operation.id }),
      ...(errors && { errors }),
      ...(rule && { rule }),
      ...outgoing.deeds,
    };
    const { timesEmptied } = this.log;
    /** Adds the request to the log, and shows it to the watchers a moment later. */
    const add = (full?: Recorded) => {
      if (!this.#sandbox.exists || isPast() || timesEmptied !== this.log.timesEmptied) return;
      if (this.log.add({ ...request, ...full })) this.#ctx.waitUntil(this.#write());
    };
    if (recording) return recording.answered(outgoing, add);
    add();
    return outgoing.response;
  }

  async #write(): Promise<void> {
    await time.wait(GATHERED_MS);
    this.log.write();
  }

  /** Sends each watcher what is new to it. */
  #showAll(): void {
    for (const socket of this.#ctx.getWebSockets()) new Watcher(socket).send(this.log);
  }

  /**
   * Connects a page that watches the sandbox by WebSocket: it gets the log, then each request.
   * @throws ApiError 429 if too many pages watch
   */
  watch(): Response {
    if (this.#ctx.getWebSockets().length >= MAX_WATCHERS) throw ApiError.general("tooMany");
    const { 0: page, 1: here } = new WebSocketPair();
    // Pending requests are sent with the log, and not again when they are written.
    this.log.write();
    // The page stays connected while the object sleeps.
    this.#ctx.acceptWebSocket(here);
    new Watcher(here).begin(this.log);
    return new Response(null, { status: 101, webSocket: page });
  }

  /** A page acknowledges a message. */
  acknowledge(socket: WebSocket, receipt: unknown): void {
    this.#sandbox.open();
    new Watcher(socket).acknowledge(receipt, this.log);
  }
}
