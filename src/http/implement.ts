import type { Context } from "hono";
import * as v from "valibot";
import type { Json } from "../json.ts";
import type { App, Principal, Services } from "../env.ts";
import { MAX_BODY_BYTES, MAX_BODY_VALUES, readBody } from "./body.ts";
import { ApiError, fieldErrors } from "./errors.ts";
import type { ErrorDetails, FieldError } from "./errors.ts";
import type { ErrorStatus, Inputs, Operation, Schema, SuccessBody } from "./operation.ts";
import { enforce } from "./limits.ts";
import { MAX_PARAMETERS, parseQuery } from "./query.ts";
import { respond } from "./respond.ts";
import { entityTag, matchesNone, parseIfMatch } from "./validators.ts";
import type { Versions } from "./validators.ts";

/** The success of an operation, as its handler returns it. */
export interface Success<Content> {
  /** A stream is sent as it is, and states its `Content-Type` itself. */
  readonly body: Content | Json<Content> | ReadableStream;
  /** Default: 200. */
  readonly status?: number;
  /** Shown as the `ETag`. */
  readonly version?: number;
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

/** The error of a change that found no row, or found one of another version. */
export function changeFailure(why: "missing" | "changed"): Failure<404 | 412> {
  return why === "missing" ? new Failure(404) : new Failure(412);
}

/** What a handler gets: the parsed inputs of its operation, and the services it may use. */
export interface Call<Op extends Operation> extends Inputs<Op>, Services {
  /** The versions that the client allows to be changed; always `undefined` unless 412 is declared. */
  readonly ifMatch: Versions;
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
  serve(c: Context<App>): Promise<Response>;
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
    async serve(c) {
      const request = c.req.raw;
      const services = c.get("services");
      const principal = await principalOf(operation, services, request.headers);
      // The schemas were stated with the operation, so what they put out is what its handler takes.
      const inputs = {
        params: operation.params && parseParameters(operation.params, pathParameters(c), "path"),
        query:
          operation.query && parseParameters(operation.query, parseQuery(request.url), "query"),
        body: operation.body && (await parseBody(request, operation.body)),
      } as Inputs<Op>;
      const result = await handler({
        ...inputs,
        ...services,
        principal,
        ifMatch: 412 in declared ? parseIfMatch(request.headers.get("if-match")) : undefined,
        method: request.method,
        headers: request.headers,
        url: request.url,
      });
      if (result instanceof Failure) throw refuse(result.status, result.details);
      const { body, status = 200, version, headers } = result;
      if (version === undefined) return respond(c, status, body, headers);
      const tagged = { ...headers, ETag: entityTag(version) };
      const isRead = request.method === "GET" || request.method === "HEAD";
      return !isRead || matchesNone(request.headers.get("if-none-match"), version)
        ? respond(c, 200, body, tagged)
        : respond(c, 304, undefined, tagged);
    },
  };
}

type StatedBody = NonNullable<Operation["body"]>;

async function principalOf(
  { access }: Operation,
  { authenticate, requests, settings }: Services,
  headers: Headers,
): Promise<Principal | undefined> {
  if (access === "anyone" || !settings.isProtected) return undefined;
  const principal = await authenticate(headers);
  if (principal?.kind === "user") await enforce(requests, principal.session);
  if (principal) return principal;
  throw ApiError.general(401, { headers: { "WWW-Authenticate": 'Bearer realm="pet store"' } });
}

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
