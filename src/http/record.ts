import { createMiddleware } from "hono/factory";
import type { App, Fault } from "../context.ts";

/**
 * Names each request and, once it is answered, logs it: one line of JSON. Nothing that a client sent is in it
 * but the method: no path, query, header or body, since any may hold a password or a token.
 * @param now the clock, in milliseconds since the epoch
 */
export const recordRequest = (now: () => number) =>
  createMiddleware<App>(async (c, next) => {
    const began = now();
    const requestId = crypto.randomUUID();
    c.set("requestId", requestId);
    await next();
    await drainBody(c.req.raw);
    const fault = c.get("fault");
    const uncounted = c.get("uncounted");
    const line = JSON.stringify({
      requestId,
      method: c.req.method,
      route: c.get("route")?.path,
      status: c.res.status,
      ms: now() - began,
      ...fault,
      uncounted,
    });
    if (fault || uncounted) console.error(line);
    else console.log(line);
  });

/** What the log says of a fault. */
export function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { error: typeof error, message: "", cause: undefined };
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  return { error: error.name, message: error.message, cause };
}

/** Reads what nobody read of the body: else the client's next request on the connection would fail. */
async function drainBody({ body, bodyUsed }: Request): Promise<void> {
  // Where the client has gone there is no next request.
  if (body && !bodyUsed) await body.pipeTo(new WritableStream()).catch(() => undefined);
}
