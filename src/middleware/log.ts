import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import type { AppEnv } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { causesOf } from "../db/retry.ts";
import { operationOf } from "../http/operation.ts";

/** The name and message of what caused an error. Drizzle's own messages have the parameters, which may be passwords. */
function faultOf(error: unknown): { error: string; stack?: string | undefined } | undefined {
  if (error === undefined) return undefined;
  let root = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  if (!(root instanceof Error)) return { error: typeof root };
  return { error: `${root.name}: ${root.message}`, stack: root.stack };
}

/**
 * Writes the line of a request: JSON without its path, query, headers and body, because any of them may have a password, a
 * token or the name of a sandbox.
 * @param fault what made the answer an error
 */
export function logLine(c: Context<AppEnv>, answer: Response, began: number, fault?: unknown): void {
  const limiterFault = c.get("limiterFault");
  const line = JSON.stringify({
    requestId: answer.headers.get("X-Request-Id"),
    method: c.req.method,
    route: routePath(c),
    operationId: operationOf(c),
    status: answer.status,
    ms: Date.now() - began,
    ...faultOf(fault),
    limiterError: faultOf(limiterFault)?.error,
  });
  if (fault === undefined && limiterFault === undefined) console.log(line);
  else console.error(line);
}

/** Sends the id of the request, and logs it. */
export const log = createMiddleware<AppEnv>(async (c, next) => {
  const began = Date.now();
  await next();
  c.res.headers.set("X-Request-Id", c.get("requestId"));
  // A refusal is no fault of the service, whatever its status: a sandbox may be full.
  const isFault = c.res.status >= 500 && !causesOf(c.error).some((each) => each instanceof ApiError);
  logLine(c, c.res, began, isFault ? c.error : undefined);
});

/** Does something after the answer, and logs if it fails: a fault in `waitUntil` would be silent. */
export function later(c: Context, work: Promise<unknown>): void {
  c.executionCtx.waitUntil(work.catch((error: unknown) => console.error(JSON.stringify(faultOf(error)))));
}
