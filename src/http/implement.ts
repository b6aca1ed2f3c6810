import type { Context } from "hono";
import * as v from "valibot";
import { UNCONDITIONAL } from "../db/conditions.ts";
import type { Preconditions } from "../db/conditions.ts";
import type { JsonText } from "../json-text.ts";
import type { App, Principal, Services } from "../context.ts";
import { MAX_BODY_BYTES, MAX_BODY_VALUES, readBody } from "./body.ts";
import { ApiError, fieldErrors } from "./errors.ts";
import type { ErrorDetails, FieldError } from "./errors.ts";
import type { ErrorStatus, Inputs, Operation, Schema, SuccessBody } from "./operation.ts";
import { MAX_PARAMETERS, parseQuery } from "./urlencoded.ts";
import { respond } from "./respond.ts";
import { entityTag, readPreconditions, statusOfRead } from "./etag.ts";

/** The success of an operation, as its handler returns it. */
export interface Success<Content> {
  /** A stream is sent as it is, and states its `Content-Type` itself. */
  readonly body: Content | JsonText<Content> | ReadableStream;
  /** Default: 200. */
  readonly status?: number;
  /** Shown as the `ETag`. */
  readonly version?: number;
  /** Names what the body shows, where that is an item below the path. */
  readonly id?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A declared error of an operation, as its handler returns it. */
export class Failure<Status extends number> {
  readonly status: Status;
  readonly details: ErrorDetails;

  constructor(status: Status, details: ErrorDetails = {}) {
    this.status = status;
    this.details = details;
  }
}

/** A declared error; a status that the operation does not declare is a compile error. */
export function fail<Status extends number>(
  status: Status,
  errors: readonly FieldError[] = [],
  headers: Readonly<Record<string, string>> = {},
): Failure<Status> {
  return new Failure(status, { errors, headers });
}

/** The error of a change that found no row, or one that does not meet the preconditions. */
export function changeFailure(why: "missing" | "changed"): Failure<404 | 412> {
  return why === "missing" ? new Failure(404) : new Failure(412);
}

/** What a handler gets: the parsed inputs of its operation, and the services it may use. */
export interface Call<Op extends Operation> extends Inputs<Op>, Services {
  /** What the client demands of the resource; nothing unless 412 is declared. */
  readonly preconditions: Preconditions;
  /** Who calls; `undefined` where access is open, or the operation is for anyone: nothing is to be asked. */
  readonly principal: Principal | undefined;
  readonly method: string;
  readonly headers: Headers;
  readonly url: string;
}

/** What an operation does: success, or one of the statuses that it declares. */
export type Handler<Op extends Operation> = (
  call: Call<Op>,
) => Promise<Success<SuccessBody<Op>> | Failure<ErrorStatus<Op>>>;

/** An operation with its handler, ready to be routed. */
export interface Endpoint {
  readonly operation: Operation;
  /** @param principal who calls; `undefined` where the operation demands no credential */
  serve(c: Context<App>, services: Services, principal: Principal | undefined): Promise<Response>;
}

/** The rules of a field are tried in their order, up to the first that it breaks. */
const ONE_FAULT_A_FIELD = { abortPipeEarly: true };

/** Joins an operation and its handler: parse, handle, respond. */
export function implement<const Op extends Operation>(
  operation: Op,
  handler: Handler<Op>,
): Endpoint {
  const declared: Operation["errors"] = operation.errors;
  const refuse = (status: number, details: ErrorDetails) =>
    new ApiError(status, declared[status] ?? "", details);

  const parseBody = async (request: Request, stated: StatedBody) => {
    const { schema, format = "json", invalid, first } = stated;
    const { maxBytes = MAX_BODY_BYTES, maxValues = MAX_BODY_VALUES } = stated;
    const body = await readBody(request, format, { maxBytes, maxValues });
    if ("malformed" in body) {
      throw refuse(invalid, { errors: [{ path: "body", message: body.malformed }] });
    }
    const parsed = v.safeParse(schema, body.value, ONE_FAULT_A_FIELD);
    if (parsed.success) return parsed.output;
    const found = fieldErrors(parsed.issues, "body");
    const leading = found.filter(({ path }) => path === first?.member);
    throw first && leading.length > 0
      ? refuse(first.invalid, { errors: leading })
      : refuse(invalid, { errors: found });
  };

  const parseParameters = (schema: Schema<object>, values: object | undefined, where: string) => {
    const parsed = v.safeParse(schema, values, ONE_FAULT_A_FIELD);
    if (parsed.success) return parsed.output;
    if (values === undefined) {
      const message = `must be percent-encoded UTF-8 of at most ${MAX_PARAMETERS} parameters`;
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
    async serve(c, services, principal) {
      const request = c.req.raw;
      // The schemas were stated with the operation, so what they put out is what its handler takes.
      const inputs = {
        params: operation.params && parseParameters(operation.params, pathParameters(c), "path"),
        query:
          operation.query && parseParameters(operation.query, parseQuery(request.url), "query"),
        body: operation.body && (await parseBody(request, operation.body)),
      } as Inputs<Op>;
      const preconditions = 412 in declared ? readPreconditions(request.headers) : UNCONDITIONAL;
      const result = await handler({
        ...inputs,
        ...services,
        principal,
        preconditions,
        method: request.method,
        headers: request.headers,
        url: request.url,
      });
      if (result instanceof Failure) throw refuse(result.status, result.details);
      const { body, status = 200, version, id, headers } = result;
      if (version === undefined) return respond(c, status, body, headers);
      const tagged = {
        ...headers,
        ETag: entityTag(version),
        ...(operation.showsItem &&
          id !== undefined && { "Content-Location": itemPath(request.url, id) }),
      };
      // A write has its preconditions in its statement.
      const isRead = request.method === "GET" || request.method === "HEAD";
      const outcome = isRead ? statusOfRead(preconditions, version) : 200;
      if (outcome === 412) throw refuse(412, {});
      return respond(c, outcome, outcome === 304 ? undefined : body, tagged);
    },
  };
}

/** The path of an item below that of the request, whatever the base path is that it came by. */
function itemPath(url: string, id: number): string {
  return `${new URL(url).pathname.replace(/\/+$/, "")}/${id}`;
}

type StatedBody = NonNullable<Operation["body"]>;

/** Hono leaves an escape that it cannot decode as it is; here it makes the path invalid. */
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
