#!/usr/bin/env node
// `pet-store-service`: serves a pet store until it gets a signal to end.
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NotStarted, Refused } from "./errors.ts";
import { HELP, WrongOption, readOptions } from "./options.ts";
import type { Options } from "./options.ts";
import { startServer } from "./server.ts";
import { Store } from "./store.ts";
import { Painter, greetingOf, lineOf } from "./terminal.ts";
import type { StoreRequest } from "./types.ts";

/** The name of the store, if access is open and there is no `--keep`. */
const NAME = "pet-store-service";

/** How often to check whether npx has ended, in milliseconds. */
const PARENT_MS = 250;

/** How long to wait before looking again for a deleted store, in milliseconds. */
const LOOK_AGAIN_MS = 1000;

async function serve(options: Options): Promise<void> {
  const { port, host, access, apiKey, keep, prints } = options;
  const kept = keep === undefined ? undefined : nameIn(keep);
  const name = kept ?? newName(options);
  const ending = whenToEnd();
  const server = await startServer({ host, port, access, apiKey, folder: keep, store: name });
  const { origin } = server;
  const store = new Store(origin, name);
  try {
    // A new store may exist already: a client that asked first has made it.
    if (kept === undefined || !(await store.counts())) {
      await takes("--data", store.putData(options.data));
    }
    if (keep !== undefined && kept === undefined) keepName(keep, name);
    if (options.faults) await takes("--faults", store.putFaults(options.faults));
    const url = `${origin}/v2`;
    if (prints === "json")
      process.stdout.write(`${JSON.stringify({ url, store: store.address })}\n`);
    if (prints === "all") await greet(store, url, keep);
    await Promise.race([
      ending,
      server.ended.then(() => {
        throw new Error("The server ended by itself.");
      }),
    ]);
  } finally {
    await server.stop();
  }
}

/** @throws WrongOption if the store refuses what an option gave it */
async function takes(option: string, answer: Promise<void>): Promise<void> {
  await answer.catch((fault: unknown) => {
    throw fault instanceof Refused ? new WrongOption(`${option}: ${fault.message}`) : fault;
  });
}

async function greet(store: Store, url: string, kept: string | undefined): Promise<void> {
  const counts = await store.counts();
  if (!counts) return;
  // https://no-color.org
  const painter = new Painter(process.stdout.isTTY && !process.env["NO_COLOR"]);
  const page = new URL("/docs/", url).href;
  process.stdout.write(greetingOf({ url, page, store: store.address, counts, kept }, painter));
  if (process.stdout.isTTY) {
    watch(store, (request) => process.stdout.write(lineOf(request, painter)));
  }
}

/** Settles when this process must end. */
async function whenToEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, resolve);
    // npx passes a signal to its shell, but the shell does not pass it on.
    if (process.env["npm_lifecycle_event"] !== "npx") return;
    const { ppid } = process;
    setInterval(() => process.ppid !== ppid && resolve(), PARENT_MS).unref();
  });
}

/**
 * The name of the store. Anyone who knows it can use the store, even if access is protected. So the name is random,
 * unless access is open and nothing is kept: then a known name is more useful.
 */
function newName({ access, keep }: Options): string {
  return keep === undefined && access === "open" ? NAME : randomUUID();
}

const nameFile = (folder: string) => join(folder, "name");

/** The name of the store that a folder keeps, if it keeps one. */
function nameIn(folder: string): string | undefined {
  mkdirSync(folder, { recursive: true });
  try {
    return readFileSync(nameFile(folder), "utf8");
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== "ENOENT") throw fault;
    return undefined;
  }
}

/** Keeps the name of a store that is filled: where that failed, the next run fills another. */
function keepName(folder: string, name: string): void {
  writeFileSync(nameFile(folder), name, { flag: "wx", mode: 0o600 });
}

/** Shows each request, in the order of the answers, for as long as this process runs. */
function watch(store: Store, tell: (request: StoreRequest) => void): void {
  const socket = new WebSocket(`${store.address.replace(/^http/, "ws")}/requests`);
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as { receipt: string; requests: StoreRequest[] };
    for (const request of message.requests) tell(request);
    // Without it, the store soon sends no more.
    socket.send(message.receipt);
  });
  // The next request makes a deleted store again. Node reports a refused connection as an error only.
  const ended = Promise.withResolvers<void>();
  for (const event of ["close", "error"]) socket.addEventListener(event, () => ended.resolve());
  void ended.promise.then(() => setTimeout(() => watch(store, tell), LOOK_AGAIN_MS).unref());
}

/** The message about a fault, for the person who ran the command. */
function sentenceOf(fault: unknown, { port, host }: Pick<Options, "port" | "host">): string {
  const { code, message } = fault as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") {
    return `Port ${port} is taken. Choose another one with --port, or any free one with --port 0.`;
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return `${host} is no address of this machine.`;
  if (code === "EACCES") return `There is no permission to do this: ${message}`;
  return fault instanceof NotStarted ? `The server did not start: ${message}` : message;
}

function fail(sentence: string, status: 1 | 2): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = status;
}

async function run(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.kind === "help") {
    process.stdout.write(HELP);
  } else if (options.kind === "version") {
    const file = new URL("package.json", import.meta.url);
    const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
    process.stdout.write(`${version}\n`);
  } else {
    await serve(options).catch((fault: unknown) => {
      if (fault instanceof WrongOption) throw fault;
      fail(sentenceOf(fault, options), 1);
    });
  }
}

await run().catch((fault: unknown) => {
  if (!(fault instanceof WrongOption)) throw fault;
  fail(`${fault.message}\npet-store-service --help lists the options.`, 2);
});
