// The CPU time of the production bundle for one request, in isolation: D1, KV, and the limiters are stubs in the same isolate.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseEnv } from "node:util";
import { gzipSync } from "node:zlib";
// Wrangler has no stable way to read its configuration.
import { unstable_readConfig as readConfig } from "wrangler";
import { Program, freePort, send } from "../e2e/server.ts";
import { median, table } from "./measure.ts";
import { USERS, WORKLOADS, petsUpTo, type Asked } from "./workloads.ts";

const FOLDER = resolve("dist/bench");
const DATA = join(FOLDER, "data");
const PETS = 1000;
const SANDBOX = "sandbox-of-the-benchmark";
/** The number of requests in one measurement. The first measurement warms up. */
const COUNT = 2000;

/** The executable for this machine. The npm package has no types. */
const { default: WORKERD } = createRequire(import.meta.url)("workerd") as { readonly default: string };

// Strings in Cap'n Proto's text format are escaped like those in JSON, as long as they are printable ASCII.
const text = (value: unknown) => JSON.stringify(value);

/** Bundles the service, and writes a configuration that runs it in the harness. @returns the size of the modules, gzipped */
function build(): number {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(DATA, { recursive: true });
  execFileSync("wrangler", ["deploy", "--dry-run", "--outdir", FOLDER], { stdio: "pipe" });
  const modules = readdirSync(FOLDER).filter((name) => /\.(?:js|sql)$/.test(name));
  cpSync(join(import.meta.dirname, "harness.js"), join(FOLDER, "harness.js"));
  const config = readConfig({ config: "wrangler.toml" });
  const vars = { ...config.vars, ...parseEnv(readFileSync(".dev.vars", "utf8")), RATE_LIMITS: "on" };
  const embedded = ["harness.js", ...modules].map(
    (name) => `(name = ${text(name)}, ${name.endsWith(".js") ? "esModule" : "text"} = embed ${text(name)})`,
  );
  const variables = Object.entries(vars).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`);
  writeFileSync(
    join(FOLDER, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "data", disk = (path = ${text(DATA)}, writable = true))],
  sockets = [(name = "http", http = (), service = "main")],
);
const main :Workerd.Worker = (
  compatibilityDate = ${text(config.compatibility_date)},
  compatibilityFlags = [${(config.compatibility_flags ?? []).map(text).join(", ")}],
  modules = [${embedded.join(", ")}],
  bindings = [(name = "SANDBOXES", durableObjectNamespace = "Sandbox"), ${variables.join(", ")}],
  durableObjectNamespaces = [(className = "Sandbox", uniqueKey = "Sandbox", enableSql = true)],
  durableObjectStorage = (localDisk = "data"),
);
`,
  );
  return modules.reduce((sum, name) => sum + gzipSync(readFileSync(join(FOLDER, name))).byteLength, 0);
}

/** Returns the CPU time of a process and its threads so far, in nanoseconds. */
function cpuTime(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
    return sum + Number(nanoseconds);
  }, 0);
}

async function succeed(request: Promise<Response>): Promise<void> {
  const response = await request;
  const body = await response.text();
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${body}`);
}

/** Measures the bundle. @returns two tables */
export async function measureBundle(rounds: number): Promise<string> {
  const bytes = build();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const program = new Program([WORKERD, "serve", join(FOLDER, "config.capnp"), `--socket-addr=http=127.0.0.1:${port}`]);
  const pid = program.child.pid ?? 0;
  /** Returns the microseconds of a request. */
  const measure = async (request: Asked): Promise<number> => {
    const began = cpuTime(pid);
    await succeed(send("POST", `${origin}/trial?sandbox=${SANDBOX}&count=${COUNT}`, request));
    return (cpuTime(pid) - began) / COUNT / 1000;
  };
  try {
    while (!(await fetch(`${origin}/health`).catch(() => undefined))) await sleep(10);
    await succeed(send("PUT", `${origin}/sandboxes/${SANDBOX}/data`, { pets: petsUpTo(PETS), users: USERS }));
    const rows: string[][] = [];
    for (const { name, request } of WORKLOADS) {
      console.error(`bundle: ${name}`);
      await measure(request);
      const times: number[] = [];
      for (let round = 1; round <= rounds; round++) times.push(await measure(request));
      rows.push([name, median(times).toFixed(0)]);
    }
    return `The bundle has ${bytes.toLocaleString("en")} bytes, gzipped. Microseconds of CPU for one request:

${table(["workload", "µs"], rows)}`;
  } finally {
    await program.stop();
  }
}
