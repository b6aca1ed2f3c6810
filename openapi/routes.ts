// The routes of an API and their metadata: the source of the documents.
import type { Hono } from "hono";
import type { GenericSchema } from "valibot";
import { UNAUTHENTICATED } from "../src/http/access.ts";
import type { AppEnv } from "../src/http/env.ts";
import type { ErrorSpec } from "../src/http/errors.ts";
import { metadataOf, templateOf, type RouteMetadata } from "../src/http/operation.ts";

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
  /** Whether it requires a credential where access is protected. */
  readonly isProtected: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: RouteMetadata["body"];
  /** In the order of the checks. */
  readonly errors: readonly ErrorSpec[];
}

/** Returns the routes of an API by `operationId`. Hono lists each handler of a route separately. */
export function routesOf({ routes }: Pick<Hono<AppEnv>, "routes">): ReadonlyMap<string, Route> {
  const byId = new Map<string, Route>();
  for (const handlers of Map.groupBy(routes, ({ method, path }) => `${method} ${path}`).values()) {
    const metadata = handlers.map(({ handler }) => metadataOf(handler));
    const operationId = metadata.map((each) => each.operationId).find(Boolean);
    const [first] = handlers;
    if (!operationId || !first) continue;
    const errors = metadata.flatMap((each) => each.errors ?? []);
    byId.set(operationId, {
      operationId,
      method: first.method.toLowerCase(),
      path: templateOf(first.path),
      isProtected: errors.includes(UNAUTHENTICATED),
      parameters: metadata.flatMap(parametersOf),
      body: metadata.map((each) => each.body).find(Boolean),
      errors,
    });
  }
  return byId;
}

const parametersOf = ({ parameters }: RouteMetadata): Parameter[] =>
  Object.entries(parameters?.entries ?? {}).map(([name, schema]) => {
    const isOptional = schema.type === "optional" && "wrapped" in schema;
    return {
      name,
      in: parameters?.in ?? "query",
      isRequired: !isOptional,
      schema: isOptional ? schema.wrapped : schema,
    };
  });
