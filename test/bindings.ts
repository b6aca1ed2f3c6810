/** Fails a call: before it reaches the binding, or after the binding has done it. */
export interface Fault {
  readonly when: "before" | "after";
  readonly error: Error;
}

/** A fault that goes away when the call is repeated. */
export const TRANSIENT = new Error("D1_ERROR: Network connection lost.");

/** A fault that stays. */
export const PERMANENT = new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long.");

/** What a test does with the calls of a binding. */
export interface Watch {
  /** Called before each call, which waits for it, with the name of its method. The call fails if this returns a fault. */
  readonly call?: (method: string) => Fault | undefined | Promise<undefined>;
  /** Called with the result of each call. */
  readonly result?: (result: unknown) => void;
}

/** Methods that do not reach the store yet: what they return does. */
const PREPARING = new Set(["withSession", "prepare", "bind", "getByName"]);

const originals = new WeakMap<object, object>();

/** D1's `batch` takes its own statements only. */
function original(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(original);
  return typeof value === "object" && value !== null ? (originals.get(value) ?? value) : value;
}

/**
 * A binding whose calls a test counts or fails: D1 with its sessions and statements, KV, R2, a rate limiter or the
 * sandboxes.
 */
export function failing<Binding extends object>(binding: Binding, watch: Watch): Binding {
  const proxy = new Proxy(binding, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function" || typeof name !== "string") return member;
      const run = (...values: unknown[]): unknown => Reflect.apply(member, target, values.map(original));
      if (name === "getBookmark") return run;
      if (PREPARING.has(name)) {
        return (...values: unknown[]) => failing(run(...values) as object, watch);
      }
      return async (...values: unknown[]) => {
        const fault = await watch.call?.(name);
        if (fault?.when === "before") throw fault.error;
        // D1's `raw` does not tell what it cost.
        const isRaw = name === "raw" && watch.result !== undefined;
        const answer = isRaw ? (target as unknown as D1PreparedStatement).all() : run(...values);
        if (fault) {
          // What the binding answers is lost, an error too.
          await Promise.allSettled([answer]);
          throw fault.error;
        }
        const result = await answer;
        watch.result?.(result);
        return isRaw ? (result as D1Result<object>).results.map(Object.values) : result;
      };
    },
  });
  originals.set(proxy, binding);
  return proxy;
}
