// The command beside Prism and json-server, each installed from a package and started as a user does.
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Program, freePort, send } from "../e2e/server.ts";
import { compete, mean, median, ratio, table } from "./measure.ts";
import { CREATE, get, petsUpTo } from "./workloads.ts";

/** Installed in a folder of their own. No stateful Petstore is published on npm, and Swagger's needs Java. */
const PEERS = ["@stoplight/prism-cli@5.14.2", "json-server@0.17.4"];
const FOLDER = resolve("node_modules/.cache/bench");
const BY_STATUS = "/pet/findByStatus?status=available";
/** As many as in the classic data. */
const PETS = 10;
const KINDS = ["reads", "creates", "pages"] as const;
const CONNECTIONS = [1, 16];

/** How to start each, the base URL of its interface, and the path of a page. */
const COMMANDS = [
  { name: "`/v2`", command: ["pet-store-service"], base: "/v2", page: BY_STATUS },
  { name: "Prism", command: ["prism", "mock", "openapi.json"], base: "", page: BY_STATUS },
  { name: "json-server", command: ["json-server", "db.json"], base: "", page: "/pet?status=available" },
] as const;
const NAMES = ["a sandbox", ...COMMANDS.map(({ name }) => name)] as const;

const write = (name: string, text: string) => writeFileSync(join(FOLDER, name), text);

/** Starts a command. @returns its base URL, and the milliseconds until its first response */
async function start({ command: [bin, ...args], base }: (typeof COMMANDS)[number]) {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}${base}`;
  const began = performance.now();
  const program = new Program(["node", `node_modules/.bin/${bin}`, ...args, "--port", port], { cwd: FOLDER });
  while (!(await isReady(url))) await sleep(5);
  return { program, url, ms: performance.now() - began };
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/pet/1`).catch(() => undefined);
  await response?.text();
  return response?.ok === true;
}

/** Installs the packed package and the peers, and writes the document that Prism serves. */
async function install(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  execFileSync("npm", ["run", "build:package"], { stdio: "pipe" });
  write("package.json", '{ "private": true }');
  rmSync(join(FOLDER, "package-lock.json"), { force: true });
  const packages = [...PEERS, ...globSync("dist/*.tgz").map((file) => resolve(file))];
  execFileSync("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: FOLDER, stdio: "pipe" });
  const { program, url } = await start(COMMANDS[0]);
  write("openapi.json", await (await send("GET", `${url}/openapi.json`)).text());
  await program.stop();
}

/** Measures the second of two requests. @returns the milliseconds, and the response */
async function time(...request: Parameters<typeof send>) {
  await (await send(...request)).text();
  const began = performance.now();
  const text = await (await send(...request)).text();
  return { ms: performance.now() - began, text };
}

/** Measures the commands in turns. @returns two tables */
export async function measureCommands(rounds: number): Promise<string> {
  console.error("commands: install");
  await install();
  const series = new Map<string, number[]>();
  const of = (...key: readonly unknown[]) => {
    const name = key.join(" ");
    const found = series.get(name) ?? [];
    series.set(name, found);
    return found;
  };

  for (let round = 1; round <= rounds; round++) {
    console.error(`commands: round ${round} of ${rounds}`);
    // Each round begins with the same data.
    write("db.json", JSON.stringify({ pet: petsUpTo(PETS) }));
    const started = [];
    for (const command of COMMANDS) started.push({ ...command, ...(await start(command)) });
    for (const each of started) of("start", each.name).push(each.ms);
    const [ours] = started;
    const created = await time("POST", new URL("/sandboxes", ours?.url).href);
    const sandbox = JSON.parse(created.text) as { readonly url: string };
    const reset = await time("PUT", sandbox.url.replace(/v2$/, "data"), { data: "classic" });
    of("created").push(created.ms);
    of("reset").push(reset.ms);

    for (const kind of KINDS) {
      for (const connections of CONNECTIONS) {
        const contestants = [{ ...sandbox, page: BY_STATUS }, ...started].map(({ url, page }) => {
          let number = 0;
          const read = () => get(kind === "pages" ? page : `/pet/${(++number % PETS) + 1}`);
          return { url, next: kind === "creates" ? () => CREATE : read };
        });
        const rates = await compete(contestants, connections);
        for (const [index, name] of NAMES.entries()) of(kind, connections, name).push(rates[index] ?? Number.NaN);
      }
    }
    for (const { program } of started) await program.stop();
  }

  const ms = (...key: readonly unknown[]) => `${median(of(...key)).toFixed(0)} ms`;
  const ratios = KINDS.map((kind) => {
    const toPrism = (name: string) =>
      mean(CONNECTIONS.map((connections) => ratio(of(kind, connections, name), of(kind, connections, "Prism"))));
    return [`${kind}, as a ratio to Prism`, ...NAMES.map((name) => toPrism(name).toFixed(2))];
  });
  const starts = COMMANDS.map(({ name }) => ms("start", name));
  const others = [starts[0] ?? "", "keeps nothing", starts[2] ?? ""];
  const perSecond = KINDS.flatMap((kind) =>
    CONNECTIONS.map((connections) => [
      kind,
      String(connections),
      ...NAMES.map((name) => median(of(kind, connections, name)).toFixed(0)),
    ]),
  );
  const rows = [
    ...ratios,
    ["first response", "", ...starts],
    ["the same data again", ms("reset"), ...others],
    ["one more store", ms("created"), ...others],
  ];
  return `${table(["", ...NAMES], rows)}

Requests a second:

${table(["", "connections", ...NAMES], perSecond)}`;
}
