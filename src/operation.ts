import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";

/** A middleware that only names its route, for the log, the documents and the rules of a sandbox. */
export interface Operation extends MiddlewareHandler {
  readonly operationId: string;
}

/** Names a route by the `operationId` that it has in the documents. */
export function operation(operationId: string): Operation {
  return Object.assign(async (_: Context, next: () => Promise<void>) => next(), { operationId });
}

/** The `operationId` of a route's handler. */
export function operationIdOf(handler: object): string | undefined {
  return "operationId" in handler ? String(handler.operationId) : undefined;
}

/** The operation that a request is for, also before its route runs. `undefined` if there is none. */
export function operationOf(c: Context): string | undefined {
  return matchedRoutes(c)
    .map(({ handler }) => operationIdOf(handler))
    .find(Boolean);
}
