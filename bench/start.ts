// `npm run bench:start`: the time from the start of a process to its first answer, for each way to start a store, and
// the time of each further store of one process. Options: --rounds 10. Needs Linux.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install, pack } from "../e2e/package/install.ts";
import { Program } from "../e2e/process.ts";
import { freePort } from "../e2e/server.ts";
import { ROOT, outputOf } from "../scripts/programs.ts";
import { environment, median, optionsOf, table } from "./report.ts";

const LIMIT_MS = 120_000;
const FURTHER_STORES = 10;

const rounds = Number(optionsOf({ rounds: "10" }).rounds);

/** A way to start a store. */
interface Way {
  readonly name: string;
  /** @param empty a folder for the data */
  readonly command: (port: string, empty: string) => string;
  readonly folder: string;
}

/** @returns milliseconds from the start of the process to the first answer */
async function firstAnswer({ command, folder }: Way, empty: string): Promise<number> {
  const port = await freePort();
  const began = performance.now();
  const program = new Program(command(String(port), empty).split(" "), { folder });
  try {
    await program.serves(`http://127.0.0.1:${port}/v2/store/inventory`, LIMIT_MS);
    return performance.now() - began;
  } finally {
    await program.stop();
  }
}

/** A script that starts stores one after another, and prints the time of each. */
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

const temporary = mkdtempSync(join(tmpdir(), "pet-store-bench-"));
try {
  const app = join(temporary, "app");
  mkdirSync(app);
  const { tarball, bytes } = pack(temporary);
  const installed = install(app, tarball);
  writeFileSync(join(app, "further.mjs"), FURTHER);
  const ways: readonly Way[] = [
    {
      name: "pet-store-service, installed",
      command: (port) => `node_modules/.bin/pet-store-service --port ${port}`,
      folder: app,
    },
    {
      name: "npx pet-store-service",
      command: (port) => `npx pet-store-service --port ${port}`,
      folder: app,
    },
    {
      name: "npm start",
      command: (port, empty) =>
        `npm start -- --port ${port} --inspector-port 0 --persist-to ${empty}`,
      folder: ROOT,
    },
  ];
  console.log(`${bytes} bytes packed, ${Math.round(installed / 1e6)} MB installed`);
  console.log(environment());
  const starts = new Map(ways.map(({ name }) => [name, [] as number[]]));
  // Round 0 fills caches. The ways take turns, so that all meet the same load.
  for (let round = 0; round <= rounds; round++) {
    for (const way of ways) {
      const start = await firstAnswer(way, mkdtempSync(join(temporary, "store-")));
      if (round > 0) starts.get(way.name)?.push(start);
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
  rmSync(temporary, { recursive: true, force: true });
}
