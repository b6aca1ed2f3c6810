// The routes of an API and their metadata: the source of the documents.
import type { Hono } from "hono";
import type { GenericSchema } from "valibot";
import { UNAUTHENTICATED } from "../src/http/access.ts";
import type { AppEnv } from "../src/http/env.ts";
import type { ErrorSpec } from "../src/http/errors.ts";
import { collectOperations, toAllow, type Operation, type RouteMetadata } from "../src/http/operation.ts";

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly isRequired: boolean;
  readonly schema: GenericSchema;
}

/** An operation as the documents describe it. Its method is in lower case. */
export interface Route extends Operation {
  /** Whether it requires a credential where access is protected. */
  readonly isProtected: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: RouteMetadata["body"];
  /** In the order of the checks. */
  readonly errors: readonly ErrorSpec[];
  /** The value of `Allow` for its path. */
  readonly allow: string;
}

/** Returns the routes of an API by `operationId`. */
export function routesOf({ routes }: Pick<Hono<AppEnv>, "routes">): ReadonlyMap<string, Route> {
  const operations = collectOperations(routes);
  return new Map(
    operations.map((operation) => {
      const { operationId, method, path, metadata } = operation;
      const errors = metadata.flatMap((each) => each.errors ?? []);
      const isProtected = errors.includes(UNAUTHENTICATED);
      const parameters = metadata.flatMap(parametersOf);
      const body = metadata.map((each) => each.body).find(Boolean);
      const allow = toAllow(operations.filter((each) => each.path === path).map((each) => each.method));
      return [
        operationId,
        { ...operation, method: method.toLowerCase(), isProtected, parameters, body, errors, allow },
      ];
    }),
  );
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
