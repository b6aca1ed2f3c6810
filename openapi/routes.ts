// What the routes of an interface state: the source of the documents.
import type { Hono } from "hono";
import type { GenericSchema } from "valibot";
import type { AppEnv } from "../src/http/env.ts";
import type { Refusal } from "../src/http/errors.ts";
import { UNAUTHENTICATED } from "../src/http/access.ts";
import { refusalsOf, statementOf, templateOf, type Statement } from "../src/http/operation.ts";

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly isRequired: boolean;
  readonly schema: GenericSchema;
}

export interface Route {
  readonly operationId: string;
  /** In lower case. */
  readonly method: string;
  /** As in the documents: `/pet/{petId}`. */
  readonly path: string;
  /** Whether it needs a credential where access is protected. */
  readonly isProtected: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Statement["body"];
  /** In the order in which they are thrown. */
  readonly refusals: readonly Refusal[];
}

/** The routes of an interface by their `operationId`. Hono has an entry for each handler of a route. */
export function routesOf({ routes }: Pick<Hono<AppEnv>, "routes">): ReadonlyMap<string, Route> {
  const byId = new Map<string, Route>();
  for (const handlers of Map.groupBy(routes, ({ method, path }) => `${method} ${path}`).values()) {
    const statements = handlers.map(({ handler }) => statementOf(handler));
    const operationId = statements.map((each) => each.operationId).find(Boolean);
    const [first] = handlers;
    if (!operationId || !first) continue;
    const refusals = refusalsOf(statements);
    byId.set(operationId, {
      operationId,
      method: first.method.toLowerCase(),
      path: templateOf(first.path),
      isProtected: refusals.includes(UNAUTHENTICATED),
      parameters: statements.flatMap(parametersOf),
      body: statements.map((each) => each.body).find(Boolean),
      refusals,
    });
  }
  return byId;
}

const parametersOf = ({ parameters }: Statement): Parameter[] =>
  Object.entries(parameters?.entries ?? {}).map(([name, schema]) => {
    const isOptional = schema.type === "optional" && "wrapped" in schema;
    return {
      name,
      in: parameters?.in ?? "query",
      isRequired: !isOptional,
      schema: isOptional ? schema.wrapped : schema,
    };
  });
