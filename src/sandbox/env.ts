import type { Variables } from "../http/env.ts";
import type { Bindings } from "../http/settings.ts";
import type { PendingEntry } from "./log/entry.ts";
import type { Rule } from "./rules/rules.ts";
import type { SandboxState } from "./state.ts";

/** The environment of the sandbox app, which extends that of the Worker. */
export interface SandboxEnv {
  Bindings: Bindings & {
    readonly SANDBOX: SandboxState;
    /** The bindings of the service itself, whose access may differ. */
    readonly SERVICE: Bindings;
  };
  Variables: Variables & {
    sandbox: SandboxState;
    /** Aborted when the sandbox that received the request is deleted. */
    signal: AbortSignal;
    /** The rule that changed the response. */
    rule?: Rule;
    /** The request for the log. Unset for a request that is not logged. */
    entry?: PendingEntry;
  };
}
