// The measures that need a Worker of their own: CPU in isolation, and start-up.
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import type { Trial } from "./isolated.ts";
import { cpuTime } from "../e2e/processes.ts";
import { median } from "./report.ts";
import { VARS, serve } from "./serve.ts";
import type { Served } from "./serve.ts";
import type { Sql } from "./sql.ts";
import type { Asked } from "./workloads.ts";

/** A module of this folder as JavaScript, to run beside a contestant. */
export function harness(name: "isolated" | "local"): string {
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
  const rows = async (text: string, values: readonly unknown[] = []) => {
    const bound = db.prepare(text).bind(...values);
    return (await bound.all()).results;
  };
  const pet = await rows(sql.petById, [7]);
  const order = [null, 1, 2, "2026-12-01T09:30:00.000Z", "placed", 0, null, null, null, null];
  return new Map([
    ["get a pet", pet],
    ["create", pet],
    ["update", pet],
    ["page of 100 by status", await rows(sql.petsByStatus, ['["sold"]', 0, 101])],
    ["page of 100 by tag", await rows(sql.petsByTag, ['["dog"]', 0, 101])],
    ["inventory", await rows(sql.inventory)],
    ["order", await rows(sql.newOrder, order)],
    ["login", await rows(sql.userByName, ["ada"])],
  ]);
}

/** A request to measure in isolation, and the rows that D1 returns for it. */
export interface Sample {
  readonly rows: readonly object[];
  readonly count: number;
  readonly sql: Sql;
}

/** CPU time of one request: the handler called `count` times in-process, on stubs. @throws Error if the status is not `expected` */
export async function isolate(
  { port, pid }: Served,
  { path, ...asked }: Asked & Pick<Trial, "base64" | "type" | "headers" | "expected">,
  { rows, count, sql }: Sample,
): Promise<{ readonly microseconds: number; readonly status: number }> {
  const trial = { ...asked, url: `http://localhost${path}`, rows, count, sql, vars: VARS };
  const before = cpuTime(pid);
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    body: JSON.stringify(trial satisfies Omit<Trial, "rows"> & { rows: readonly object[] }),
  });
  const { status } = (await answer.json()) as { status: number };
  if (asked.expected !== undefined && status !== asked.expected) {
    throw new Error(`${path.slice(0, 40)}, ${asked.body?.slice(0, 40)}: ${status} in isolation`);
  }
  return { microseconds: (cpuTime(pid) - before) / count / 1000, status };
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
