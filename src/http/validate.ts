import { createMiddleware } from "hono/factory";
import { tryDecodeURIComponent } from "hono/utils/url";
import * as v from "valibot";
import type { AppEnv } from "./env.ts";
import { ApiError, fieldErrors, type Refusal } from "./errors.ts";
import { stating } from "./operation.ts";

/** The refusals of a body by the member at fault, where they differ. `body` is the whole body, if it is malformed. */
export type ByMember = Readonly<Record<string, Refusal>>;

/** Validates an input. @param whole the path that is reported if the whole input is invalid */
export function valid<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  invalid: Refusal,
  whole: string,
  byMember: ByMember = {},
): v.InferOutput<Schema> {
  // One issue a field: the checks after a failed one would only repeat it.
  const result = v.safeParse(schema, input, { abortPipeEarly: true });
  if (result.success) return result.output;
  const errors = fieldErrors(result.issues, whole);
  const { path } = errors.find((error) => Object.hasOwn(byMember, error.path)) ?? { path: "" };
  throw new ApiError(byMember[path] ?? invalid, errors);
}

/** What a client sends for each parameter: text. */
type Sent<Params> = { [Name in keyof Params]: string | string[] };

/** Validates the parameters of a path. */
export function param<const Entries extends v.ObjectEntries>(entries: Entries, invalid: Refusal) {
  const schema = v.object(entries);
  type Params = { in: { param: Record<keyof Entries, string> }; out: { param: v.InferOutput<typeof schema> } };
  return stating(
    { parameters: { in: "path", entries }, refusals: [invalid] },
    createMiddleware<AppEnv, string, Params>(async (c, next) => {
      c.req.addValidatedData("param", valid(schema, c.req.param(), invalid, "path"));
      await next();
    }),
  );
}

/** Validates the parameters of a query. Each has all its values, because it may be repeated. */
export function query<const Entries extends v.ObjectEntries>(entries: Entries, invalid: Refusal) {
  const schema = v.object(entries, "is required");
  type Query = {
    in: { query: Sent<v.InferInput<typeof schema>> };
    out: { query: v.InferOutput<typeof schema> };
  };
  return stating(
    { parameters: { in: "query", entries }, refusals: [invalid] },
    createMiddleware<AppEnv, string, Query>(async (c, next) => {
      c.req.addValidatedData("query", valid(schema, byName(c.req.url), invalid, "query"));
      await next();
    }),
  );
}

/**
 * Returns the values of each query parameter. `status[]` and `status[0]` mean `status`: axios sends lists this way.
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
