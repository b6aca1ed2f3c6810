import type { Bindings } from "../src/http/settings.ts";

/** Settings and bindings that replace those of wrangler.toml and .dev.vars. */
export type Overrides = { readonly [Name in keyof Bindings]?: Bindings[Name] | undefined };

/** An injected failure of a call: before it reaches the binding, or after the binding has executed it. */
export interface Fault {
  readonly when: "before" | "after";
  readonly error: Error;
}

/** An error that a retry can resolve. */
export const TRANSIENT = new Error("D1_ERROR: Network connection lost.");

/** An error that must not be retried. */
export const PERMANENT = new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long.");

/** Observes and fails the calls of a binding. */
export interface Watch {
  /** Runs before each call, with the method's name. The call waits for it, and fails if it returns a fault. */
  readonly call?: (method: string) => Fault | undefined | Promise<undefined>;
  /** Runs after each call, with its result. */
  readonly result?: (result: unknown) => void;
}

/** Methods that only return an object whose methods access the storage. */
const PREPARING = new Set(["withSession", "prepare", "bind", "getByName"]);

const originals = new WeakMap<object, object>();

/** Unwraps proxies, because D1's `batch` accepts only its own statements. */
function original(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(original);
  return typeof value === "object" && value !== null ? (originals.get(value) ?? value) : value;
}

/**
 * Wraps a binding so that a test can count or fail its calls: D1 with its sessions and statements, KV, R2, a rate limiter,
 * or the sandboxes.
 */
export function failing<Binding extends object>(binding: Binding, watch: Watch): Binding {
  const proxy = new Proxy(binding, {
    get(target, name) {
      const property: unknown = Reflect.get(target, name);
      if (typeof property !== "function" || typeof name !== "string") return property;
      const run = (...values: unknown[]): unknown => Reflect.apply(property, target, values.map(original));
      if (name === "getBookmark") return run;
      if (PREPARING.has(name)) {
        return (...values: unknown[]) => failing(run(...values) as object, watch);
      }
      return async (...values: unknown[]) => {
        const fault = await watch.call?.(name);
        if (fault?.when === "before") throw fault.error;
        // D1's `raw` does not report its cost.
        const isRaw = name === "raw" && watch.result !== undefined;
        const response = isRaw ? (target as unknown as D1PreparedStatement).all() : run(...values);
        if (fault) {
          // Drop the binding's result, even if it is an error.
          await Promise.allSettled([response]);
          throw fault.error;
        }
        const result = await response;
        watch.result?.(result);
        return isRaw ? (result as D1Result<object>).results.map(Object.values) : result;
      };
    },
  });
  originals.set(proxy, binding);
  return proxy;
}
