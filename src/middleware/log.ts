import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { errorChain } from "../db/errors.ts";
import type { AppEnv } from "../http/env.ts";
import { ApiError } from "../http/errors.ts";
import { findOperationId } from "../http/operation.ts";

/** What to do about a database without tables. */
const NO_TABLES = "Run npx wrangler d1 migrations apply DB --local, or with --remote for a deployment";

/** Describes an error's root cause: Drizzle's own messages contain the bound parameters, which may be passwords. */
function describeError(error: unknown): { error: string; hint?: string; stack?: string | undefined } | undefined {
  if (error === undefined) return undefined;
  let root = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  if (!(root instanceof Error)) return { error: typeof root };
  const isEmpty = root.message.includes("no such table");
  return { error: `${root.name}: ${root.message}`, ...(isEmpty && { hint: NO_TABLES }), stack: root.stack };
}

/**
 * Logs a request as JSON, without its path, query, headers, and body, because any of these may contain a password, a token,
 * or the name of a sandbox.
 * @param error the error, if the service failed
 */
export function logLine(c: Context<AppEnv>, response: Response, began: number, error?: unknown): void {
  const limiterError = c.get("limiterError");
  const line = JSON.stringify({
    requestId: response.headers.get("X-Request-Id"),
    method: c.req.method,
    route: routePath(c),
    operationId: findOperationId(c),
    status: response.status,
    ms: Date.now() - began,
    ...describeError(error),
    limiterError: describeError(limiterError)?.error,
  });
  if (error === undefined && limiterError === undefined) console.log(line);
  else console.error(line);
}

/** Sends the request ID, and logs the request. */
export const log = createMiddleware<AppEnv>(async (c, next) => {
  const began = Date.now();
  await next();
  c.res.headers.set("X-Request-Id", c.get("requestId"));
  // An `ApiError` is not a server error, whatever its status: a full sandbox returns 507.
  const isServerError = c.res.status >= 500 && !errorChain(c.error).some((each) => each instanceof ApiError);
  logLine(c, c.res, began, isServerError ? c.error : undefined);
});

/** Logs an error outside a request, with its stack, which the runtime would leave out. */
export const logError = (error: unknown): void => console.error(JSON.stringify(describeError(error)));

/** Logs an error outside a request, and throws it. */
export function rethrow(error: unknown): never {
  logError(error);
  throw error;
}

/** Finishes work after the response, and logs its errors, which `waitUntil` would ignore. */
export function runAfterResponse(c: Context, work: Promise<unknown>): void {
  c.executionCtx.waitUntil(work.catch(logError));
}
