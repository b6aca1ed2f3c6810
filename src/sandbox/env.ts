import type { Bindings, Variables } from "../http/env.ts";
import type { Sandbox } from "./object.ts";
import type { Rule } from "./rules.ts";

/** What the app in the object of a sandbox has besides the Worker's. */
export interface SandboxEnv {
  Bindings: Bindings & { readonly SANDBOX: Sandbox };
  Variables: Variables & {
    sandbox: Sandbox;
    /** Aborted when the sandbox that the request came to is deleted. */
    signal: AbortSignal;
    /** The rule that made the answer wrong. */
    rule?: Rule;
  };
}
