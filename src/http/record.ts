import { createMiddleware } from "hono/factory";
import type { Context } from "hono";
import { Unavailable } from "../platform/failures.ts";
import type { App, Fault } from "./context.ts";
import type { FieldError } from "./errors.ts";

/** A request that was answered. Of what the client sent, this has only the method and the path. */
export interface RequestRecord {
  readonly requestId: string;
  /** Its arrival, in milliseconds since the epoch, and its duration. */
  readonly at: number;
  readonly ms: number;
  readonly method: string;
  /** Without the path of a sandbox. */
  readonly path: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly errors: readonly FieldError[] | undefined;
  readonly fault: Fault | undefined;
  readonly uncounted: Fault | undefined;
}

/** Gives each request an id, and passes its record to `note` after the answer. */
export const recordRequest = (note: (record: RequestRecord, c: Context<App>) => void) =>
  createMiddleware<App>(async (c, next) => {
    const at = Date.now();
    c.set("requestId", crypto.randomUUID());
    await next();
    await drainBody(c.req.raw);
    const route = c.get("route");
    const record: RequestRecord = {
      // The answer of a sandbox has an id of its own.
      requestId: c.res.headers.get("X-Request-Id") ?? c.get("requestId"),
      at,
      ms: Date.now() - at,
      method: c.req.method,
      path: c.req.path,
      route: route && route.basePath + route.path,
      status: c.res.status,
      errors: c.get("refused"),
      fault: c.get("fault"),
      uncounted: c.get("uncounted"),
    };
    note(record, c);
  });

/**
 * Logs a request as one line of JSON, without path, query, headers and body: any of them may contain a password, a token or
 * the name of a sandbox.
 * @param more what else to log on a developer's machine
 */
export function logRequest(record: RequestRecord, more?: Partial<RequestRecord>): void {
  const { requestId, method, route, status, ms, fault, uncounted } = record;
  const line = { requestId, method, route, status, ms, ...more, ...fault, uncounted };
  if (fault || uncounted) console.error(JSON.stringify(line));
  else console.log(JSON.stringify(line));
}

/** Describes a fault for the log. If D1, KV or R2 failed, the cause says more than the stack. */
export function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { error: typeof error, message: "", cause: undefined };
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  // The stack without the message. `npm run locate` finds its places in the source.
  const frames = error instanceof Unavailable ? null : error.stack?.match(/^ +at .+$/gm);
  return { error: error.name, message: error.message, cause, stack: frames?.join("\n") };
}

/** Reads the rest of the body. Otherwise the next request on the connection would fail. */
async function drainBody(request: Request): Promise<void> {
  // If the client has disconnected, there is no next request.
  if (!request.bodyUsed) await request.body?.pipeTo(new WritableStream()).catch(() => undefined);
}
