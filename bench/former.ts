// Measures this package beside a former build of it, in turns: `node bench/former.ts <file.tgz> [<rounds>] [<load>]`. The load
// is the number of processes that keep a processor busy. Needs Linux.
import { execFileSync, spawn } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Program, freePort, processesWith } from "../e2e/server.ts";
import { median, table } from "./measure.ts";
import { CREATE } from "./workloads.ts";

const [former = "", rounds = "20", load = "0"] = process.argv.slice(2);
const CREATES = 5000;
const CLIENTS = 16;
const root = resolve("node_modules/.cache/former");

const isReady = async (port: number) =>
  new Promise<boolean>((done) => {
    const asked = get({ host: "127.0.0.1", port, path: "/v2/pet/1", agent: false }, (response) => {
      response.resume().on("end", () => done(response.statusCode === 200));
    });
    asked.on("error", () => done(false));
  });

/** Starts the command of an installed package. @returns the milliseconds until its first response, too */
async function start(folder: string, ...options: string[]) {
  const port = await freePort();
  const mark = `bench-${port}-${Date.now()}`;
  const command = ["node", "node_modules/.bin/pet-store-service", "--port", String(port), "--json", ...options];
  const began = performance.now();
  const program = new Program(command, { cwd: folder, env: { MARK: mark } });
  while (!(await isReady(port))) await sleep(2);
  return { program, mark, url: `http://127.0.0.1:${port}/v2`, ms: performance.now() - began };
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );

/** The proportional memory of all processes with a mark, and the size of their folder in /dev/shm. In MB. */
function memoryOf(mark: string, pid: number | undefined): number {
  const kilobytes = processesWith(mark).map((each) => {
    const [, pss = "0"] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${each}/smaps_rollup`, "utf8")) ?? [];
    return Number(pss);
  });
  const folders = readdirSync("/dev/shm").filter((name) => name.includes(`-${pid}-`));
  const bytes = folders.reduce((sum, name) => sum + bytesIn(join("/dev/shm", name)), 0);
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024 + bytes / 1e6;
}

/** The CPU time of all processes with a mark so far, in milliseconds. A tick is 10 ms. */
const cpuOf = (mark: string): number =>
  processesWith(mark).reduce((sum, pid) => {
    const [user = 0, system = 0] =
      readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 13).map(Number) ?? [];
    return sum + (user + system) * 10;
  }, 0);

/** @returns the seconds that it takes */
async function create(url: string): Promise<number> {
  const began = performance.now();
  let left = CREATES;
  const client = async () => {
    while (left-- > 0) await (await fetch(url + CREATE.path, CREATE)).text();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (performance.now() - began) / 1000;
}

const [own = ""] = globSync("dist/*.tgz");
const builds = [former, own].map((file, index) => {
  const folder = join(root, String(index));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  const began = performance.now();
  execFileSync("npm", ["install", "--no-audit", "--no-fund", resolve(file)], { cwd: folder, stdio: "pipe" });
  const seconds = (performance.now() - began) / 1000;
  const packages = Object.keys(
    (JSON.parse(readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8")) as { packages: object })
      .packages,
  ).length;
  // Unlike a sum of sizes, du counts hard links once.
  const size = Number.parseInt(execFileSync("du", ["-sm", folder], { encoding: "utf8" }), 10);
  return {
    folder,
    install: [seconds, size, packages],
    starts: [] as number[],
    cpu: [] as number[],
    rest: [] as number[],
  };
});

const busy = Array.from({ length: Number(load) }, () => spawn(process.execPath, ["-e", "for (;;) {}"]));
try {
  for (let round = 0; round < Number(rounds); round++) {
    for (const build of builds) {
      const { program, mark, ms } = await start(build.folder);
      build.starts.push(ms);
      build.cpu.push(cpuOf(mark));
      await program.stop();
    }
  }
} finally {
  for (const each of busy) each.kill();
}
for (const build of builds) {
  const { program, mark, url } = await start(build.folder);
  await sleep(1000);
  const idle = memoryOf(mark, program.child.pid);
  const seconds = await create(url);
  build.rest.push(idle, memoryOf(mark, program.child.pid), seconds);
  await program.stop();
  const kept = await start(build.folder, "--keep", mkdtempSync(join(root, "kept-")));
  build.rest.push(await create(kept.url));
  await kept.program.stop();
}

const NAMES = [
  "install, s",
  "size, MB",
  "packages",
  "first response, median ms",
  "first response, maximum ms",
  "CPU of a start, ms",
];
const MORE = [
  "memory idle, MB",
  `memory after ${CREATES} creates, MB`,
  `${CREATES} creates, s`,
  `${CREATES} creates with --keep, s`,
];
const values = builds.map(({ install, starts, cpu, rest }) => [
  ...install,
  median(starts),
  Math.max(...starts),
  median(cpu),
  ...rest,
]);
const rows = [...NAMES, ...MORE].map((name, index) => {
  const [before = 0, now = 0] = values.map((each) => each[index] ?? 0);
  return [name, before.toFixed(1), now.toFixed(1), (now / before).toFixed(2)];
});
console.log(table(["", "former", "now", "ratio"], rows));
