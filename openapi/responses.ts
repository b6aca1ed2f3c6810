// The answers of an operation, as OpenAPI 3 states them.
import { INTERNAL_ERROR, UNAVAILABLE } from "../src/middleware/app.ts";
import { TOO_MANY } from "../src/middleware/rate-limit.ts";
import { FULL } from "../src/sandbox/stores.ts";
import { HEADERS, type HeaderName } from "./headers.ts";
import { mapValues } from "./json.ts";
import type { Route } from "./routes.ts";
import { ref, type Text } from "./texts.ts";

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, { readonly schema?: unknown; readonly example?: unknown }>>;
}

const answer = (description: string, headers: readonly string[], content?: Response["content"]): Response => ({
  description,
  headers: Object.fromEntries(
    [...headers, "X-Request-Id"].map((name) => {
      const header = HEADERS[name as HeaderName];
      // Generators take a header that is a reference for one that every answer has.
      return [name, header.required ? { $ref: `#/components/headers/${name}` } : header];
    }),
  ),
  ...(content && { content }),
});

/** The responses by status. Of several errors with one status, the first in the order of checks is described. */
export function responsesOf({ method, errors }: Route, { session, success }: Text): Record<string, Response> {
  const { headers = [], mediaTypes = ["application/json"], schema, example } = success;
  const content = schema && Object.fromEntries(mediaTypes.map((type) => [type, { schema, example }]));
  const isRead = method === "get";
  const writes = !isRead || session === "begins";
  const all = [...errors, TOO_MANY, INTERNAL_ERROR, UNAVAILABLE, ...(writes ? [FULL] : [])];
  const byStatus = Object.fromEntries(Map.groupBy(all, ([status]) => status));
  return {
    200: answer("Success", [...headers, "x-d1-bookmark"], content),
    ...(headers.includes("Accept-Ranges") && {
      206: answer("Partial content", [...headers, "Content-Range"], content),
    }),
    ...(headers.includes("ETag") && isRead && { 304: answer("Not modified", ["ETag"]) }),
    ...mapValues(byStatus, (same, status) => {
      const message = same[0]?.[1] ?? "";
      const names = new Set(same.flatMap(([, , own = {}]) => Object.keys(own)));
      return answer(message, [...names], {
        "application/json": { schema: ref("ErrorBody"), example: { code: Number(status), type: "error", message } },
      });
    }),
  };
}
