// Runs workerd, and ends it when this process ends, for whatever reason: by itself, workerd would keep running.
import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { Socket, isIP } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";
import workerd from "workerd";
import { createRunFolder, openKeptFolder } from "./folders.ts";
import { claim } from "./port.ts";

export interface ServerOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  /** The address that clients use, if a proxy stands in front. */
  readonly publicUrl?: string | undefined;
  readonly access?: "open" | "protected" | undefined;
  readonly apiKey?: string | undefined;
  /** Who can create sandboxes. Default: anyone, or the clients that have the key if access is protected. */
  readonly sandboxes?: "anyone" | "key" | "nobody" | undefined;
  /** What a new store contains: "classic", "empty", or resources as `GET …/data` returns them. The Worker validates it. */
  readonly data: unknown;
  /** The folder that keeps everything. Default: the data is temporary. */
  readonly keep?: string | undefined;
  /** Whether to print a line for each request. */
  readonly log?: boolean | undefined;
}

/** What the Worker is told. */
export interface Settings {
  /** Override the variables of `npm start`. */
  readonly vars: Readonly<Record<string, string>>;
  /** What a new store contains: "classic", "empty", or resources. Not validated yet. */
  readonly data: unknown;
  /** Whether no log line is printed per request. */
  readonly isQuiet: boolean;
  /** A secret path that returns the outcome of the start. */
  readonly startPath: string;
}

/** What the Worker says about the start. */
export type Outcome = { readonly error: string } | { readonly isNew: boolean };

export interface Server {
  readonly origin: string;
  /** Whether the store was created by this start, and got its data. */
  readonly isNew: boolean;
  /** Resolves when the server has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Lets this process end while the server runs. */
  readonly unref: () => void;
  readonly stop: () => Promise<void>;
}

const HERE = import.meta.dirname;

/** The file that the configuration embeds. It contains the API key and the data, so it is deleted after the start. */
const SETTINGS = "settings.json";

/** The oldest Node that the tests pass with. */
const LEAST_NODE = [22, 12] as const;

/** How long a start may take, in milliseconds. */
const START_MS = 60_000;

/**
 * Ends workerd and removes the temporary folder ($1) when this process is dead: then the end of the pipe is closed.
 * In an orderly end, this process does both itself.
 */
const WATCH = `trap "" HUP INT TERM; read -r pid; read -r end; kill -9 "$pid"; rm -rf "$1" || { sleep 1; rm -rf "$1"; }`;

/** Removes URLs, which may contain passwords, and what could control a terminal. */
const printable = (text: string) => text.replaceAll(/https?:\/\/\S*/g, "(a URL)").replaceAll(/[^\P{Cc}\n]/gu, "?");

interface Line {
  readonly level?: string;
  readonly message?: string;
}

/** Parses a line that workerd prints. Not every line is JSON. */
function parse(line: string): Line {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return { level: "error", message: line };
  }
}

/** Prints what the Worker logs: errors, and with `log` a line for each request. */
function show({ level, message = "" }: Line, log: boolean): void {
  const [text] = /^\{"requestId":.*\}$/.exec(message) ?? [];
  const { method, route, status, ms, error } = JSON.parse(text ?? "{}") as Record<string, string>;
  // Only a server error has an error.
  if (text !== undefined && error === undefined) {
    // Health checks would fill the log.
    if (log && route !== "/health") console.log(printable(`${method} ${route} ${status} ${ms} ms`));
  } else if (level === "error") {
    console.error(printable(message));
  }
}

