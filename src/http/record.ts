import { createMiddleware } from "hono/factory";
import type { Context } from "hono";
import { Unavailable } from "../platform/failures.ts";
import type { App, Fault, MatchedRoute } from "./context.ts";
import type { FieldError } from "./errors.ts";

/** What is known of a request after its answer. Of what the client sent, it has only the method and the path. */
export interface RequestRecord {
  readonly requestId: string;
  /** When it came, in milliseconds since the epoch, and how long it took. */
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

/** Gives each request an id, reads its body to the end, and notes it after the answer. */
export const recordRequest = (note: (record: RequestRecord, c: Context<App>) => void) =>
  createMiddleware<App>(async (c, next) => {
    const at = Date.now();
    c.set("requestId", crypto.randomUUID());
    await next();
    await drainBody(c.req.raw);
    const record = {
      // A sandbox answers with its own.
      requestId: c.res.headers.get("X-Request-Id") ?? c.get("requestId"),
      at,
      ms: Date.now() - at,
      method: c.req.method,
      path: c.req.path,
      route: patternOf(c.get("route")),
      status: c.res.status,
      errors: c.get("refused"),
      fault: c.get("fault"),
      uncounted: c.get("uncounted"),
    };
    note(record, c);
  });

const patternOf = (route: MatchedRoute | undefined) => route && route.basePath + route.path;

/**
 * Logs a request: one line of JSON. It has no path, query, header or body, because any of them may have a password, a
 * token or the name of a sandbox.
 * @param more what it has besides on a developer's machine
 */
export function logRequest(record: RequestRecord, more?: Partial<RequestRecord>): void {
  const { requestId, method, route, status, ms, fault, uncounted } = record;
  const line = { requestId, method, route, status, ms, ...more, ...fault, uncounted };
  if (fault || uncounted) console.error(JSON.stringify(line));
  else console.log(JSON.stringify(line));
}

/** What the log says about a fault. Where D1, KV or R2 failed, the cause tells more than the place. */
export function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { error: typeof error, message: "", cause: undefined };
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  const stack = error instanceof Unavailable ? undefined : framesOf(error);
  return { error: error.name, message: error.message, cause, stack };
}

/** The stack without the message. `npm run locate` finds the places in the source. */
const framesOf = ({ stack }: Error) => stack?.match(/^ +at .+$/gm)?.join("\n");

/** Reads the rest of the body. Otherwise the client's next request on the connection would fail. */
async function drainBody(request: Request): Promise<void> {
  // If the client has disconnected, there is no next request.
  if (!request.bodyUsed) await request.body?.pipeTo(new WritableStream()).catch(() => undefined);
}
