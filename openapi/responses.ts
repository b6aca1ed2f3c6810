// The responses of an operation, in the form of OpenAPI 3.
import { INTERNAL_ERROR, UNAVAILABLE } from "../src/middleware/app.ts";
import { TOO_MANY } from "../src/middleware/rate-limit.ts";
import { FULL } from "../src/sandbox/errors.ts";
import { HEADERS } from "./headers.ts";
import { mapValues } from "./json.ts";
import type { Route } from "./routes.ts";
import { mediaOf, ref, type Media, type Text } from "./texts.ts";

export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, Media>>;
}

const response = (description: string, headers: readonly string[], content?: Response["content"]): Response => ({
  description,
  headers: Object.fromEntries([...headers, "X-Request-Id"].map((name) => [name, headerRef(name)])),
  ...(content && { content }),
});

/** Returns the headers of errors whose values depend on the path or the resource, so that the error in the code cannot have them. */
const ownHeaders = ({ allow }: Route): Readonly<Record<string, Response["headers"]>> => ({
  405: { Allow: { ...HEADERS.Allow, example: allow } },
  416: {
    "Content-Range": { ...HEADERS["Content-Range"], description: "The size of the file.", example: "bytes */628" },
    ETag: HEADERS.ETag,
  },
});

function headerRef(name: string) {
  if (!(name in HEADERS)) throw new Error(`openapi/headers.ts has no ${name}`);
  return { $ref: `#/components/headers/${name}` };
}

/** Returns the responses by status. Of several errors with one status, the first in the order of checks is described. */
export function responsesOf(route: Route, { session, success }: Text): Record<string, Response> {
  const { method, errors } = route;
  const { headers = [], mediaTypes = ["application/json"], schema, example } = success;
  const content = schema && Object.fromEntries(mediaTypes.map((type) => [type, mediaOf(schema, example)]));
  const isRead = method === "get";
  const writes = !isRead || session === "starts";
  const all = [...errors, TOO_MANY, INTERNAL_ERROR, UNAVAILABLE, ...(writes ? [FULL] : [])];
  const own = ownHeaders(route);
  const byStatus = Object.fromEntries(Map.groupBy(all, ([status]) => status));
  return {
    200: response("Success", headers, content),
    ...(headers.includes("Accept-Ranges") && {
      206: response("Partial content", [...headers, "Content-Range"], content),
    }),
    ...(headers.includes("ETag") && isRead && { 304: response("Not modified", ["ETag"]) }),
    ...mapValues(byStatus, (same, status) => {
      const message = same[0]?.[1] ?? "";
      const body = { code: Number(status), type: "error", message };
      const found = response(message, headersOfAll(same), { "application/json": mediaOf(ref("ErrorBody"), body) });
      return { ...found, headers: { ...own[status], ...found.headers } };
    }),
  };
}

/** Returns the headers that all of these errors have: a 415 has either `Accept` or `Accept-Encoding`. */
function headersOfAll(errors: Route["errors"]): string[] {
  const names = errors.map(([, , headers = {}]) => new Set(Object.keys(headers)));
  return [...(names[0] ?? [])].filter((name) => names.every((each) => each.has(name)));
}
