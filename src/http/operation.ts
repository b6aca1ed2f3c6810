import type { Context, MiddlewareHandler, Next } from "hono";
import { matchedRoutes } from "hono/route";
import type { GenericSchema, ObjectEntries } from "valibot";
import type { Refusal } from "./errors.ts";

/** What a middleware demands of a request. The log, the documents and the rules of a sandbox read it. */
export interface Statement {
  /** The name of the route in the documents. */
  readonly operationId?: string;
  readonly parameters?: { readonly in: "path" | "query"; readonly entries: ObjectEntries };
  /** A file has no schema. */
  readonly body?: { readonly mediaTypes: readonly string[]; readonly schema?: GenericSchema };
  /** The errors it answers with, in the order in which it checks. */
  readonly refusals?: readonly Refusal[];
}

/** Adds a statement to a middleware, whose type stays as it is. */
export const stating = <Middleware extends MiddlewareHandler>(statement: Statement, middleware: Middleware) =>
  Object.assign(middleware, { statement });

/**
 * A middleware that does nothing but name its route.
 * @param operationId the name that the route has in the documents
 * @param refusals those that its handler throws
 */
export const operation = (operationId: string, ...refusals: readonly Refusal[]) =>
  stating({ operationId, refusals }, async (_: Context, next: Next) => next());

/** A path of a route as the documents write it: `/pet/{petId}`. */
export const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, "{$1}").replace(/\/$/, "");

/** Whether a request only reads. */
export const isRead = ({ method }: { readonly method: string }): boolean => method === "GET" || method === "HEAD";

/** What a handler of a route states. */
export const statementOf = (handler: object): Statement =>
  "statement" in handler ? (handler.statement as Statement) : {};

/** The first handler of the route that a request is for, also before it runs. */
const operationFor = (c: Context) => matchedRoutes(c).find(({ handler }) => statementOf(handler).operationId);

/** The operation that a request is for. `undefined` if there is none. */
export const operationOf = (c: Context): string | undefined => statementOf(operationFor(c)?.handler ?? {}).operationId;

/** What the route of a request states. Empty if the request is for no operation. */
export function statementsFor(c: Context): readonly Statement[] {
  const own = operationFor(c);
  return matchedRoutes(c)
    .filter(({ method, path }) => method === own?.method && path === own.path)
    .map(({ handler }) => statementOf(handler));
}

/** The refusals of a route in the order in which it throws them: those of its handler, which `operation` has, come last. */
export const refusalsOf = (statements: readonly Statement[]): readonly Refusal[] =>
  statements
    .toSorted((one, other) => Number("operationId" in one) - Number("operationId" in other))
    .flatMap(({ refusals = [] }) => refusals);
