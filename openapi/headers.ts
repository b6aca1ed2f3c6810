const header = (description: string, example: string | number) => ({
  description,
  schema: typeof example === "number" ? { type: "integer", minimum: 1 } : { type: "string" },
  example,
  required: true,
});
const optional = (description: string, example: string) => ({ ...header(description, example), required: false });

/** The headers of answers. */
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
  "Content-Range": header("Which bytes of the file the body has.", "bytes 0-99/628"),
  "Content-Disposition": optional("`attachment`, unless the file is an image.", "attachment"),
  Accept: optional("The media types that the operation takes.", "application/json"),
  "Accept-Encoding": optional("The only coding that the service takes.", "identity"),
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
  "X-Request-Id": header("Identifies the request in the log of the service.", "f92a081d-698e-4488-8bd9-7caa46ff6e58"),
};

export type HeaderName = keyof typeof HEADERS;
