import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import * as v from "valibot";
import { SingleValue, strictObject } from "../../http/schemas.ts";
import { parseOrThrow } from "../../http/validate.ts";
import type { SandboxEnv } from "../env.ts";
import type { Operations } from "../rules/operations.ts";
import type { LogEntry } from "./entry.ts";
import type { Filter } from "./request-log.ts";

const parameter = (pattern: RegExp, message: string) => v.pipe(SingleValue, v.regex(pattern, message));

const number = (pattern: RegExp, message: string) => v.pipe(parameter(pattern, message), v.transform(Number));

const querySchema = ({ ids }: Operations) =>
  strictObject(
    {
      operationId: v.optional(v.pipe(SingleValue, v.picklist(ids, "is not an operation"))),
      status: v.optional(parameter(/^[1-5](?:\d\d|xx)$/, "must be a status such as 503, or 5xx")),
      after: v.optional(number(/^\d{1,15}$/, "must be the ID of a request"), ["0"]),
      limit: v.optional(number(/^[1-9]\d{0,8}$/, "must be an integer from 1")),
      wait: v.optional(number(/^(?:[12]?\d|30)$/, "must be an integer from 0 to 30"), ["0"]),
    },
    "is not a parameter",
  );

type Query = v.InferOutput<ReturnType<typeof querySchema>>;

/** Validates the query of the request log. An unknown parameter would make a test for "nothing was sent" pass. */
export const validateLogQuery = (operations: Operations) => {
  const schema = querySchema(operations);
  return createMiddleware<SandboxEnv, string, { out: { query: Query } }>(async (c, next) => {
    // Not `queries()`, which loses names such as `constructor`.
    const values = Map.groupBy(new URL(c.req.url).searchParams, ([name]) => name);
    const input = Object.fromEntries(Array.from(values, ([name, pairs]) => [name, pairs.map(([, value]) => value)]));
    c.req.addValidatedData("query", parseOrThrow(schema, input, [400, "Invalid query"], "query"));
    await next();
  });
};

const toFilter =
  ({ operationId, status = "", after }: Query): Filter =>
  (entry) =>
    entry.id > after &&
    (operationId ?? entry.operationId) === entry.operationId &&
    String(entry.status).startsWith(status.replace("xx", ""));

/** Returns the logged requests that match a query. If there are none, waits for the first one. */
export async function findRequests(c: Context<SandboxEnv>, query: Query): Promise<LogEntry[]> {
  const { requests } = c.get("sandbox");
  const filter = toFilter(query);
  const found = requests.list(filter);
  if (found.length > 0 || query.wait === 0) return found.slice(0, query.limit);
  const client = c.req.raw.signal;
  try {
    await requests.waitFor(filter, query.wait * 1000, AbortSignal.any([c.get("signal"), client]));
  } catch (error) {
    // The client hung up.
    if (client.aborted) return [];
    throw error;
  }
  return requests.list(filter).slice(0, query.limit);
}
