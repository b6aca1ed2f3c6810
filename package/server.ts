// The server is a separate process that ends when this one ends, for whatever reason. workerd itself would keep
// running.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { NotStarted, ServerEnded } from "./errors.ts";
import { PREFIX, removeFolder } from "./files.ts";

export interface ServerOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** Another base path of the interface at `/v2`. Default: none. */
  readonly basePath?: string | undefined;
  /** The name of the store at `/v2`, unless the folder keeps another one. */
  readonly store: string;
  /** Initial data of that store: JSON like the body of `PUT …/data`. Default: none. */
  readonly data?: string | undefined;
  readonly access: "open" | "protected";
  readonly apiKey?: string | undefined;
  /** The folder that keeps the stores. Default: in memory. */
  readonly folder?: string | undefined;
  /** Who may create further stores at `/stores`. Default: anyone, or who has the key if access is protected. */
  readonly stores?: "anyone" | "key" | "nobody" | undefined;
}

/** The message to the server process. */
export interface Order extends ServerOptions {
  /** The folder for temporary files. The server removes it. */
  readonly temporary: string;
}

/** A message from the server process. */
export type Notice =
  | { readonly kind: "ready"; readonly origin: string; readonly store: string }
  | { readonly kind: "failed"; readonly code: string | undefined; readonly message: string };

export interface Server {
  readonly origin: string;
  /** The name of the store at `/v2`. */
  readonly store: string;
  /** Resolves when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** The error to report for a request that failed: a `ServerEnded` if the server has ended. */
  explain(fault: unknown): Promise<unknown>;
  /** Lets this process end while the server runs. */
  unref(): void;
  /** Ends the server, and removes its temporary files. */
  stop(): Promise<void>;
}

/** How long to wait until a failed request is known to be the end of the server, in milliseconds. */
const ENDING_MS = 1000;

/** How much of its output a `ServerEnded` shows. */
const LAST_LINES = 20;
const LAST_CHARACTERS = 4000;

/** The oldest version of Node that Miniflare supports. */
const LEAST_NODE = 22;

/** @throws NotStarted */
export async function startServer(options: ServerOptions): Promise<Server> {
  const [major = 0] = process.versions.node.split(".").map(Number);
  if (major < LEAST_NODE) {
    throw new NotStarted(
      `pet-store-service needs Node ${LEAST_NODE} or newer. This is ${process.version}.`,
    );
  }
  const temporary = makeTemporary();
  const script = fileURLToPath(import.meta.resolve("./serve.js"));
  // The script uses node:sqlite.
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    // Only this process gets a Ctrl-C, and then ends the server.
    detached: true,
    windowsHide: true,
    // Miniflare makes its temporary files there.
    env: { ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary },
  });
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    process.stderr.write(text);
    output = (output + text).slice(-LAST_CHARACTERS);
  });
  const ended = endOf(child, temporary);
  const stop = async () => {
    // The server ends when the channel closes.
    if (child.connected) child.disconnect();
    child.ref();
    await ended;
  };
  child.send({ ...options, temporary } satisfies Order);
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
    store: notice.store,
    ended,
    explain: async (fault) => {
      const hasEnded = ended.then(() => true);
      if (!(await Promise.race([hasEnded, sleep(ENDING_MS, false)]))) return fault;
      const lines = output.trimEnd().split("\n").slice(-LAST_LINES).join("\n");
      const says = lines === "" ? "It printed nothing." : `Its last output:\n${lines}`;
      return new ServerEnded(`The server of the store has ended. ${says}`, { cause: fault });
    },
    unref: () => {
      child.unref();
      // In Bun, `unref` is missing and not needed.
      child.channel?.unref?.();
      if (child.stderr instanceof Socket) child.stderr.unref();
    },
    stop,
  };
}

/** @throws NotStarted */
function makeTemporary(): string {
  try {
    return mkdtempSync(join(tmpdir(), PREFIX));
  } catch (fault) {
    const { code, message } = fault as NodeJS.ErrnoException;
    throw new NotStarted(message, code);
  }
}

/** Waits until the server process has ended, and cleans up if it was killed. */
async function endOf(child: ChildProcess, temporary: string): Promise<void> {
  await once(child, "exit");
  try {
    // workerd would keep running, and keep the port.
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // Nothing is left. (Windows has no process groups.)
  }
  removeFolder(temporary);
}
