// The server is a separate process, which ends when this one ends, for whatever reason. workerd alone would keep
// running.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface ServerOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** The store that is served at `/v2`. */
  readonly store: string;
  readonly access: "open" | "protected";
  readonly apiKey?: string | undefined;
  /** The folder that stores are kept in. Without it, they are in memory. */
  readonly folder?: string | undefined;
}

/** A message from the server process. */
export type Notice =
  | { readonly kind: "ready"; readonly origin: string }
  | { readonly kind: "failed"; readonly code: string | undefined; readonly message: string };

/** A server did not start. */
export class NotStarted extends Error {
  override readonly name = "NotStarted";
  /** The code of the fault, such as `EADDRINUSE`. */
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
  /** Allows this process to end before the server stops. */
  unref(): void;
  /** Ends the server, and removes its temporary files. */
  stop(): Promise<void>;
}

/** @throws NotStarted */
export async function startServer(options: ServerOptions): Promise<Server> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.resolve("./serve.js"))], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    // A Ctrl-C goes only to this process, which then ends the server.
    detached: true,
    windowsHide: true,
  });
  const ended = once(child, "exit").then(() => undefined);
  const stop = async () => {
    // The server ends when this process no longer listens to it.
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
