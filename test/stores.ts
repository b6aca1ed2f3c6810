import { env } from "cloudflare:workers";
import { createApp } from "../src/app.ts";
import { clientOf } from "./client.ts";
import type { Send } from "./client.ts";

/** An error instead of a store's answer: before the call reached the store, or after it was done. */
export interface Fault {
  readonly when: "before" | "after";
  readonly message: string;
}

/** The calls to a store. Each may meet a fault; all are counted. */
export class Calls {
  count = 0;
  /** As D1 reports them. */
  rowsRead = 0;
  rowsWritten = 0;
  readonly #faultOf: (call: number) => Fault | undefined;

  /** @param faultOf the fault that a call meets; calls count from 0 */
  constructor(faultOf: (call: number) => Fault | undefined = () => undefined) {
    this.#faultOf = faultOf;
  }

  async pass<T>(run: () => Promise<T>): Promise<T> {
    const fault = this.#faultOf(this.count);
    this.count += 1;
    if (fault?.when === "before") throw new Error(fault.message);
    const answer = await run();
    for (const result of [answer].flat() as ({ meta?: D1Meta } | null | undefined)[]) {
      this.rowsRead += result?.meta?.rows_read ?? 0;
      this.rowsWritten += result?.meta?.rows_written ?? 0;
    }
    if (fault?.when === "after") throw new Error(fault.message);
    return answer;
  }
}

/** The test's own D1, every round trip passed through `calls`. */
export function d1Through(calls: Calls): D1Database {
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const statementThrough = (statement: D1PreparedStatement): D1PreparedStatement => {
    const through = passing(statement, calls, {
      bind: (...values) => statementThrough(statement.bind(...values)),
    });
    originals.set(through, statement);
    return through;
  };
  const databaseThrough = <Real extends D1Database | D1DatabaseSession>(database: Real): Real =>
    passing<D1Database | D1DatabaseSession>(database, calls, {
      prepare: (sql) => statementThrough(database.prepare(sql)),
      batch: async (statements) =>
        calls.pass(async () =>
          database.batch(statements.map((statement) => originals.get(statement) ?? statement)),
        ),
      ...("getBookmark" in database && { getBookmark: () => database.getBookmark() }),
    }) as Real;
  return new Proxy(databaseThrough(env.DB), {
    get: (database, name) =>
      name === "withSession"
        ? (constraint?: string) => databaseThrough(env.DB.withSession(constraint))
        : Reflect.get(database, name),
  });
}

/** The test's own KV, every call passed through `calls`. */
export function kvThrough(calls: Calls): KVNamespace {
  return passing(env.SESSIONS, calls, {});
}

/** `store` with these methods of its own; all others are passed through `calls`. */
function passing<Store extends object>(store: Store, calls: Calls, own: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name in own) return Reflect.get(own, name);
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return async (...values: unknown[]) =>
        calls.pass(async (): Promise<unknown> => Reflect.apply(member, target, values));
    },
  });
}

/** A client of the service with other bindings than the configured ones; `undefined` takes one away. */
export function clientWith(bindings: {
  readonly [Name in keyof Env]?: Env[Name] | undefined;
}): Send {
  const app = createApp();
  const environment = { ...env, ...bindings } as Env;
  return clientOf((request) => app.fetch(request, environment));
}
