// `npm run clients`: lets HTTP clients send requests to sandboxes with rules, and writes what arrived to docs/http-clients.json.
// `npm run clients -- curl got` runs only the clients whose names contain one of these words. Needs Debian 12 and root, and takes
// about ten minutes.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, Program, send, startPackage, succeed, temporaryFolder } from "../server.ts";
import { CLIENTS, type Client } from "./clients.ts";
import { SCENARIOS, cellOf, type Logged, type Scenario } from "./scenarios.ts";
import { DATA, writeTable, type Measured } from "./table.ts";

/** Clients that run at once, and clients that wait at once. */
const BUSY = 4;
const WAITING = 30;

/** The exact version of a client. */
async function versionOf({ package: name }: Client): Promise<string> {
  if (!name.startsWith("npm:")) {
    return `${name} ${await succeed(["dpkg-query", "--show", "--showformat=${Version}", name])}`;
  }
  const npm = name.slice("npm:".length);
  const folder = npm === "node" ? ROOT : import.meta.dirname;
  const file = join(folder, "node_modules", npm, "package.json");
  return `${npm} ${(JSON.parse(readFileSync(file, "utf8")) as { readonly version: string }).version}`;
}

const folder = temporaryFolder();

/** Runs a command line. @returns the line that it printed for its last step, or what its exit status means, and when */
async function runClient(command: readonly string[], client: Client, seconds: number) {
  const cwd = join(folder, randomUUID());
  mkdirSync(cwd);
  const program = new Program(command, { cwd });
  let at = 0;
  program.child.stdout.on("data", () => (at = Date.now()));
  const kill = setTimeout(() => program.signal("SIGKILL"), seconds * 1000);
  const status = await program.ended;
  clearTimeout(kill);
  if (client.isCommand) return { at: Date.now(), line: status === 0 ? "OK" : "ERR" };
  return { at, line: program.output.match(/^(OK|ERR|JSON|NA\b).*$/gm)?.at(-1) ?? "" };
}

/** Measures one cell in a sandbox of its own. */
async function measure(origin: string, client: Client, scenario: Scenario): Promise<string> {
  const sandbox = `${origin}/sandboxes/${randomUUID()}`;
  const command = client.command(scenario.steps(`${sandbox}/v2`));
  if (!command) return "n/a";
  await send("PUT", `${sandbox}/data`, { data: "classic" });
  if (scenario.rule) {
    const response = await send("PUT", `${sandbox}/faults`, [scenario.rule]);
    if (!response.ok) throw new Error(await response.text());
  }
  const ended = await runClient(command, client, scenario.seconds);
  const log = await send("GET", `${sandbox}/requests`);
  const requests = ((await log.json()) as Logged[]).toReversed();
  await send("DELETE", sandbox);
  return cellOf(scenario, { ...ended, requests });
}

/** Runs tasks, so many at once. */
async function inParallel(tasks: readonly (() => Promise<void>)[], count: number): Promise<void> {
  const left = tasks.values();
  const work = async () => {
    for (const task of left) await task();
  };
  await Promise.all(Array.from({ length: count }, work));
}

await succeed(["bash", join(import.meta.dirname, "install.sh")]);
const words = process.argv.slice(2).map((word) => word.toLowerCase());
const chosen = Object.entries(CLIENTS).filter(
  ([name]) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word)),
);
const { program: server, origin } = await startPackage([]);
const results: Record<string, Measured> = existsSync(DATA)
  ? (JSON.parse(readFileSync(DATA, "utf8")) as typeof results)
  : {};
const date = new Date().toISOString().slice(0, 10);
const busy: (() => Promise<void>)[] = [];
const waiting: typeof busy = [];
for (const [name, client] of chosen) {
  const cells = Object.fromEntries(Object.keys(SCENARIOS).map((key) => [key, ""]));
  results[name] = { language: client.language, version: await versionOf(client), date, cells };
  for (const [key, scenario] of Object.entries(SCENARIOS)) {
    const task = async () => {
      cells[key] = await measure(origin, client, scenario);
      console.log(`${name}\t${key}\t${cells[key]}`);
    };
    (scenario.waits || client.isPatient ? waiting : busy).push(task);
  }
}
try {
  await Promise.all([inParallel(busy, BUSY), inParallel(waiting, WAITING)]);
} finally {
  await server.stop();
}
const inOrder = Object.keys(CLIENTS).flatMap((name) => (results[name] ? [[name, results[name]]] : []));
writeFileSync(DATA, `${JSON.stringify(Object.fromEntries(inOrder), null, 2)}\n`);
writeTable();
