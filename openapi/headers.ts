const header = (description: string, example: string | number) => ({
  description,
  required: true,
  schema: typeof example === "number" ? { type: "integer", minimum: 1 } : { type: "string" },
  example,
});

/**
 * Response headers. Swagger 2.0 cannot mark a header as optional, and some tools ignore the mark in OpenAPI 3, so the documents
 * have only headers that every response of their kind has. The introduction describes the others.
 */
export const HEADERS = {
  ETag: header("The version of the resource: a strong validator.", '"120631481828916"'),
  "Content-Location": header("Path of the resource in the body.", "{path}/v2/pet/1"),
  "Set-Cookie": header(
    "The session token for browsers. Logout clears it.",
    "session=bmljZSB0cnksIGJ1dCBub3QgYSByZWFsIHRva2VuISE; HttpOnly; SameSite=Strict; Path={path}/v2; Max-Age=3600",
  ),
  "X-Expires-After": {
    ...header("When the session ends (RFC 3339, UTC).", "2026-11-21T10:30:00.000Z"),
    schema: { type: "string", format: "date-time" },
  },
  "X-Rate-Limit": header("Requests per minute that one client may send.", 600),
  "Accept-Ranges": header("The request header `Range` selects a part of the file.", "bytes"),
  "Content-Range": header("The bytes of the file that the body contains.", "bytes 0-99/628"),
  Allow: header("Methods of the path.", "POST, PUT, OPTIONS"),
  "WWW-Authenticate": header(
    'How to authenticate; `error="invalid_token"` for an invalid token (RFC 6750).',
    'Bearer realm="pet store"',
  ),
  "Retry-After": header("Seconds to wait before the next attempt.", 60),
  "X-Request-Id": header("Identifies the request in the service's log.", "f92a081d-698e-4488-8bd9-7caa46ff6e58"),
};

export type HeaderName = keyof typeof HEADERS;
