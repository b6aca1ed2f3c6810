// The measures that need a Worker of their own: CPU in isolation, calls to D1, start-up, `npm start`.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Program } from "../e2e/process.ts";
import { freePort } from "../e2e/server.ts";
import { ROOT } from "../scripts/programs.ts";
import type { Trial } from "./isolated.ts";
import type { Meter } from "./metered.ts";
import { cpuTime } from "../e2e/processes.ts";
import { median } from "./report.ts";
import { VARS, serve } from "./serve.ts";
import type { Served } from "./serve.ts";
import type { Sql } from "./sql.ts";
import type { Asked, Workload } from "./workloads.ts";

/** A module of this folder as JavaScript, to run beside a contestant. */
export function harness(name: "isolated" | "local" | "metered"): string {
  return stripTypeScriptTypes(readFileSync(join(import.meta.dirname, `${name}.ts`), "utf8"));
}

/** Sends one request. */
export async function ask(port: number, { method, path, body }: Asked): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(body !== undefined && { body, headers: { "Content-Type": "application/json" } }),
  });
}

/** The rows that D1 gives for a request of each workload. */
export async function sampleRows(db: Served["db"], sql: Sql): Promise<Map<string, object[]>> {
  const rows = async (text: string, ...values: unknown[]) =>
    (
      await db
        .prepare(text)
        .bind(...values)
        .all()
    ).results;
  const pet = await rows(sql.petById, 7);
  return new Map([
    ["get a pet", pet],
    ["create", pet],
    ["update", pet],
    ["page of 100 by status", await rows(sql.petsByStatus, '["sold"]', 0, 101)],
    ["page of 100 by tag", await rows(sql.petsByTag, '["dog"]', 0, 101)],
    ["inventory", await rows(sql.inventory)],
    [
      "order",
      await rows(
        sql.newOrder,
        null,
        1,
        2,
        "2026-12-01T09:30:00.000Z",
        "placed",
        0,
        null,
        null,
        null,
        null,
      ),
    ],
    ["login", await rows(sql.userByName, "ada")],
  ]);
}

/** A request to measure in isolation, and the rows that D1 returns for it. */
interface Sample {
  readonly rows: readonly object[];
  readonly count: number;
  readonly sql: Sql;
}

/** CPU time of one request in microseconds: the handler called `count` times in-process, on stubs. */
export async function cpuInIsolation(
  served: Served,
  workload: Workload,
  sample: Sample,
): Promise<number> {
  return (await isolate(served, { ...workload.request(7, 1000), expected: 200 }, sample))
    .microseconds;
}

/** The same, with the answer. @throws Error if the status is not the expected one */
export async function isolate(
  { port, pid }: Served,
  { path, ...asked }: Asked & Pick<Trial, "base64" | "type" | "headers" | "expected">,
  { rows, count, sql }: Sample,
): Promise<{ readonly microseconds: number; readonly bytes: number; readonly status: number }> {
  const trial = { ...asked, url: `http://localhost${path}`, rows, count, sql, vars: VARS };
  const before = cpuTime(pid);
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    body: JSON.stringify(trial satisfies Omit<Trial, "rows"> & { rows: readonly object[] }),
  });
  const { status, bytes } = (await answer.json()) as { status: number; bytes: number };
  if (asked.expected !== undefined && status !== asked.expected) {
    throw new Error(`${path.slice(0, 40)}, ${asked.body?.slice(0, 40)}: ${status} in isolation`);
  }
  return { microseconds: (cpuTime(pid) - before) / count / 1000, bytes, status };
}

/** The calls to D1 since this function was last called, by a contestant that runs with the harness "metered". */
export async function readMeter(port: number): Promise<Meter> {
  return (await fetch(`http://127.0.0.1:${port}/meter`)).json() as Promise<Meter>;
}

/** CPU time in milliseconds that a Worker's module takes when it is loaded. */
export async function startUpCpu(script: string, sql: Sql, times: number): Promise<number> {
  const measured: number[] = [];
  for (let done = 0; done < times; done++) {
    const served = await serve(script, { sql, harness: harness("isolated") });
    try {
      const begin = async (load: boolean) => {
        const before = cpuTime(served.pid);
        await (await fetch(`http://127.0.0.1:${served.port}/${load ? "load" : "nothing"}`)).text();
        return (cpuTime(served.pid) - before) / 1e6;
      };
      // The first request costs more than loading the module, so this one does nothing.
      await begin(false);
      const nothing = await begin(false);
      measured.push((await begin(true)) - nothing);
    } finally {
      await served.stop();
    }
  }
  return median(measured);
}

const START_LIMIT_MS = 60_000;

/** Seconds from `npm start`, in a fresh copy of the package with its dependencies, to the first answer. */
export async function timeOfStart(): Promise<number> {
  const copy = mkdtempSync(join(tmpdir(), "pet-store-clone-"));
  const listed = spawnSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const file of listed.stdout.split("\n").filter((name) => name !== "")) {
    cpSync(join(ROOT, file), join(copy, file), { force: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  const port = await freePort();
  const npm = process.env["npm_execpath"];
  if (npm === undefined) throw new Error("only npm runs this");
  const options = ["--port", String(port), "--inspector-port", "0"];
  const begin = performance.now();
  const server = new Program([process.execPath, npm, "start", "--", ...options], { folder: copy });
  try {
    await server.serves(`http://127.0.0.1:${port}/v2/store/inventory`, START_LIMIT_MS);
    return (performance.now() - begin) / 1000;
  } finally {
    await server.stop();
    rmSync(copy, { recursive: true, force: true });
  }
}
