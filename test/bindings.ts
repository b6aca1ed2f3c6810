import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { isSandbox } from "./engine.ts";

/** The stores that the service depends on. Each may fail. */
export type Store = "D1" | "KV" | "R2" | "REQUESTS" | "LOGINS" | "LOGINS_PER_USER" | "clock";

/** How a call fails. */
export type Fault =
  /** An error: before the call reached the store, or after it was done. */
  | { readonly when: "before" | "after"; readonly message: string }
  /** No answer, ever; `done`: the call was done all the same. */
  | { readonly when: "never"; readonly done: boolean }
  /** The answer, so many milliseconds late. */
  | { readonly when: "late"; readonly ms: number }
  /** The answer, whose stream of bytes breaks. */
  | { readonly when: "midway"; readonly message: string }
  /** A rate limiter's answer that the limit is reached. */
  | { readonly when: "refused" }
  /** A clock that is so many milliseconds ahead. */
  | { readonly when: "off"; readonly ms: number };

/** How time passes for a call that is late or never answered. */
export interface Time {
  /** Called once for each call that will never be answered. */
  silence(): void;
  pass(ms: number): Promise<void>;
}

const REAL_TIME: Time = { silence: () => undefined, pass: async (ms) => scheduler.wait(ms) };

/** Counts the calls to one or more stores, and may fail each of them. */
export class Calls {
  count = 0;
  /** As D1 reports them. */
  rowsRead = 0;
  rowsWritten = 0;
  /** The stores called, in order. */
  readonly trace: Store[] = [];
  /** The faults met, in order. */
  readonly met: Fault[] = [];
  /** What the last call to each store met. */
  readonly last = new Map<Store, Fault | undefined>();
  readonly #faultOf: (call: number, store: Store) => Fault | undefined;
  readonly #time: Time;

  /** @param faultOf the fault that a call meets; calls count from 0 */
  constructor(
    faultOf: (call: number, store: Store) => Fault | undefined = () => undefined,
    time = REAL_TIME,
  ) {
    this.#faultOf = faultOf;
    this.#time = time;
  }

  /** Counts a call. @returns the fault that it meets */
  next(store: Store): Fault | undefined {
    const fault = this.#faultOf(this.count, store);
    this.count += 1;
    this.trace.push(store);
    this.last.set(store, fault);
    if (fault) this.met.push(fault);
    return fault;
  }

  async pass<T>(run: () => Promise<T>, store: Store = "D1"): Promise<T> {
    const fault = this.next(store);
    if (fault?.when === "before") throw new Error(fault.message);
    if (fault?.when === "refused") return { success: false } as T;
    if (fault?.when === "late") await this.#time.pass(fault.ms);
    if (fault?.when === "never") {
      if (fault.done) await run();
      this.#time.silence();
      return new Promise(() => undefined);
    }
    const answer = await run();
    for (const result of [answer].flat() as ({ meta?: D1Meta } | null | undefined)[]) {
      this.rowsRead += result?.meta?.rows_read ?? 0;
      this.rowsWritten += result?.meta?.rows_written ?? 0;
    }
    if (fault?.when === "after") throw new Error(fault.message);
    if (fault?.when === "midway") return broken(answer, fault.message);
    return answer;
  }
}

/** An object of R2 whose bytes break off after the first. */
function broken<T>(answer: T, message: string): T {
  if (!(answer instanceof Object && "body" in answer)) return answer;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array(1)),
    pull: (controller) => controller.error(new Error(message)),
  });
  return new Proxy(answer, {
    get: (object, name) => (name === "body" ? body : (Reflect.get(object, name) as unknown)),
  });
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

/** The runtime marks errors of objects with properties; D1 words them. */
async function asOfObject(fault: unknown): Promise<never> {
  const { message } = fault as Error;
  const retryable = /connection lost|to be reset|code was updated|disconnected|transient/.test(
    message,
  );
  throw Object.assign(fault as Error, { retryable, overloaded: /overloaded/.test(message) });
}

/** The objects of sandboxes, every request to one passed through `calls`. */
export class ObjectsThrough {
  readonly #calls: Calls;
  readonly #objects: Env["STORES"];

  constructor(calls: Calls, objects: Env["STORES"] = env.STORES) {
    this.#calls = calls;
    this.#objects = objects;
  }

  getByName(name: string) {
    const fetch = async (request: Request) =>
      this.#calls.pass(async () => this.#objects.getByName(name).fetch(request)).catch(asOfObject);
    return { fetch };
  }

