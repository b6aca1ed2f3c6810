// Runs the server of `npm start` for tests.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { ROOT } from "../scripts/programs.ts";
import { Program } from "./process.ts";

/** Long, because machines may be busy. */
const START_MS = 300_000;
const LOG_LINES = 50;

export interface ServeOptions {
  /** Serves and keeps the data in this folder; default: a temporary one. */
  readonly folder?: string;
  /** Further arguments of `npm start`; default: `--empty`. */
  readonly args?: readonly string[];
}

/** Serves on a free port while `use` runs. If `use` fails, it prints the end of the server's log. */
export async function withServer<T>(
  use: (origin: string, log: () => string) => Promise<T>,
  { folder, args = ["--empty"] }: ServeOptions = {},
): Promise<T> {
  const store = folder ?? mkdtempSync(join(tmpdir(), "pet-store-"));
  const removeStore = () => {
    if (folder === undefined) rmSync(store, { recursive: true, force: true });
  };
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const options = ["--port", String(port), "--inspector-port", "0", "--persist-to", store];
  // Wrangler runs programs of the project.
  const PATH = [join(ROOT, "node_modules", ".bin"), process.env["PATH"]].join(delimiter);
  const command = [process.execPath, "scripts/start.ts", ...options, ...args];
  const server = new Program(command, { env: { PATH } });
  const interrupt = (signal: NodeJS.Signals) => {
    server.signal("SIGKILL");
    removeStore();
    process.exit(signal === "SIGINT" ? 130 : 143);
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    await server.serves(`${origin}/v2/store/inventory`, START_MS);
    return await use(origin, () => server.log);
  } catch (error) {
    const log = server.log.trimEnd().split("\n").slice(-LOG_LINES).join("\n");
    console.error(`--- the server's log\n${log}`);
    throw error;
  } finally {
    await server.stop();
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    removeStore();
  }
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, "close");
  return port;
}
