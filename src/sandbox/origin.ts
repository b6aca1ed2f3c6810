// workerd accepts requests to hosts that RFC 3986 allows, such as `a~b`, but cannot send a request to most of them, not even to
// a Durable Object. Such a request travels under another origin, with its own in a header.

const ORIGIN_HEADER = "X-Sandbox-Origin";
const OTHER_HOST = "host-in-header";

/** The hosts that workerd can send a request to. */
const SENDABLE = /^[\w.:[\]-]+$/;

/** Returns a request that the runtime can send to a Durable Object. */
export function sendable(request: Request): Request {
  const { host, origin } = new URL(request.url);
  if (SENDABLE.test(host) && host !== OTHER_HOST) return request;
  const sent = new Request(`http://${OTHER_HOST}${request.url.slice(origin.length)}`, request);
  sent.headers.set(ORIGIN_HEADER, origin);
  return sent;
}

/** Returns the request that `sendable` was given. */
export function received(request: Request): Request {
  const { host, origin } = new URL(request.url);
  if (host !== OTHER_HOST) return request;
  const original = new Request((request.headers.get(ORIGIN_HEADER) ?? "") + request.url.slice(origin.length), request);
  original.headers.delete(ORIGIN_HEADER);
  return original;
}
