// CPU in isolation, and CPU of the start. Each is measured in a workerd that does nothing else.
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import type { Trial } from "./isolated.ts";
import { cpuTime } from "../e2e/processes.ts";
import { median } from "./report.ts";
import { VARS, serve } from "./serve.ts";
import type { Served } from "./serve.ts";
import type { Sql, Statement } from "./sql.ts";
import type { Asked } from "./workloads.ts";

/** A module of this folder that wraps a Worker, as JavaScript. */
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

/** The rows that D1 returns for a request of each workload. */
export async function sampleRows(db: Served["db"], sql: Sql): Promise<Map<string, object[]>> {
  const rows = async ({ text, sample }: Statement) => {
    const bound = db.prepare(text).bind(...sample);
    return (await bound.all()).results;
  };
  const pet = await rows(sql.petById);
  return new Map([
    ["get a pet", pet],
    ["create", pet],
    ["update", pet],
    ["page of 100 by status", await rows(sql.petsByStatus)],
    ["page of 100 by tag", await rows(sql.petsByTag)],
    ["inventory", await rows(sql.inventory)],
    ["order", await rows(sql.newOrder)],
    ["login", await rows(sql.userByName)],
  ]);
}

/** A request to measure in isolation, and the rows that D1 returns for it. */
export interface Sample {
  readonly rows: readonly object[];
  readonly count: number;
  readonly sql: Sql;
}

/**
 * The CPU time of one request in microseconds, from `count` calls of the handler with stubs.
 * @throws Error if the status is not `expected`
 */
export async function isolate(
  { port, pid }: Served,
  { path, ...asked }: Asked & Pick<Trial, "base64" | "type" | "headers" | "expected">,
  { rows, count, sql }: Sample,
): Promise<number> {
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
  return (cpuTime(pid) - before) / count / 1000;
}

/** The CPU time of loading a Worker's module, in milliseconds. */
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
      // The first request costs more than loading the module, so that request does nothing.
      await begin(false);
      const nothing = await begin(false);
      measured.push((await begin(true)) - nothing);
    } finally {
      await served.stop();
    }
  }
  return median(measured);
}
