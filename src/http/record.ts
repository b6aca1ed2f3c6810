import { createMiddleware } from "hono/factory";
import type { App, Fault } from "../context.ts";

/**
 * Names each request and, once it is answered, logs it: one line of JSON. Nothing that a client sent is in it
 * but the method: no path, query, header or body, since any may hold a password or a token. A store of one's own is
 * told the path as well, for its owner.
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
    const { method } = c.req;
    const { status } = c.res;
    const ms = now() - began;
    const errors = c.get("refused");
    c.get("observe")?.({
      at: began,
      method,
      path: c.req.path,
      status,
      ms,
      ...(errors && { errors }),
      ...(c.get("isOnDemand") && { isOnDemand: true }),
    });
    const line = JSON.stringify({
      requestId,
      method,
      route: c.get("route")?.path,
      status,
      ms,
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
async function drainBody(request: Request): Promise<void> {
  // Where the client has gone there is no next request.
  if (!request.bodyUsed) await request.body?.pipeTo(new WritableStream()).catch(() => undefined);
}
