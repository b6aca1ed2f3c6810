// Starts programs and servers for these tests, and stops them with all of their child processes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export const ROOT = join(import.meta.dirname, "..");

/** The time in which programs must exit, in milliseconds. Long, because the machine may be busy. */
const EXIT_MS = 60_000;

interface Options {
  /** The working directory. Defaults to the project. */
  readonly cwd?: string;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
}

const running = new Set<Program>();
process.on("exit", () => running.forEach((program) => program.signal("SIGKILL")));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/** A program in its own process group, with the project's Node and commands. */
export class Program {
  /** The output so far. */
  output = "";
  readonly child;
  /** Resolves with the exit status, or with `null` if a signal ended the program. */
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
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
        this.child.emit("output");
      });
    }
    running.add(this);
    this.ended = once(this.child, "close").then(([status]: unknown[]) => {
      this.#hasEnded = true;
      running.delete(this);
      return status as number | null;
    });
  }

  /** Waits until the output matches a pattern. @throws Error if the program exits first */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.output);
      if (found) return found;
      if (this.#hasEnded) throw new Error(`The program exited before it printed ${pattern}:\n${this.output}`);
      await Promise.race([this.ended, once(this.child, "output")]);
    }
  }

  /** Signals the process group. @returns whether any process was left in it */
  signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return this.child.pid !== undefined && process.kill(-this.child.pid, signal);
    } catch {
      return false;
    }
  }

  /** Stops the program, forcibly if it does not exit in time. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    this.signal(signal);
    const force = setTimeout(() => this.signal("SIGKILL"), EXIT_MS);
    await this.ended;
    clearTimeout(force);
  }
}

/** Runs a program until it exits. */
export async function run(command: readonly string[], options?: Options) {
  const program = new Program(command, options);
  return { status: await program.ended, output: program.output };
}

/** Runs a program that must succeed. @throws Error with its output if it fails */
export async function succeed(command: readonly string[], options?: Options): Promise<string> {
  const { status, output } = await run(command, options);
  if (status !== 0) throw new Error(`${command.join(" ")} failed:\n${output}`);
  return output;
}

/** Creates a temporary folder, which is deleted when this process exits. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pet-store-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Start {
  /** The folder with the data. Defaults to a temporary folder. */
  readonly folder?: string;
  /** Additional arguments of `npm start`. */
  readonly args?: readonly string[];
  /** The project folder. */
  readonly cwd?: string;
}

/** Runs `npm start` on a free port, and waits until it is ready. */
export async function startServer({ folder = temporaryFolder(), args = [], cwd = ROOT }: Start = {}) {
  const options = ["--port", "0", "--persist-to", folder, ...args];
  const program = new Program(["node", "scripts/start.ts", ...options], { cwd });
  const [, origin = ""] = await program.prints(/^The pet store is at (\S+)\/v2\. /m);
  return { program, origin };
}

/** Runs `npm start` during a callback, and prints its log if the callback fails. */
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

/** Builds the package unless it exists. CI builds it first; locally, run `npm run build:package` after each change. */
export async function buildPackage(): Promise<void> {
  if (!existsSync(join(ROOT, "dist/package/command.js"))) await succeed(["npm", "run", "build:package"]);
}

/** Runs the package's command on a free port, and waits until it is ready. */
export async function startPackage(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  await buildPackage();
  const program = new Program(["node", "dist/package/command.js", "--port", "0", "--json", ...args], { env });
  const [line] = await program.prints(/^\{.*\}$/m);
  const { origin, port } = new URL((JSON.parse(line) as { readonly url: string }).url);
  return { program, origin, port };
}

/** Copies the project to a temporary folder, with the same packages, so that a test can change and build it. */
export function copyOfProject(): string {
  const folder = temporaryFolder();
  const skipped = new Set(["node_modules", "dist", ".git", ".wrangler"].map((name) => join(ROOT, name)));
  cpSync(ROOT, folder, {
    recursive: true,
    filter: (path) => !skipped.has(path) && !path.endsWith("/node_modules"),
  });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Finds a free port. */
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

/** Lists the processes whose environment contains this text (on Linux). Child processes inherit it. */
export function processesWith(text: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "utf8").includes(text);
    } catch {
      // The process has exited.
      return false;
    }
  });
}

/** Waits until no process has this text in its environment. @throws Error if one is still running after a minute */
export async function leavesNothing(text: string): Promise<void> {
  const deadline = Date.now() + EXIT_MS;
  while (processesWith(text).length > 0) {
    if (Date.now() > deadline) {
      const names = processesWith(text).map((pid) => readFileSync(`/proc/${pid}/comm`, "utf8"));
      throw new Error(`still running: ${names.join("")}`);
    }
    await sleep(50);
  }
}
