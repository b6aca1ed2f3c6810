// `npm start`: serves the local store with `wrangler dev`. First it applies new migrations, and fills a new store with
// the classic data unless you pass `-- --empty`. It prints a line for each request, and wrangler's warnings;
// `-- --verbose` prints wrangler's own log instead. Other arguments go to `wrangler dev`.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { whenToEnd } from "../package/ending.ts";
import { claim } from "../package/network.ts";
import { lineOf, painterOfOutput, printableLines } from "../package/terminal.ts";
import type { Shown } from "../package/terminal.ts";
import { endWith } from "./command.ts";
import { lockStore, prepareStore, storeFolder, valueOf } from "./local-store.ts";
import { WRANGLER_ENV } from "./programs.ts";

/** That of wrangler.toml. */
const DEFAULT_PORT = 8787;
const OWN_OPTIONS = new Set(["--empty", "--verbose"]);
const given = process.argv.slice(2);
const args = given.filter((arg) => !OWN_OPTIONS.has(arg));
const isVerbose = given.includes("--verbose");
const output = isVerbose ? "inherit" : "pipe";

// Wrangler would notice a taken port only after seconds, and print its settings.
const wanted = Number(valueOf(args, "port") ?? DEFAULT_PORT);
const ip = valueOf(args, "ip");
// `localhost` may be ::1 alone.
for (const host of ip === undefined ? ["127.0.0.1", "localhost"] : [ip]) {
  await claim(wanted, host).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== "EADDRINUSE") return;
    console.error(`Port ${wanted} is in use. Choose another one: npm start -- --port <number>`);
    process.exit(1);
  });
}

const folder = storeFolder(args);
try {
  lockStore(folder);
  process.stdout.write(await prepareStore(folder, { empty: given.includes("--empty") }));
} catch (error) {
  endWith(error);
  process.exit();
}

console.log("Loading the development server …");
const wrangler = spawn(
  process.execPath,
  [
    "--no-warnings",
    fileURLToPath(import.meta.resolve("wrangler")),
    "dev",
    ...args,
    // Makes the Worker log what the lines show.
    ...(isVerbose ? [] : ["--var", "LOCAL_LOG:true"]),
  ],
  {
    // Wrangler sends its address as a message. That is not documented, but with `--verbose` this process sees no log.
    stdio: ["inherit", output, output, "ipc"],
    env: { ...process.env, ...WRANGLER_ENV, CLOUDFLARE_ENV: "local" },
  },
);
wrangler.on("message", (message: string) => {
  const { event, ip: address, port } = JSON.parse(message) as Record<string, string>;
  if (event === "DEV_SERVER_READY") void greet(`http://${address}:${port}`);
});

/** What wrangler does next, by a part of its line. It takes seconds for each. */
const STEPS = {
  "[custom build] Running": "Building the pages and the documents …",
  "has access to the following bindings": "Bundling the service …",
  "Starting local server": "Starting the service …",
};

/** Wrangler's output until it serves. Shown only if it never does, as after `--help`. */
const early: string[] = [];
let isReady = false;
if (wrangler.stdout && wrangler.stderr) {
  createInterface(wrangler.stdout).on("line", (line) => {
    if (isReady) {
      show(line, (text) => process.stdout.write(text));
      return;
    }
    early.push(`${line}\n`);
    const [, step] = Object.entries(STEPS).find(([part]) => line.includes(part)) ?? [];
    if (step !== undefined) console.log(step);
    isReady = line.includes("Ready on http");
  });
  createInterface(wrangler.stderr).on("line", (line) => {
    show(line, (text) => process.stderr.write(text));
  });
}
wrangler.on("close", (status, signal) => {
  if (!isReady) process.stdout.write(early.join(""));
  process.exitCode = status ?? (signal === null ? 1 : 128 + constants.signals[signal]);
});
// The reader of a pipe may have gone.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
// Ctrl-C in a terminal reaches both processes. A second signal does no harm to wrangler.
void whenToEnd().then(() => wrangler.kill("SIGTERM"));

/** The Worker's log of a request. A sandbox logs its own errors without the path. */
interface Logged extends Omit<Shown, "path"> {
  readonly path?: string;
  readonly route?: string;
  readonly error?: string;
  readonly message?: string;
  readonly cause?: string;
  readonly stack?: string;
}

const paint = painterOfOutput();

/** The debugger of `wrangler dev`, which nothing switches off, reports each answer that a rule of a sandbox breaks off. */
const BROKEN = "Uncaught Error: broken on demand";

/**
 * Writes a line of wrangler's output: requests in the format of the command `pet-store-service`, the rest unchanged.
 */
function show(line: string, write: (text: string) => void): void {
  const plain = stripVTControlCharacters(line);
  const [json] = /\{"requestId":.*\}/.exec(plain) ?? [];
  if (json !== undefined) {
    const {
      route = "",
      path = route,
      error,
      message,
      cause,
      stack,
      ...shown
    } = JSON.parse(json) as Logged;
    write(lineOf({ ...shown, path }, paint));
    if (error === undefined) return;
    const facts = [`${error}: ${message}`, cause, stack].filter((fact) => fact !== undefined);
    const text = printableLines(facts.join("\n")).replaceAll(/^/gm, "    ");
    write(`${paint("red", text)}\n`);
  } else if (plain !== "" && !plain.startsWith("[wrangler:") && !plain.includes(BROKEN)) {
    write(`${line}\n`);
  }
}

async function greet(origin: string): Promise<void> {
  // The address is known before the Worker is ready.
  await fetch(`${origin}/docs/`, { method: "HEAD" }).catch(() => undefined);
  console.log(`
The pet store is at ${origin}/v2.
Try it in a browser:   ${origin}/docs/
or in a terminal:      curl ${origin}/v2/store/inventory
Clients of Petstore 3 use ${origin}/api/v3.
`);
}
