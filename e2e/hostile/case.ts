import type { Wire } from "./wire.ts";

/** A hostile request and its expected result. */
export interface HostileCase {
  /** A sentence: what the client does. */
  readonly name: string;
  readonly wire: Wire;
  /** `undefined` if the client leaves without an answer. */
  readonly status?: number;
  /** A path that the body's `errors` must name. */
  readonly path?: string;
  /** Text that the body must contain. */
  readonly shows?: string;
  /** Text that the body must not contain. */
  readonly hides?: string;
  /** Statuses of the requests that follow the first on its connection. */
  readonly pipelined?: readonly number[];
  /** How the client leaves when all is sent: it ends its side, or resets the connection. */
  readonly leaves?: "ends" | "resets";
  /** The number of connections that do this at the same time; default: 1. */
  readonly connections?: number;
}

type Details = Omit<HostileCase, "name" | "wire" | "status" | "path">;

/** A request that the service refuses, and the field at fault if one is named. Nothing may be stored. */
export function refused(
  name: string,
  wire: Wire,
  status: number,
  path?: string,
  details: Details = {},
): HostileCase {
  return { name, wire, status, ...(path !== undefined && { path }), ...details };
}

/** A request that looks hostile, but is valid by docs/interface.md. */
export function served(
  name: string,
  wire: Wire,
  { status = 200, ...details }: Details & { readonly status?: number } = {},
): HostileCase {
  return { name, wire, status, ...details };
}

/** A client that resets its connection. Nothing of its request may be stored. */
export function gone(name: string, wire: Wire, details: Details = {}): HostileCase {
  return { name, wire, leaves: "resets", ...details };
}
