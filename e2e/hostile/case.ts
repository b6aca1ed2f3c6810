import type { Wire } from "./wire.ts";

/** A hostile request and its expected result. */
export interface HostileCase {
  /** A sentence: what the client does. */
  readonly name: string;
  readonly wire: Wire;
  /**
   * Who answers: the service, by docs/interface.md; or the local runtime (workerd, and what wrangler puts in front of
   * the Worker), before the service sees the request.
   */
  readonly by: "service" | "runtime";
  /** The exact status; "none" where the client takes away the possibility of an answer. */
  readonly status: number | "none";
  /** A path that the body's `errors` must name. */
  readonly path?: string;
  /** Text that the body must hold. */
  readonly shows?: string;
  /** Text that the body must not hold. */
  readonly hides?: string;
  /** Statuses of the requests that were sent behind the first without waiting for its answer. */
  readonly pipelined?: readonly number[];
  /** The server ends the connection after the answer. */
  readonly closes?: true;
  /** How the client leaves when all is sent: it ends its side, or resets the connection. */
  readonly leaves?: "ends" | "resets";
  /** Connections that do this at the same time; default: 1. */
  readonly connections?: number;
  /** A look-up afterwards, and its status. */
  readonly afterwards?: { readonly target: string; readonly status: number };
}

type Details = Omit<HostileCase, "name" | "wire" | "by" | "status" | "path">;

/** A request that the service refuses, and the field at fault if one is named. Nothing may be stored. */
export function refused(
  name: string,
  wire: Wire,
  status: number,
  path?: string,
  details: Details = {},
): HostileCase {
  return { name, wire, by: "service", status, ...(path !== undefined && { path }), ...details };
}

/** A request that looks hostile, but is valid by docs/interface.md. */
export function served(
  name: string,
  wire: Wire,
  { status = 200, ...details }: Details & { readonly status?: number } = {},
): HostileCase {
  return { name, wire, by: "service", status, ...details };
}

/** A client that resets its connection, and so gets no answer. Nothing may be stored of what it sent. */
export function gone(name: string, wire: Wire, details: Details = {}): HostileCase {
  return { name, wire, by: "service", status: "none", leaves: "resets", ...details };
}

/** A request with which the local runtime deals alone, with what it was seen to answer. */
export function byRuntime(
  name: string,
  wire: Wire,
  status: HostileCase["status"],
  details: Details = {},
): HostileCase {
  return { name, wire, by: "runtime", status, ...details };
}
