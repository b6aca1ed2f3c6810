import type { AppEnv } from "../env.ts";
import type { Sandbox } from "./object.ts";
import type { Rule } from "./rules.ts";

/** The bindings of the app in the object of a sandbox. */
export type SandboxBindings = AppEnv["Bindings"] & { readonly SANDBOX: Sandbox };

// Set only in the object. With an environment of its own, its context would not be one of the interfaces' `AppEnv`.
declare module "hono" {
  interface ContextVariableMap {
    sandbox: Sandbox;
    /** Aborted when the sandbox that the request came to is deleted. */
    signal: AbortSignal;
    /** The rule that made the answer wrong. */
    rule: Rule | undefined;
  }
}

/** 404. */
export const NO_SANDBOX = [404, "Sandbox not found"] as const;
