import { createMiddleware } from "hono/factory";
import type { App, Fault } from "../context.ts";

/**
 * Gives each request an id and logs it after the answer: one line of JSON. Of what the client sent, the line has only
 * the method. It has no path, query, header or body, because any of them may have a password or a token. A store of
 * one's own also gets the path, for its owner.
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

/** What the log says about a fault. */
export function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { error: typeof error, message: "", cause: undefined };
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  return { error: error.name, message: error.message, cause };
}

/** Reads the rest of the body. Otherwise the client's next request on the connection would fail. */
async function drainBody(request: Request): Promise<void> {
  // If the client has disconnected, there is no next request.
  if (!request.bodyUsed) await request.body?.pipeTo(new WritableStream()).catch(() => undefined);
}
