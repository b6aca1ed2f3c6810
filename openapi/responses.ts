// The answers of an operation, as OpenAPI 3 states them.
import { LINKED, ref } from "./operation.ts";
import type { Operation } from "./operation.ts";

export type Json = Readonly<Record<string, unknown>>;

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<
    Record<string, { readonly schema?: unknown; readonly example?: unknown }>
  >;
}

const header = (description: string, example: string | number) => ({
  description,
  schema: typeof example === "number" ? { type: "integer", minimum: 1 } : { type: "string" },
  example,
  required: true,
});
const optional = (description: string, example: string) => ({
  ...header(description, example),
  required: false,
});

export const HEADERS = {
  ETag: header("The version of the resource: a strong validator.", '"120631481828916"'),
  "Content-Location": header("Path of the resource in the body.", "{path}/v2/pet/1"),
  Link: optional(
    "With `limit`: the next page, if there is one (RFC 8288).",
    '<{path}/v2/pet/findByStatus?status=sold&limit=100&after=100>; rel="next"',
  ),
  "Set-Cookie": header(
    "The token of the session for browsers. Logout clears it.",
    "session=bmljZSB0cnksIGJ1dCBub3QgYSByZWFsIHRva2VuISE; HttpOnly; SameSite=Strict; Path={path}/v2; Max-Age=3600",
  ),
  "X-Expires-After": {
    ...header("When the session ends (RFC 3339, UTC).", "2026-11-21T10:30:00.000Z"),
    schema: { type: "string", format: "date-time" },
  },
  "X-Rate-Limit": header("Requests per minute that one client may send.", 600),
  "Accept-Ranges": header("`Range` may ask for a part of the file.", "bytes"),
  "Content-Range": header("Which bytes the body has, or `*` for none.", "bytes 0-99/628"),
  "Content-Disposition": optional("`attachment`, unless the file is an image.", "attachment"),
  Allow: header("Methods of the path.", "POST, PUT, OPTIONS"),
  "WWW-Authenticate": header(
    'How to authenticate; `error="invalid_token"` for a token that is not valid (RFC 6750).',
    'Bearer realm="pet store"',
  ),
  "Retry-After": header("Seconds to wait before the next attempt.", 60),
  "x-d1-bookmark": optional(
    "Sent back in a request, it lets any replica that is as new as this answer read for it.",
    "00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683",
  ),
  "X-Request-Id": header(
    "Identifies the request in the log of the service.",
    "f92a081d-698e-4488-8bd9-7caa46ff6e58",
  ),
};
type HeaderName = keyof typeof HEADERS;

const HEADER_OF: Readonly<Record<string, HeaderName>> = {
  401: "WWW-Authenticate",
  405: "Allow",
  416: "Content-Range",
  429: "Retry-After",
};

const UNAUTHENTICATED = { 401: "Log in, or send the API key in the header api_key or X-API-Key" };
const REFUSALS = {
  account: UNAUTHENTICATED,
  owner: { ...UNAUTHENTICATED, 403: "Forbidden" },
  session: {},
};

const answer = (
  description: string,
  headers: readonly string[],
  content?: Response["content"],
): Response => ({
  description,
  headers: Object.fromEntries(
    [...headers, "X-Request-Id"].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  ),
  ...(content && { content }),
});

const error = (description: string, status: number, message: string): Response =>
  answer(description, [HEADER_OF[status] ?? []].flat(), {
    "application/json": {
      schema: ref("ErrorBody"),
      example: { code: status, type: "error", message },
    },
  });

/** The operations that a success leads to. */
function linksOf([parameter, value]: NonNullable<Operation["link"]>, operationId: string): Json {
  const targets = LINKED[parameter].filter((target) => target !== operationId);
  return Object.fromEntries(
    targets.map((target) => [target, { operationId: target, parameters: { [parameter]: value } }]),
  );
}

/** The answers by status. @param content of a success */
export function responsesOf(
  operationId: string,
  { at, access, success, errors, link }: Operation,
  content: Response["content"],
): Record<string, Response> {
  const { headers = [] } = success;
  const refusals = { ...errors, ...(access && REFUSALS[access]), 429: "Too many requests" };
  return {
    200: {
      ...answer("Success", [...headers, "x-d1-bookmark"], content),
      ...(link && { links: linksOf(link, operationId) }),
    },
    ...(headers.includes("Accept-Ranges") && {
      206: answer("Partial content", [...headers, "Content-Range"], content),
    }),
    ...(headers.includes("ETag") &&
      at.startsWith("GET") && { 304: answer("Not modified", ["ETag"]) }),
    ...Object.fromEntries(
      Object.entries(refusals).map(([status, message]) => [
        status,
        error(message, Number(status), message),
      ]),
    ),
    default: error(
      "Any other error: 413, 415, 500, 503, or 507 in a full sandbox",
      503,
      "Service unavailable",
    ),
  };
}