/** Where this machine reaches a server that listens on a host. */
function accessible(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** Resolves when workerd listens. @returns its port */
async function listens(workerdProcess: ChildProcess): Promise<number> {
  const control = workerdProcess.stdio[3];
  if (!(control instanceof Socket)) throw new Error("there is no control channel");
  for await (const line of createInterface({ input: control })) {
    const { event, port } = JSON.parse(line) as { readonly event: string; readonly port: number };
    if (event === "listen") return port;
  }
  throw new Error("the server ended");
}

/** Starts workerd with its settings in a folder, which workerd finds by `--import-path`. */
function spawnWorkerd(folder: string, options: ServerOptions, startPath: string): ChildProcess {
  const { host, port, publicUrl = "", access = "open", apiKey = "", sandboxes = "", data, keep, log = false } = options;
  const settings: Settings = {
    vars: { ACCESS: access, API_KEY: apiKey, PUBLIC_URL: publicUrl, SANDBOX_CREATION: sandboxes },
    data,
    isQuiet: !log,
    startPath,
  };
  writeFileSync(join(folder, SETTINGS), JSON.stringify(settings), { mode: 0o600 });
  const temporary = join(folder, "data");
  if (keep === undefined) mkdirSync(temporary);
  const kept = keep === undefined ? undefined : openKeptFolder(keep);
  const args = [
    // For the service `assets`.
    "--experimental",
    `--import-path=${folder}`,
    `--directory-path=data=${kept?.data ?? temporary}`,
    `--socket-addr=http=${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
    "--control-fd=3",
    join(HERE, "config.capnp"),
  ];
  try {
    return spawn(workerd.default, ["serve", ...args], {
      // The configuration names the folder of the pages relative to this one.
      cwd: HERE,
      stdio: ["ignore", "pipe", "pipe", "pipe", kept?.lock ?? "ignore"],
      // Only this process gets a Ctrl-C, and then stops the server.
      detached: true,
      windowsHide: true,
    });
  } finally {
    if (typeof kept?.lock === "number") closeSync(kept.lock);
  }
}

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
  const { host, log = false } = options;
  // workerd would report a port that is in use as text.
  const port = await claim(options.port, host);
  const folder = createRunFolder();
  const startPath = `/${randomUUID()}`;
  const children: ChildProcess[] = [];
  const cleanUp = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  let server: ChildProcess;
  try {
    // Windows has no such shell.
    const sh = ["-c", WATCH, "sh", folder];
    if (process.platform !== "win32") {
      children.push(spawn("/bin/sh", sh, { stdio: ["pipe", "ignore", "ignore"], detached: true }));
    }
    server = spawnWorkerd(folder, { ...options, port }, startPath);
    children[0]?.stdin?.write(`${server.pid}\n`);
    children.unshift(server);
  } catch (error) {
    for (const child of children) child.kill("SIGKILL");
    cleanUp();
    throw error;
  }

  const closed = children.map(async (child) => once(child, "close"));
  const ended = Promise.race(closed)
    .catch((error: Error) => errors.push(error.message))
    .then(async () => {
      // The watcher last: until then, it would remove the folder if this process were killed.
      for (const [index, child] of children.entries()) {
        child.kill("SIGKILL");
        await closed[index]?.catch(() => undefined);
        if (child === server) cleanUp();
      }
    });
  /** What workerd prints before it is ready is the reason why it does not start. */
  const errors: string[] = [];
  let isReady = false;
  for (const input of [server.stdout, server.stderr]) {
    if (input === null) continue;
    createInterface({ input }).on("line", (text) => {
      const line = parse(text);
      if (isReady || line.level !== "error") show(line, log);
      else errors.push(line.message ?? text);
    });
  }

  const start = async () => {
    const origin = `http://${accessible(host)}:${await listens(server)}`;
    const [response] = (await once(get(origin + startPath, { agent: false }), "response")) as [IncomingMessage];
    const outcome = (await json(response)) as Outcome;
    if ("error" in outcome) throw new Error(outcome.error);
    return { origin, isNew: outcome.isNew };
  };
  const late = AbortSignal.timeout(START_MS);
  const interruption = once(AbortSignal.any([late, ...(signal ? [signal] : [])]), "abort");
  const handles = [...children, ...children.flatMap(({ stdio }) => stdio.filter((each) => each instanceof Socket))];
  const stop = async () => {
    for (const handle of handles) handle.ref();
    server.kill("SIGKILL");
    await ended;
  };
  try {
    const { origin, isNew } = await Promise.race([
      start(),
      interruption.then(() => {
        throw new Error(late.aborted ? `it took longer than ${START_MS / 1000} seconds` : "it was interrupted");
      }),
    ]);
    isReady = true;
    rmSync(join(folder, SETTINGS));
    return { origin, isNew, ended, unref: () => handles.forEach((handle) => handle.unref()), stop };
  } catch (error) {
    await stop();
    const message = errors[0] ?? (error as Error).message;
    const code = message.includes("Address already in use") ? "EADDRINUSE" : undefined;
    throw Object.assign(new Error(message, { cause: error }), { code });
  }
}
