// Serves this package for the scripts that need a running server.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const ROOT = join(import.meta.dirname, "..");
const START_MS = 90_000;
const STOP_MS = 5000;
const LOG_LINES = 50;

/**
 * Serves on a free port for as long as `use` takes, and stops the server with all its children. Where
 * `use` fails the end of the server's log is printed.
 * @param folder what is stored there is served, and kept; otherwise an empty store in a temporary folder
 */
export async function withServer<T>(
  use: (origin: string) => Promise<T>,
  folder?: string,
): Promise<T> {
  const store = folder ?? mkdtempSync(join(tmpdir(), "pet-store-"));
  const removeStore = () => {
    if (folder === undefined) rmSync(store, { recursive: true, force: true });
  };
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const options = ["--port", String(port), "--inspector-port", "0", "--persist-to", store];
  const server = spawn(process.execPath, ["scripts/start.ts", ...options], {
    cwd: ROOT,
    env: {
      ...process.env,
      PATH: `${join(ROOT, "node_modules", ".bin")}${delimiter}${process.env["PATH"] ?? ""}`,
    },
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own, so that its children can be stopped with it.
    detached: true,
  });
  let log = "";
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (log += text));
  }
  const interrupt = (signal: NodeJS.Signals) => {
    kill(server, "SIGKILL");
    removeStore();
    process.exit(signal === "SIGINT" ? 130 : 143);
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    await serves(server, origin);
    return await use(origin);
  } catch (error) {
    console.error(
      `--- the server's log\n${log.trimEnd().split("\n").slice(-LOG_LINES).join("\n")}`,
    );
    throw error;
  } finally {
    await stop(server);
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    removeStore();
  }
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, "close");
  return port;
}

/** Waits until the server answers. @throws Error where it ends first, or takes too long */
async function serves(server: ChildProcess, origin: string): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    if (server.exitCode !== null) throw new Error("the server ended");
    const answer = await fetch(`${origin}/v2/store/inventory`, {
      signal: AbortSignal.timeout(2000),
    }).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok) return;
    await sleep(250);
  }
  throw new Error("the server does not answer");
}

async function stop(server: ChildProcess): Promise<void> {
  kill(server, "SIGTERM");
  const deadline = Date.now() + STOP_MS;
  while (kill(server, 0) && Date.now() < deadline) await sleep(50);
  kill(server, "SIGKILL");
}

/** Signals every process of the server. @returns whether any was left */
function kill({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return pid !== undefined && process.kill(-pid, signal);
  } catch {
    return false;
  }
}
