// The server is a process of its own, which ends when this one ends, for whatever reason. workerd itself would keep running.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";

export interface ServerOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** The address that clients use, if a proxy stands in front. */
  readonly publicUrl?: string | undefined;
  readonly access?: "open" | "protected" | undefined;
  readonly apiKey?: string | undefined;
  /** Who may create sandboxes. Default: anyone, or who has the key if access is protected. */
  readonly sandboxes?: "anyone" | "key" | "nobody" | undefined;
  /** What a new store contains: "classic", "empty", or resources as `GET …/data` shows them. The server checks it. */
  readonly data: unknown;
  /** The folder that keeps everything. Default: in memory. */
  readonly keep?: string | undefined;
  /** Print a line for each request. */
  readonly log?: boolean | undefined;
}

/** What the server process sends once. */
export type Notice = { readonly origin: string } | { readonly code: string | undefined; readonly message: string };

export interface Server {
  readonly origin: string;
  /** Resolves when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Lets this process end while the server runs. */
  readonly unref: () => void;
  readonly stop: () => Promise<void>;
}

/** The oldest Node that Miniflare runs on. */
const LEAST_NODE = [22, 12] as const;

/** How long a start may take, in milliseconds. */
const START_MS = 60_000;

/**
 * Starts a server.
 * @param signal ends the start
 * @throws Error with the `code` of the system, if it has one
 */
export async function startServer(options: ServerOptions, signal?: AbortSignal): Promise<Server> {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1])) {
    throw new Error(`pet-store-service needs Node ${LEAST_NODE.join(".")} or newer. This is ${process.version}.`);
  }
  const child = spawn(process.execPath, [fileURLToPath(import.meta.resolve("./serve.js"))], {
    stdio: ["ignore", options.log ? "inherit" : "ignore", "pipe", "ipc"],
    // Only this process gets a Ctrl-C, and then stops the server.
    detached: true,
    windowsHide: true,
  });
  child.stderr?.on("data", (text: Buffer) => process.stderr.write(text));
  const ended = endOf(child);
  child.send(options);
  const late = AbortSignal.timeout(START_MS);
  const notice = await Promise.race([
    once(child, "message", { signal: AbortSignal.any([late, ...(signal ? [signal] : [])]) }).then(
      ([message]) => message as Notice,
      (): Notice => {
        // It may be busy, and not hear anything else.
        child.kill("SIGKILL");
        const message = late.aborted ? `it took longer than ${START_MS / 1000} seconds` : "it was interrupted";
        return { code: undefined, message };
      },
    ),
    ended.then((): Notice => ({ code: undefined, message: "the server ended" })),
  ]);
  const stop = async () => {
    // The server ends when the channel closes.
    if (child.connected) child.disconnect();
    child.ref();
    await ended;
  };
  if ("message" in notice) {
    await stop();
    const { code, message } = notice;
    throw Object.assign(new Error(message), { code });
  }
  return {
    origin: notice.origin,
    ended,
    unref: () => {
      child.unref();
      // Bun has no such method, and needs none.
      child.channel?.unref?.();
      if (child.stderr instanceof Socket) child.stderr.unref();
    },
    stop,
  };
}

/** Waits for the end of the server. If it was killed, workerd would keep running. */
async function endOf(child: ChildProcess): Promise<void> {
  await once(child, "exit");
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nothing is left. (Windows has no process groups.)
  }
}
