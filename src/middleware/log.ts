import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import type { AppEnv } from "../env.ts";
import { operationOf } from "../operation.ts";

/** The name and message of what caused an error. Drizzle's own messages have the parameters, which may be passwords. */
function faultOf(error: unknown): { error: string; stack?: string | undefined } | undefined {
  if (error === undefined) return undefined;
  let root = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  if (!(root instanceof Error)) return { error: typeof root };
  return { error: `${root.name}: ${root.message}`, stack: root.stack };
}

/**
 * Sends the id of the request, and logs it as one line of JSON, without its path, query, headers and body: any of them may
 * have a password, a token or the name of a sandbox.
 */
export const log = createMiddleware<AppEnv>(async (c, next) => {
  const began = Date.now();
  await next();
  const fault = c.get("fault") ?? (c.res.status >= 500 ? c.error : undefined);
  // The object of a sandbox has given its answer an id, and logged it.
  const logged = c.res.headers.get("X-Request-Id");
  if (logged !== null && fault === undefined) return;
  const requestId = logged ?? c.get("requestId");
  c.res.headers.set("X-Request-Id", requestId);
  const line = JSON.stringify({
    requestId,
    method: c.req.method,
    route: routePath(c),
    operationId: operationOf(c),
    status: c.res.status,
    ms: Date.now() - began,
    ...faultOf(fault),
  });
  if (fault !== undefined) console.error(line);
  else console.log(line);
});

/** Does something after the answer, and logs if it fails: a fault in `waitUntil` would be silent. */
export function later(c: Context, work: Promise<unknown>): void {
  c.executionCtx.waitUntil(work.catch((error: unknown) => console.error(JSON.stringify(faultOf(error)))));
}
