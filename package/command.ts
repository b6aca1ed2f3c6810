#!/usr/bin/env node
// `pet-store-service`: serves a pet store until a signal ends it.
import { readFileSync } from "node:fs";
import { whenToEnd } from "./ending.ts";
import { NotStarted, Refused } from "./errors.ts";
import { othersOf } from "./network.ts";
import { HELP, WrongOption, readOptions } from "./options.ts";
import type { Options } from "./options.ts";
import { startServer } from "./server.ts";
import { Store } from "./store.ts";
import { greetingOf, lineOf, painterOfOutput, printableLines } from "./terminal.ts";
import type { Greeting } from "./terminal.ts";
import type { StoreRequest } from "./types.ts";

/** How long to wait before reconnecting to a deleted store, in milliseconds. */
const LOOK_AGAIN_MS = 1000;

async function serve(options: Options): Promise<void> {
  const { faults, keep, prints, ...given } = options;
  const ending = whenToEnd();
  const server = await startServer({ ...given, folder: keep });
  const { origin } = server;
  const store = new Store(server, server.store);
  try {
    // Makes the store. If an early client or an earlier run has made it, its rules stay.
    if (!(await store.counts())) await takes("--data", store.putFaults([]));
    if (faults !== undefined) await takes("--faults", store.putFaults(faults));
    const url = origin + (given.basePath ?? "/v2");
    if (prints === "json") await print(`${JSON.stringify({ url, store: store.address })}\n`);
    if (prints === "all") await greet(store, { url, petstore3Url: `${origin}/api/v3` }, options);
    await Promise.race([
      ending,
      server.ended.then(() => {
        throw new Error("The server stopped unexpectedly.");
      }),
    ]);
  } finally {
    await server.stop();
  }
}

/** @throws WrongOption if the store refuses the value of the option */
async function takes(option: string, answer: Promise<void>): Promise<void> {
  await answer.catch((fault: unknown) => {
    throw fault instanceof Refused ? new WrongOption(`${option}: ${fault.message}`) : fault;
  });
}

async function greet(
  store: Store,
  urls: Pick<Greeting, "url" | "petstore3Url">,
  { keep: kept, host }: Options,
): Promise<void> {
  const counts = await store.counts();
  if (!counts) return;
  const paint = painterOfOutput();
  const others = othersOf(urls.url, host);
  await print(greetingOf({ ...urls, others, store: store.address, counts, kept }, paint));
  if (process.stdout.isTTY) {
    watch(store, (request) => process.stdout.write(lineOf(request, paint)));
  }
}

/** @throws Error if nothing can be written, such as to a closed pipe */
async function print(text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (fault) => {
      if (fault) reject(new Error(`Cannot write to the standard output: ${fault.message}`));
      else resolve();
    });
  });
}

/** Shows each request after its answer, while this process runs. */
function watch(store: Store, tell: (request: StoreRequest) => void): void {
  const socket = new WebSocket(`${store.address.replace(/^http/, "ws")}/requests`);
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as { receipt: string; requests: StoreRequest[] };
    for (const request of message.requests) tell(request);
    // Acknowledges the message. Otherwise the store stops sending.
    socket.send(message.receipt);
  });
  // The next request recreates a deleted store. If a connection is refused, Node fires only `error`.
  const ended = Promise.withResolvers<void>();
  for (const event of ["close", "error"]) socket.addEventListener(event, () => ended.resolve());
  void ended.promise.then(() => setTimeout(() => watch(store, tell), LOOK_AGAIN_MS).unref());
}

/** The message to the user about a fault. */
function sentenceOf(fault: unknown, { port, host }: Pick<Options, "port" | "host">): string {
  const { code, message } = fault as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") {
    return `Port ${port} is in use. Choose another one with --port, or let --port 0 choose.`;
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return `${host} is not an address of this machine.`;
  if (code === "EACCES") return `Permission denied: ${message}`;
  return fault instanceof NotStarted ? `The server did not start: ${message}` : message;
}

function fail(sentence: string, status: 1 | 2): void {
  process.stderr.write(`${printableLines(sentence)}\n`);
  process.exitCode = status;
}

async function run(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.kind === "help") {
    await print(HELP);
  } else if (options.kind === "version") {
    const file = new URL("package.json", import.meta.url);
    const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
    await print(`${version}\n`);
  } else {
    await serve(options).catch((fault: unknown) => {
      if (fault instanceof WrongOption) throw fault;
      fail(sentenceOf(fault, options), 1);
    });
  }
}

// `print` reports these errors.
process.stdout.on("error", () => undefined);
// Keeps the WebSocket to the local server from using a proxy. The other calls never use one.
process.env["no_proxy"] = "*";
await run().catch((fault: unknown) => {
  const { message } = fault as Error;
  if (fault instanceof WrongOption) {
    fail(`${message}\npet-store-service --help lists the options.`, 2);
  } else fail(message, 1);
});
