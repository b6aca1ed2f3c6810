// Runs workerd, and ends it when this process ends, for whatever reason: by itself, workerd would keep running.
import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import { Socket, isIP } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";
import { createRunFolder, openKeptFolder } from "./folders.ts";
import type { ServerOptions } from "./options.ts";
import { print } from "./output.ts";
import { claim } from "./port.ts";

/** What the Worker is told. */
export interface WorkerSettings {
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
const LEAST_NODE = [20, 19] as const;

/** How long a start may take, in milliseconds. */
const START_MS = 60_000;

/**
 * The watcher: when this process is dead, the pipe to its input is closed. Then it kills workerd ($2), and removes the
 * temporary folder ($1). If this process ends in an orderly way, it does both itself.
 */
const WATCH = `trap "" HUP INT TERM; read -r end; kill -9 "$2"; rm -rf "$1" || { sleep 1; rm -rf "$1"; }`;

/** Removes URLs, which may contain passwords, and what could control a terminal. */
const toPrintable = (text: string) => text.replaceAll(/https?:\/\/\S*/g, "(a URL)").replaceAll(/[^\P{Cc}\n]/gu, "?");

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

/** workerd's line for a `HEAD` request whose connection a rule closes. */
const NO_RESPONSE = "HTTP connection failed: the handler sent no response";

/** Prints what the Worker logs: errors, and with `log` a line for each request. */
function show({ level, message = "" }: Line, log: boolean): void {
  const [text] = /^\{"requestId":.*\}$/.exec(message) ?? [];
  const { method, route, status, ms, error } = JSON.parse(text ?? "{}") as Record<string, string>;
  // Only a server error has an error.
  if (text !== undefined && error === undefined) {
    // Health checks would fill the log.
    if (log && route !== "/health") print(process.stdout, toPrintable(`${method} ${route} ${status} ${ms} ms`));
  } else if (level === "error" && message !== NO_RESPONSE) {
    print(process.stderr, toPrintable(message));
  }
}

const addBrackets = (host: string) => (isIP(host) === 6 ? `[${host}]` : host);

/** Returns the path of the executable for this machine. @throws Error if it is not installed */
function findWorkerd(): string {
  try {
    // The npm package has no types.
    return (createRequire(import.meta.url)("workerd") as { readonly default: string }).default;
  } catch (error) {
    const [sentence] = (error as Error).message.split("\n");
    throw new Error(`workerd is not installed: ${sentence}`, { cause: error });
  }
}

/** Resolves when workerd listens. @returns its port */
async function waitForPort({ stdio: [, , , control] }: ChildProcess): Promise<number> {
  if (!(control instanceof Socket)) throw new Error("there is no control channel");
  for await (const line of createInterface({ input: control })) {
    const { event, port } = JSON.parse(line) as { readonly event: string; readonly port: number };
    if (event === "listen") return port;
  }
  throw new Error("the server ended");
}

/** Starts workerd, which finds its settings in the folder, and the watcher. */
async function launch(
  folder: string,
  settings: WorkerSettings,
  address: string,
  keep: string | undefined,
): Promise<ChildProcess[]> {
  const workerd = findWorkerd();
  const kept = keep === undefined ? undefined : await openKeptFolder(keep);
  const data = kept?.data ?? join(folder, "data");
  if (!kept) mkdirSync(data);
  writeFileSync(join(folder, SETTINGS), JSON.stringify(settings), { mode: 0o600 });
  const paths = [`--import-path=${folder}`, `--directory-path=data=${data}`, `--socket-addr=http=${address}`];
  // The service `assets` is experimental.
  const args = ["serve", "--experimental", ...paths, "--control-fd=3", join(HERE, "config.capnp")];
  const server = spawn(workerd, args, {
    // The configuration names the folder of the pages relative to this one.
    cwd: HERE,
    stdio: ["ignore", "pipe", "pipe", "pipe", kept?.lock ?? "ignore"],
    // Only this process gets a Ctrl-C, and then stops the server.
    detached: true,
    windowsHide: true,
  });
  if (typeof kept?.lock === "number") closeSync(kept.lock);
  // Windows has no such shell.
  if (process.platform === "win32") return [server];
  const sh = ["-c", WATCH, "sh", folder, String(server.pid)];
  return [server, spawn("/bin/sh", sh, { stdio: ["pipe", "ignore", "ignore"], detached: true })];
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
  const { host, publicUrl, access, apiKey = "", sandboxes = "", data, keep, log } = options;
  // workerd reports a port that is in use only as text. It resolves a name to several addresses, which need one port.
  const port = await claim(options.port, host);
  const address = `${addBrackets(host)}:${isIP(host) ? options.port : port}`;
  const startPath = `/${randomUUID()}`;
  const vars = { ACCESS: access, API_KEY: apiKey, PUBLIC_URL: publicUrl, SANDBOX_CREATION: sandboxes };
  const folder = createRunFolder();
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  let children: ChildProcess[];
  try {
    children = await launch(folder, { vars, data, isQuiet: !log, startPath }, address, keep);
  } catch (error) {
    removeFolder();
    throw error;
  }

  const [server] = children as [ChildProcess];
  const closed = children.map(async (child) =>
    once(child, "close").catch(({ message }: Error) => errors.push(message)),
  );
  // If one of them ends, so do the others. The watcher is last, because it cleans up if this process is killed here.
  const end = async () => {
    await Promise.race(closed);
    for (const [index, child] of children.entries()) {
      child.kill("SIGKILL");
      await closed[index];
      if (index === 0) removeFolder();
    }
  };
  const ended = end();
  /** What workerd prints before it is ready says why it does not start. */
  const errors: string[] = [];
  let isReady = false;
  for (const input of [server.stdout, server.stderr].filter((each) => each !== null)) {
    createInterface({ input }).on("line", (text) => {
      const line = parse(text);
      if (isReady || line.level !== "error") show(line, log);
      else errors.push(line.message ?? text);
    });
  }
  const handles = [...children, ...children.flatMap(({ stdio }) => stdio.filter((each) => each instanceof Socket))];
  const stop = async () => {
    for (const handle of handles) handle.ref();
    server.kill("SIGKILL");
    await ended;
  };

  const late = AbortSignal.timeout(START_MS);
  const interruption = once(AbortSignal.any([late, ...(signal ? [signal] : [])]), "abort").then(() => {
    throw new Error(late.aborted ? `it took longer than ${START_MS / 1000} seconds` : "it was interrupted");
  });
  // workerd's own message names a line of its code.
  const unusable = new Error(`the data in ${keep ?? folder} is damaged, or its disk is full`);
  const ready = async () => {
    const heard = await waitForPort(server).catch(async ({ message }: Error) => {
      await ended;
      const [reason = message] = errors;
      if (reason.startsWith("*** Uncaught exception")) throw unusable;
      throw Object.assign(new Error(reason), { code: reason.includes("Address already in use") ? "EADDRINUSE" : "" });
    });
    const origin = `http://${/^(?:0\.0\.0\.0|::)$/.test(host) ? "127.0.0.1" : addBrackets(host)}:${heard}`;
    const [response] = (await once(get(origin + startPath, { agent: false }), "response")) as [IncomingMessage];
    if (response.statusCode !== 200) throw unusable;
    const outcome = (await json(response)) as Outcome;
    if ("error" in outcome) throw new Error(outcome.error);
    rmSync(join(folder, SETTINGS));
    return { origin, isNew: outcome.isNew };
  };
  try {
    const { origin, isNew } = await Promise.race([ready(), interruption]);
    isReady = true;
    return { origin, isNew, ended, unref: () => handles.forEach((handle) => handle.unref()), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
