#!/usr/bin/env node
// `pet-store-service`: serves a pet store until a signal ends it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HELP, WrongOption, readArguments, type Arguments } from "./arguments.ts";
import { exitSoon, print } from "./output.ts";
import { startServer } from "./server.ts";
import { waitForShutdown } from "./shutdown.ts";

async function serve({ prints, server: options }: Arguments): Promise<void> {
  // What workerd writes is for this user alone, because the key that encrypts passwords is public.
  process.umask(0o077);
  const shutdown = new AbortController();
  const end = waitForShutdown().then(() => shutdown.abort());
  const server = await startServer(options, shutdown.signal).catch((error: unknown) => {
    if (shutdown.signal.aborted) return undefined;
    throw new Error(toSentence(error as NodeJS.ErrnoException, options), { cause: error });
  });
  if (!server) return;
  try {
    const { origin } = server;
    const urls = {
      url: `${origin}/v2`,
      petstore3Url: `${origin}/api/v3`,
      sandboxes: `${origin}/sandboxes`,
    };
    if (!server.isNew && typeof options.data !== "string" && prints !== "nothing") {
      print(process.stderr, "--data is not used, because the folder of --keep already has data.");
    }
    if (prints === "json") print(process.stdout, JSON.stringify(urls));
    if (prints === "everything") {
      print(
        process.stdout,
        `The pet store is at ${urls.url}, for clients of Petstore 3 at ${urls.petstore3Url}.
Try it at ${origin}/docs/. Sandboxes: ${urls.sandboxes}/`,
      );
    }
    const hasEnded = server.ended.then(() => true);
    if (await Promise.race([end, hasEnded])) throw new Error("The server has ended unexpectedly.");
  } finally {
    await server.stop();
  }
}

/** Explains why the server did not start. */
function toSentence({ code, message }: NodeJS.ErrnoException, { port, host }: Arguments["server"]) {
  if (code === "EADDRINUSE") {
    return `Port ${port} is in use. Choose another one with --port; 0 means any free port.`;
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return `${host} is not an address of this machine.`;
  return `The server did not start: ${message}`;
}

try {
  const options = readArguments(process.argv.slice(2), process.env);
  if (options.show === "help") print(process.stdout, HELP);
  else if (options.show === "version") {
    const file = join(import.meta.dirname, "package.json");
    print(process.stdout, (JSON.parse(readFileSync(file, "utf8")) as { readonly version: string }).version);
  } else {
    await serve(options);
  }
  exitSoon(0);
} catch (error) {
  const isWrong = error instanceof WrongOption;
  const hint = isWrong ? " (--help lists the options)" : "";
  print(process.stderr, `${(error as Error).message}${hint}`);
  exitSoon(isWrong ? 2 : 1);
}
