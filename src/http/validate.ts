import { createMiddleware } from "hono/factory";
import { tryDecodeURIComponent } from "hono/utils/url";
import * as v from "valibot";
import type { AppEnv } from "./env.ts";
import { ApiError, fieldErrorsOf, type ErrorSpec } from "./errors.ts";
import { withMetadata } from "./operation.ts";

/** The errors of fields that differ from the error of the body. `body` stands for a malformed body. */
export type ErrorsByField = Readonly<Record<string, ErrorSpec>>;

/**
 * Validates an input.
 * @param whole the path that is reported if the whole input is invalid
 * @throws ApiError `invalid`, or the first error of `byField` whose field is invalid
 */
export function valid<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  invalid: ErrorSpec,
  whole: string,
  byField: ErrorsByField = {},
): v.InferOutput<Schema> {
  // One issue per field: the checks after a failed check would only repeat it.
  const result = v.safeParse(schema, input, { abortPipeEarly: true });
  if (result.success) return result.output;
  const errors = fieldErrorsOf(result.issues, whole);
  const { path } = errors.find((error) => Object.hasOwn(byField, error.path)) ?? { path: "" };
  throw new ApiError(byField[path] ?? invalid, errors);
}

/** What a client sends for each parameter: text. */
type Sent<Params> = { [Name in keyof Params]: string | string[] };

/** Validates the parameters of a path. */
export function param<const Entries extends v.ObjectEntries>(entries: Entries, invalid: ErrorSpec) {
  const schema = v.object(entries);
  type Params = { in: { param: Record<keyof Entries, string> }; out: { param: v.InferOutput<typeof schema> } };
  return withMetadata(
    { parameters: { in: "path", entries }, errors: [invalid] },
    createMiddleware<AppEnv, string, Params>(async (c, next) => {
      c.req.addValidatedData("param", valid(schema, c.req.param(), invalid, "path"));
      await next();
    }),
  );
}

/** Validates the parameters of a query. Schemas get an array of values, because a parameter may be repeated. */
export function query<const Entries extends v.ObjectEntries>(entries: Entries, invalid: ErrorSpec) {
  const schema = v.object(entries, "is required");
  type Query = {
    in: { query: Sent<v.InferInput<typeof schema>> };
    out: { query: v.InferOutput<typeof schema> };
  };
  return withMetadata(
    { parameters: { in: "query", entries }, errors: [invalid] },
    createMiddleware<AppEnv, string, Query>(async (c, next) => {
      c.req.addValidatedData("query", valid(schema, byName(c.req.url), invalid, "query"));
      await next();
    }),
  );
}

/**
 * Groups the values of a query by parameter. `status[]` and `status[0]` count as `status`: axios sends lists this way.
 * Hono's `queries()` takes quadratic time for parameters without `=`.
 */
function byName(url: string): Record<string, string[]> {
  const values: Record<string, string[]> = Object.create(null);
  const { search } = new URL(url);
  for (const parameter of search.slice(1).split("&").filter(Boolean)) {
    const end = `${parameter}=`.indexOf("=");
    const [name, value] = [parameter.slice(0, end), parameter.slice(end + 1)].map((text) =>
      tryDecodeURIComponent(text.replaceAll("+", " ")),
    );
    if (name) (values[name.replace(/\[\d*\]$/, "")] ??= []).push(value ?? "");
  }
  return values;
}
