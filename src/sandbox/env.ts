import type { Bindings, Variables } from "../http/env.ts";
import type { LoggedRequest } from "./log-request.ts";
import type { SandboxObject } from "./object.ts";
import type { Rule } from "./rules.ts";

/** The environment of a sandbox's app: the Worker's, and more. */
export interface SandboxEnv {
  Bindings: Bindings & { readonly SANDBOX: SandboxObject };
  Variables: Variables & {
    sandbox: SandboxObject;
    /** Aborted when the sandbox that received the request is deleted. */
    signal: AbortSignal;
    /** The rule that changed the response. */
    rule?: Rule;
    /** The body of the response, or as much of it as is sent, if it is sent in parts. */
    sentBody?: Uint8Array;
    /** The entry for the request log, until the response has all its headers. */
    logged?: LoggedRequest;
  };
}
