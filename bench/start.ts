// `npm run bench:start`: how long it takes from the start of a process to its first answer, for this package and for
// others that people start in tests, side by side; and for each further store of one process. Needs Linux.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { install, pack } from "../e2e/package/install.ts";
import { Program } from "../e2e/process.ts";
import { freePort } from "../e2e/server.ts";
import { ROOT, outputOf } from "../scripts/programs.ts";
import { environment, median, table } from "./report.ts";

const LIMIT_MS = 120_000;
const FURTHER_STORES = 10;

const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "10" } } });
const rounds = Number(options.rounds);

interface Contestant {
  readonly name: string;
  readonly command: (port: string, empty: string) => readonly string[];
  readonly path: string;
  readonly cwd: string;
}

/** @returns milliseconds from the start of the process to the first answer */
async function firstAnswer({ command, path, cwd }: Contestant, empty: string): Promise<number> {
  const port = await freePort();
  const began = performance.now();
  const program = new Program(command(String(port), empty), { folder: cwd });
  try {
    await program.serves(`http://127.0.0.1:${port}${path}`, LIMIT_MS);
    return performance.now() - began;
  } finally {
    await program.stop();
  }
}

/** A script for a process that starts stores, one after the other, and prints what each took. */
const FURTHER = `
import { startPetStore } from "pet-store-service";
const took = [];
for (let count = 0; count <= ${FURTHER_STORES}; count++) {
  const began = performance.now();
  const { url } = await startPetStore();
  await (await fetch(url + "/store/inventory")).text();
  took.push(performance.now() - began);
}
console.log(JSON.stringify(took));
process.exit();
`;

const folder = mkdtempSync(join(tmpdir(), "pet-store-bench-"));
try {
  const app = join(folder, "app");
  mkdirSync(app);
  const { tarball, bytes } = pack(folder);
  const installed = install(app, tarball);
  writeFileSync(join(app, "further.mjs"), FURTHER);
  writeFileSync(join(app, "db.json"), `{"pets":[]}`);
  const bench = join(ROOT, "bench", "node_modules", ".bin");
  const openApi = join(ROOT, "docs", "api", "openapi.json");
  const ours = { path: "/v2/store/inventory", cwd: app };
  const contestants: readonly Contestant[] = [
    {
      ...ours,
      name: "pet-store-service, installed",
      command: (port) => ["node_modules/.bin/pet-store-service", "--port", port],
    },
    {
      ...ours,
      name: "npx pet-store-service",
      command: (port) => ["npx", "pet-store-service", "--port", port],
    },
    {
      ...ours,
      name: "npm start",
      command: (port, empty) =>
        `npm start -- --port ${port} --inspector-port 0 --persist-to ${empty}`.split(" "),
      cwd: ROOT,
    },
    {
      name: "prism mock",
      command: (port) => [join(bench, "prism"), "mock", "-p", port, openApi],
      path: "/store/inventory",
      cwd: app,
    },
    {
      name: "json-server",
      command: (port) => [join(bench, "json-server"), "--port", port, "db.json"],
      path: "/pets",
      cwd: app,
    },
  ];
  console.log(`${bytes} bytes packed, ${Math.round(installed / 1e6)} MB installed`);
  console.log(environment());
  const starts = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  // The first start of each, which fills caches, is not counted. They take turns, so that each meets the same load.
  for (let round = 0; round <= rounds; round++) {
    for (const contestant of contestants) {
      const start = await firstAnswer(contestant, mkdtempSync(join(folder, "store-")));
      if (round > 0) starts.get(contestant.name)?.push(start);
    }
  }
  const [, ...further] = JSON.parse(
    outputOf(process.execPath, ["further.mjs"], { folder: app }),
  ) as number[];
  const rows = [...starts, ["each further store", further] as const].map(([name, took]) => [
    name,
    ...[median(took), Math.min(...took)].map((ms) => ms.toFixed(0)),
  ]);
  console.log(table(["first answer, ms", "median", "fastest"], rows));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
