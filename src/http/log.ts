import { Unavailable } from "../platform/failures.ts";
import type { Exchange, LoggedFault } from "./exchange.ts";

/**
 * Logs a request as one line of JSON, without path, query, headers and body: any of them may contain a password, a token or
 * the name of a sandbox.
 * @param more what else to log on a developer's machine
 */
export function logExchange(
  { requestId, at, request, route, fault, uncounted }: Exchange,
  { headers, status }: Response,
  more?: object,
): void {
  const line = {
    // A forwarded answer has the id that the object gave it.
    requestId: headers.get("X-Request-Id") ?? requestId,
    method: request.method,
    route: route && route.prefix + route.path,
    status,
    ms: Date.now() - at,
    ...more,
    ...fault,
    uncounted,
  };
  if (fault || uncounted) console.error(JSON.stringify(line));
  else console.log(JSON.stringify(line));
}

/** Logs a fault after the line of its request. */
export function logFault(
  { requestId, request: { method }, route }: Exchange,
  fault: unknown,
): void {
  const line = { requestId, method, route: route && route.prefix + route.path };
  console.error(JSON.stringify({ ...line, ...faultOf(fault) }));
}

/** Describes a fault for the log. If D1, KV or R2 failed, the cause says more than the stack. */
export function faultOf(error: unknown): LoggedFault {
  if (!(error instanceof Error)) return { error: typeof error, message: "", cause: undefined };
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  // The stack without the message. `npm run operate -- locate` finds its places in the source.
  const frames = error instanceof Unavailable ? null : error.stack?.match(/^ +at .+$/gm);
  return { error: error.name, message: error.message, cause, stack: frames?.join("\n") };
}
