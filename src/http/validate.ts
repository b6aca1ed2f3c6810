import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import * as v from "valibot";
import type { AppEnv } from "./env.ts";
import { ApiError, toFieldErrors, type ErrorSpec } from "./errors.ts";
import { withMetadata } from "./operation.ts";

/** The errors of fields that differ from the error of the body. `body` stands for a malformed body. */
export type ErrorsByField = Readonly<Record<string, ErrorSpec>>;

/**
 * Validates an input.
 * @param whole the path that is reported if the whole input is invalid
 * @throws ApiError `invalid`, or the first error of `byField` whose field is invalid
 */
export function parseOrThrow<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  invalid: ErrorSpec,
  whole: string,
  byField: ErrorsByField = {},
): v.InferOutput<Schema> {
  // One issue per field: the checks after a failed check would only repeat it.
  const result = v.safeParse(schema, input, { abortPipeEarly: true });
  if (result.success) return result.output;
  const errors = toFieldErrors(result.issues, whole);
  const { path } = errors.find((error) => Object.hasOwn(byField, error.path)) ?? { path: "" };
  throw new ApiError(byField[path] ?? invalid, errors);
}

/** The type of each parameter as a client sends it: text. */
type Sent<Params> = { [Name in keyof Params]: string | string[] };

/** Validates the parameters of a path. */
export function param<const Entries extends v.ObjectEntries>(entries: Entries, invalid: ErrorSpec) {
  const schema = v.object(entries);
  type Params = { in: { param: Record<keyof Entries, string> }; out: { param: v.InferOutput<typeof schema> } };
  return withMetadata(
    { parameters: { in: "path", entries }, errors: [invalid] },
    createMiddleware<AppEnv, string, Params>(async (c, next) => {
      c.req.addValidatedData("param", parseOrThrow(schema, getParams(c), invalid, "path"));
      await next();
    }),
  );
}

/** Text that no schema accepts, because it is not well-formed Unicode. */
const ILL_FORMED = "\ud800";

/** Returns the parameters of a path. Hono returns the text of percent-escapes that are not UTF-8. */
function getParams(c: Context): Record<string, string> {
  const params: Record<string, string> = c.req.param();
  if (!c.req.url.includes("%")) return params;
  const names = routePath(c).split("/");
  const sent = new URL(c.req.url).pathname.split("/");
  const isUtf8 = (name: string) => hasUtf8Escapes(sent[names.indexOf(`:${name}`)] ?? "");
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, isUtf8(name) ? value : ILL_FORMED]));
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
      c.req.addValidatedData("query", parseOrThrow(schema, groupValues(c, entries), invalid, "query"));
      await next();
    }),
  );
}

/**
 * Groups the values of known parameters by name. `status[]` and `status[0]` count as `status`: axios sends lists this way. Any
 * other brackets, as in `status[a]`, name no list, so the parameter has no value. Hono's `queries()` returns the text of
 * percent-escapes that are not UTF-8, and takes quadratic time for parameters without `=`.
 */
function groupValues(c: Context, known: v.ObjectEntries): Record<string, string[]> {
  const { search, searchParams } = new URL(c.req.url);
  const sent = search.slice(1).split("&").filter(Boolean);
  const values: Record<string, string[]> = {};
  for (const [index, [name, value]] of [...searchParams].entries()) {
    const [, base = name, brackets = ""] = /^([^[]*)(\[.*)$/s.exec(name) ?? [];
    if (!Object.hasOwn(known, base)) continue;
    const list = (values[base] ??= []);
    if (/^(?:\[\d*\])?$/.test(brackets)) list.push(hasUtf8Escapes(sent[index] ?? "") ? value : ILL_FORMED);
  }
  return values;
}

/** Whether the percent-escapes of a query or a form are UTF-8. A `%` without two digits is literal text. */
export function hasUtf8Escapes(text: string): boolean {
  try {
    decodeURIComponent(text.replaceAll(/%(?![\da-f]{2})/gi, "%25"));
    return true;
  } catch {
    return false;
  }
}