  /** The same calls to other objects. */
  to(objects: Env["STORES"]): Env["STORES"] {
    return new ObjectsThrough(this.#calls, objects) as unknown as Env["STORES"];
  }
}

export const objectsThrough = (calls: Calls) =>
  new ObjectsThrough(calls) as unknown as Env["STORES"];

/** The number of requests in flight that need other bindings, by sandbox. */
const using = new Map<string, number>();

/** The objects of sandboxes, which run with these bindings and this clock while they answer. */
export function objectsWith(bindings: Env, now = (): number => Date.now()): Env["STORES"] {
  const fetchIn = async (name: string, request: Request) => {
    const object = env.STORES.getByName(name);
    const use = async (surroundings: object) =>
      runInDurableObject(object, (instance) => void Object.assign(instance, surroundings));
    using.set(name, (using.get(name) ?? 0) + 1);
    await use({ env: bindings, now });
    try {
      return await object.fetch(request);
    } finally {
      const others = (using.get(name) ?? 1) - 1;
      using.set(name, others);
      if (others === 0) await use({ env, now: () => Date.now() });
    }
  };
  return {
    getByName: (name: string) => ({ fetch: async (request: Request) => fetchIn(name, request) }),
  } as unknown as Env["STORES"];
}

/** The store of the tests, every round trip passed through `calls`, as bindings. */
export const databaseThrough = (calls: Calls): Partial<Env> =>
  isSandbox ? { STORES: objectsThrough(calls) } : { DB: d1Through(calls) };

/** The test's own KV, every call passed through `calls`. */
export function kvThrough(calls: Calls): KVNamespace {
  return passing(env.SESSIONS, calls, {}, "KV");
}

/** The test's own R2, every call passed through `calls`. */
export function r2Through(calls: Calls): R2Bucket {
  return passing(env.IMAGES, calls, {}, "R2");
}

/** Every store of the test and its clock, all passed through `calls`. */
export function allThrough(calls: Calls): { readonly bindings: Partial<Env>; now: () => number } {
  return {
    bindings: {
      ...databaseThrough(calls),
      SESSIONS: kvThrough(calls),
      IMAGES: r2Through(calls),
      REQUESTS: passing(env.REQUESTS, calls, {}, "REQUESTS"),
      LOGINS: passing(env.LOGINS, calls, {}, "LOGINS"),
      LOGINS_PER_USER: passing(env.LOGINS_PER_USER, calls, {}, "LOGINS_PER_USER"),
    },
    now: () => {
      const fault = calls.next("clock");
      return Date.now() + (fault?.when === "off" ? fault.ms : 0);
    },
  };
}

/** `binding`, with these members replaced and all other methods passed through `calls`. */
function passing<Binding extends object>(
  binding: Binding,
  calls: Calls,
  own: Partial<Binding>,
  store: Store = "D1",
): Binding {
  return new Proxy(binding, {
    get(target, name) {
      if (name in own) return Reflect.get(own, name);
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return async (...values: unknown[]) =>
        calls.pass(async (): Promise<unknown> => Reflect.apply(member, target, values), store);
    },
  });
}

/** A valid bookmark. */
export const A_BOOKMARK = "00000001-00000002-00000003-0123456789abcdef0123456789abcdef";

/** A session with a replica that is still empty. Writes go to the primary. */
const emptyReplica = (primary: D1DatabaseSession) => ({
  prepare: (sql: string) =>
    /^(?:select|with) /.test(sql)
      ? { bind: () => ({ all: async () => ({ results: [] }) }) }
      : primary.prepare(sql),
  batch: async (statements: D1PreparedStatement[]) => primary.batch(statements),
  getBookmark: () => A_BOOKMARK,
});

/** The test's own D1, whose replicas, which a bookmark allows to be asked, lag behind. */
export function laggingReplica(): D1Database {
  return new Proxy(env.DB, {
    get: (database, name) => {
      if (name !== "withSession") return Reflect.get(database, name);
      return (constraint: string) => {
        const primary = database.withSession("first-primary");
        return constraint === "first-primary" ? primary : emptyReplica(primary);
      };
    },
  });
}

/** A binding that fails as a bug in the service would. */
const defective = new Proxy({} as never, {
  get: () => () => {
    throw new TypeError("cannot read properties of undefined");
  },
});

/** D1 with a defect, as bindings. */
export const defectiveStore: Partial<Env> = { DB: defective };
