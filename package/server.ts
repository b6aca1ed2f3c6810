// The server is a process of its own, which ends with this one, however this one ends: workerd alone would stay.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface ServerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The store that is served at `/v2`. */
  readonly store: string;
  readonly access: "open" | "protected";
  readonly apiKey?: string | undefined;
  /** Where stores are kept; in memory without it. */
  readonly folder?: string | undefined;
}

/** What the process of the server tells. */
export type Notice =
  | { readonly kind: "ready"; readonly origin: string }
  | { readonly kind: "failed"; readonly code: string | undefined; readonly message: string };

/** A server did not start. */
export class NotStarted extends Error {
  override readonly name = "NotStarted";
  /** Of the fault, such as `EADDRINUSE`. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

export interface Server {
  readonly origin: string;
  /** Settles when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** This process may end before the server is stopped. */
  unref(): void;
  /** Ends the server, and removes what was not to be kept. */
  stop(): Promise<void>;
}

/** @throws NotStarted */
export async function startServer(options: ServerOptions): Promise<Server> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.resolve("./serve.js"))], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    // A Ctrl-C is for this process, which then ends the other one.
    detached: true,
    windowsHide: true,
  });
  const ended = once(child, "exit").then(() => undefined);
  const stop = async () => {
    // It ends when nobody listens to it.
    if (child.connected) child.disconnect();
    child.ref();
    await ended;
  };
  child.send(options);
  const notice = await Promise.race([
    once(child, "message").then(([message]) => message as Notice),
    ended.then((): Notice => ({ kind: "failed", code: undefined, message: "the server ended" })),
  ]);
  if (notice.kind === "failed") {
    await stop();
    throw new NotStarted(notice.message, notice.code);
  }
  return {
    origin: notice.origin,
    ended,
    unref: () => {
      child.unref();
      child.channel?.unref();
    },
    stop,
  };
}
