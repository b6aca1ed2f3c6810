import type { Context } from "hono";
import * as v from "valibot";
import { basePathOf } from "./base-path.ts";
import type { App } from "./context.ts";
import { UNCONDITIONAL } from "../db/versions.ts";
import { readBody } from "./body.ts";
import { ApiError, fieldErrors } from "./errors.ts";
import type { ErrorDetails } from "./errors.ts";
import { entityTag, readPreconditions, statusOfRead } from "./preconditions.ts";
import { Failure } from "./handler.ts";
import type { Call, Endpoint, Handler, Replay } from "./handler.ts";
import { doOnce } from "./idempotency.ts";
import type { Operation, Schema, StatedBody } from "./operation.ts";
import { respond } from "./respond.ts";
import { JsonText } from "./json-text.ts";
import { MAX_PARAMETERS, parseQuery } from "./urlencoded.ts";

/** The check of a field stops at the first rule that it breaks. */
const ONE_FAULT_A_FIELD = { abortPipeEarly: true };

const AS_LINE = { "Content-Type": "text/plain; charset=utf-8" };

/** The third argument of `implement`: required if and only if the operation is idempotent. */
type ReplayOf<Op extends Operation> = Op extends { readonly idempotent: true }
  ? [replay: Replay<Op>]
  : [replay?: undefined];

/**
 * Joins an operation and its handler: parse, handle, respond.
 * @typeParam Here what the handler needs besides the services
 * @param replay makes the answer again if the request was done before with its idempotency key
 * @returns the endpoint, and the handler for another operation with the same inputs and result
 * @example
 * export const getPetById = implement(contract.getPetById, async ({ params, db }) => {
 *   const stored = await queries.findPet(db, params.petId);
 *   return stored ? success(stored) : fail(404);
 * });
 */
export const implementFor =
  <Here>() =>
  <const Op extends Operation, Handles extends Handler<Op, Here>>(
    operation: Op,
    handler: Handles,
    ...[replay]: ReplayOf<NoInfer<Op>>
  ): Endpoint<Here> & { readonly handler: Handles } => {
    const declared: Operation["errors"] = operation.errors;
    const refuse = (status: number, details: ErrorDetails) =>
      new ApiError(status, declared[status] ?? "", details);

    const parseBody = async (request: Request, stated: StatedBody) => {
      const { schema, invalid, malformed = invalid, first } = stated;
      const body = await readBody(request, stated);
      if ("malformed" in body) {
        throw refuse(malformed, { errors: [{ path: "body", message: body.malformed }] });
      }
      const parsed = v.safeParse(schema, body.value, ONE_FAULT_A_FIELD);
      if (parsed.success) return parsed.output;
      const found = fieldErrors(parsed.issues, "body");
      // It has another type at the top.
      if (parsed.issues.some(({ kind, path }) => kind === "schema" && !path)) {
        throw refuse(malformed, { errors: found });
      }
      const leading = found.filter(({ path }) => path === first?.member);
      throw first && leading.length > 0
        ? refuse(first.invalid, { errors: leading })
        : refuse(invalid, { errors: found });
    };

    const parseParameters = (
      schema: Schema<object>,
      values: object | undefined,
      where: "path" | "query",
    ) => {
      const parsed = v.safeParse(schema, values, ONE_FAULT_A_FIELD);
      if (parsed.success) return parsed.output;
      if (values === undefined) {
        const most = where === "query" ? ` of at most ${MAX_PARAMETERS} parameters` : "";
        const message = `must be percent-encoded UTF-8${most}`;
        throw refuse(400, { errors: [{ path: where, message }] });
      }
      // An item of a list is reported under the name of its parameter.
      const errors = fieldErrors(parsed.issues, where).map(({ path, message }) => ({
        path: path.replace(/\..*/, ""),
        message,
      }));
      throw refuse(400, { errors });
    };

    return {
      operation,
      handler,
      async serve(c, services, principal) {
        const request = c.req.raw;
        const { method, headers, url } = request;
        // The schemas belong to the operation, so their outputs are the inputs of its handler.
        const call = {
          ...services,
          params: operation.params && parseParameters(operation.params, pathParameters(c), "path"),
          query: operation.query && parseParameters(operation.query, parseQuery(url), "query"),
          body: operation.body && (await parseBody(request, operation.body)),
          basePath: services.storePath + basePathOf(c.req.path),
          preconditions: 412 in declared ? readPreconditions(headers) : UNCONDITIONAL,
          principal,
          method,
          headers,
          url,
        } satisfies Record<keyof Call<Operation>, unknown> as Call<Op> & Here;
        const result = await (replay ? doOnce(operation, call, handler, replay) : handler(call));
        if (result instanceof Failure) throw refuse(result.status, result.details);
        const { body, status = 200, version } = result;
        if (operation.line !== undefined) {
          return respond(c, 200, new JsonText(operation.line), { ...result.headers, ...AS_LINE });
        }
        if (version === undefined) return respond(c, status, body, result.headers);
        const tagged: Record<string, string> = { ...result.headers, ETag: entityTag(version) };
        if (operation.showsItem && result.id !== undefined) {
          tagged["Content-Location"] = itemPath(c, result.id);
        }
        // The statement of a write checks its preconditions.
        const isRead = method === "GET" || method === "HEAD";
        const outcome = isRead ? statusOfRead(call.preconditions, version) : 200;
        if (outcome === 412) throw refuse(412, {});
        return respond(c, outcome, outcome === 304 ? undefined : body, tagged);
      },
    };
  };

/** `implementFor` handlers that need nothing besides the services. */
export const implement = implementFor<unknown>();

/** The path of an item below the path of the route. */
function itemPath(c: Context<App>, id: number): string {
  return `${c.get("services").storePath}${c.get("route")?.path ?? ""}/${id}`;
}

/** Hono leaves an escape that it cannot decode unchanged. Here it makes the path invalid. */
function pathParameters(c: Context<App>): object | undefined {
  const params = c.req.param();
  if (!c.req.url.includes("%")) return params;
  try {
    decodeURIComponent(new URL(c.req.url).pathname);
    return params;
  } catch {
    return undefined;
  }
}
