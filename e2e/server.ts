// Starts programs and servers for these tests, and ends them with everything that they started.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const ROOT = join(import.meta.dirname, "..");

/** How long programs may take to end, in milliseconds. Long, because machines may be busy. */
const END_MS = 60_000;

interface Options {
  /** The working directory. Defaults to the project. */
  readonly cwd?: string;
  /** Further variables. */
  readonly env?: Readonly<Record<string, string>>;
}

const running = new Set<Program>();
process.on("exit", () => running.forEach((program) => program.signal("SIGKILL")));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/** A program in a process group of its own, with the Node and the commands of the project. */
export class Program {
  /** What it has printed. */
  output = "";
  readonly child;
  /** Its exit status, once it has ended; `null` if a signal ended it. */
  readonly ended: Promise<number | null>;
  #hasEnded = false;

  constructor([command = "", ...args]: readonly string[], { cwd = ROOT, env }: Options = {}) {
    const PATH = [join(ROOT, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
    this.child = spawn(command, args, {
      cwd,
      env: { ...process.env, PATH, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => (this.output += text));
    }
    running.add(this);
    this.ended = once(this.child, "close").then(([status]: unknown[]) => {
      this.#hasEnded = true;
      running.delete(this);
      return status as number | null;
    });
  }

  /** Waits until it prints something. @throws Error if it ends first */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.output);
      if (found) return found;
      if (this.#hasEnded) throw new Error(`It ended before it printed ${pattern}:\n${this.output}`);
      await Promise.race([this.ended, once(this.child.stdout, "data"), once(this.child.stderr, "data")]);
    }
  }

  /** Signals the whole group. @returns whether anything was left of it */
  signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return this.child.pid !== undefined && process.kill(-this.child.pid, signal);
    } catch {
      return false;
    }
  }

  /** Ends it, by force if it does not end in time. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.signal(signal);
    const force = setTimeout(() => this.signal("SIGKILL"), END_MS);
    await this.ended;
    clearTimeout(force);
  }
}

/** Runs a program to its end. */
export async function run(command: readonly string[], options?: Options) {
  const program = new Program(command, options);
  return { status: await program.ended, output: program.output };
}

/** The same for a program that must succeed. @throws Error with its output */
export async function succeed(command: readonly string[], options?: Options): Promise<string> {
  const { status, output } = await run(command, options);
  if (status !== 0) throw new Error(`${command.join(" ")} failed:\n${output}`);
  return output;
}

/** A temporary folder, which goes with this process. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pet-store-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Start {
  /** Where the store is kept. Defaults to a temporary folder. */
  readonly folder?: string;
  /** Further arguments of `npm start`. */
  readonly args?: readonly string[];
  /** The project. */
  readonly cwd?: string;
}

/** Runs `npm start` at a free port, until it serves. */
export async function startServer({ folder = temporaryFolder(), args = [], cwd = ROOT }: Start = {}) {
  const options = ["--port", "0", "--persist-to", folder, ...args];
  const program = new Program(["node", "scripts/start.ts", ...options], { cwd });
  const [, origin = ""] = await program.prints(/^The pet store is at (\S+)\/v2\. /m);
  return { program, origin };
}

/** Runs `npm start` while something uses it, and shows its log if that fails. */
export async function withServer<T>(use: (origin: string) => Promise<T>, options?: Start): Promise<T> {
  const { program, origin } = await startServer(options);
  try {
    return await use(origin);
  } catch (error) {
    console.error(`--- the server's log\n${program.output.slice(-5000)}`);
    throw error;
  } finally {
    await program.stop();
  }
}

/** Builds the package if nobody has: in CI, `.ci/run` has. By hand, run `npm run build:package` after each change. */
export async function buildPackage(): Promise<void> {
  if (!existsSync(join(ROOT, "dist/package/command.js"))) await succeed(["npm", "run", "build:package"]);
}

/** Runs the command of the package at a free port, until it serves. @param args its arguments @param env more variables */
export async function startPackage(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  await buildPackage();
  const program = new Program(["node", "dist/package/command.js", "--port", "0", "--json", ...args], { env });
  const [line] = await program.prints(/^\{.*\}$/m);
  const { origin, port } = new URL((JSON.parse(line) as { readonly url: string }).url);
  return { program, origin, port };
}

/** A copy of the project in a temporary folder, with the same packages, to change and to build. */
export function copyOfProject(): string {
  const folder = temporaryFolder();
  const left = new Set(["node_modules", "dist", ".git", ".wrangler"].map((name) => join(ROOT, name)));
  cpSync(ROOT, folder, {
    recursive: true,
    filter: (path) => !left.has(path) && !path.endsWith("/node_modules"),
  });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
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

/** Sends JSON. */
export async function send(
  method: string,
  url: string,
  json?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const type = { "Content-Type": "application/json" };
  return fetch(url, {
    method,
    redirect: "manual",
    headers: { ...(json !== undefined && type), ...headers },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
}

/** The processes whose environment contains a text, as Linux tells. Child processes inherit it. */
export function processesWith(text: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(text);
    } catch {
      // It has ended.
      return false;
    }
  });
}

/** Waits until nothing is left of what was started with a text in its environment. @throws Error if something stays */
export async function leavesNothing(text: string): Promise<void> {
  const deadline = Date.now() + END_MS;
  while (processesWith(text).length > 0) {
    if (Date.now() > deadline) {
      const names = processesWith(text).map((pid) => readFileSync(`/proc/${pid}/comm`, "utf8"));
      throw new Error(`still running: ${names.join("")}`);
    }
    await sleep(50);
  }
}
