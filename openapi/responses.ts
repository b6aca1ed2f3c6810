// The answers of an operation, as OpenAPI 3 states them.
import { HEADERS, type HeaderName } from "./headers.ts";
import { mapValues } from "./json.ts";
import { ref, type Operation } from "./operation.ts";

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, { readonly schema?: unknown; readonly example?: unknown }>>;
}

const HEADERS_OF: Readonly<Record<string, readonly HeaderName[]>> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  415: ["Accept", "Accept-Encoding"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

const UNAUTHENTICATED = { 401: "Log in, or send the API key in the header api_key or X-API-Key" };
const REFUSALS = { account: UNAUTHENTICATED, owner: { ...UNAUTHENTICATED, 403: "Forbidden" }, session: {} };

const answer = (description: string, headers: readonly HeaderName[], content?: Response["content"]): Response => ({
  description,
  headers: Object.fromEntries(
    [...headers, "X-Request-Id" as const].map((name) => [
      name,
      // Generators take a header that is a reference for one that every answer has.
      HEADERS[name].required ? { $ref: `#/components/headers/${name}` } : HEADERS[name],
    ]),
  ),
  ...(content && { content }),
});

/** The answers by status. @param content of a success */
export function responsesOf(
  { at, access, body, success, errors }: Operation,
  content: Response["content"],
): Record<string, Response> {
  const { headers = [] } = success;
  const isRead = at.startsWith("GET");
  const allErrors = {
    ...errors,
    ...(access && REFUSALS[access]),
    ...(body && { 413: "Content too large", 415: "Unsupported media type" }),
    429: "Too many requests",
    500: "Internal server error",
    503: "Service unavailable",
    ...(!isRead && { 507: "The sandbox is full" }),
  };
  return {
    200: answer("Success", [...headers, "x-d1-bookmark"], content),
    ...(headers.includes("Accept-Ranges") && {
      206: answer("Partial content", [...headers, "Content-Range"], content),
    }),
    ...(headers.includes("ETag") && isRead && { 304: answer("Not modified", ["ETag"]) }),
    ...mapValues(allErrors, (message, status) =>
      answer(message, HEADERS_OF[status] ?? [], {
        "application/json": { schema: ref("ErrorBody"), example: { code: Number(status), type: "error", message } },
      }),
    ),
  };
}
