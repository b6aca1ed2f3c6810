// workerd accepts requests to any host that RFC 3986 allows, such as `a~b`, but cannot send requests to unusual hosts, not even
// to a Durable Object. Such a request is sent to another origin, with the original origin in a header.

const ORIGIN_HEADER = "X-Sandbox-Origin";
const OTHER_ORIGIN = "http://origin-in-header";

/** The origins that workerd can send a request to. */
const SENDABLE = /^https?:\/\/[\w.:[\]-]+$/;

/** Splits a URL into origin and path, as the client spelled them. */
function split(url: string): readonly [origin: string, path: string] {
  const end = url.indexOf("/", "https://".length);
  return [url.slice(0, end), url.slice(end)];
}

/** Returns a request that the runtime can send to a Durable Object. */
export function sendable(request: Request): Request {
  const [origin, path] = split(request.url);
  if (SENDABLE.test(origin) && origin !== OTHER_ORIGIN) return request;
  const sent = new Request(OTHER_ORIGIN + path, request);
  sent.headers.set(ORIGIN_HEADER, origin);
  return sent;
}

/** Returns the request that `sendable` was given. */
export function received(request: Request): Request {
  const [origin, path] = split(request.url);
  if (origin !== OTHER_ORIGIN) return request;
  const original = new Request((request.headers.get(ORIGIN_HEADER) ?? "") + path, request);
  original.headers.delete(ORIGIN_HEADER);
  return original;
}
