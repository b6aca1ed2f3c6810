import { readInFlight } from "../http/body.ts";
import { ApiError } from "../http/errors.ts";
import { Unavailable, withRetries } from "../platform/failures.ts";
import { deliver } from "./faults/delivery.ts";
import { INTERNAL } from "./faults/headers.ts";

/** The objects of sandboxes by their names. */
interface Objects {
  getByName(name: string): { fetch(request: Request): Promise<Response> };
}

/** A body of at most this many bytes is read before the object is called, so that a slow client holds no object. */
const MAX_BUFFERED_BYTES = 256 * 1024;

/**
 * Forwards a request to the sandbox of this name. If its object fails with a transient fault, a request that may run twice
 * is sent again, up to four times: a `GET` or `HEAD`, or a `POST` with an idempotency key and a buffered body.
 * @param countRows gets the number of rows that a request for all data read or wrote
 * @throws Unavailable if the object fails
 */
export async function forward(
  objects: Objects,
  name: string,
  request: Request,
  countRows: (rows: number) => Promise<unknown>,
): Promise<Response> {
  const { method, headers, url } = request;
  const isRead = method === "GET" || method === "HEAD";
  // A client may send a body with these methods, but `new Request` refuses one.
  const body = isRead ? undefined : await bufferedBody(request);
  const isStreamed = body === undefined && request.body !== null;
  // Only POST accepts idempotency keys. An empty header is no key.
  const hasKey = method === "POST" && Boolean(headers.get("Idempotency-Key"));
  const isRepeatable = !isStreamed && (isRead || hasKey);
  const init = { method, headers, redirect: "manual", ...(body && { body }) } as const;
  const call = async () =>
    // After a fault a stub may be broken, so each attempt uses a new one.
    objects.getByName(name).fetch(new Request(isRead || body ? url : request, init));
  try {
    // A stream has no deadline: the client decides how long it takes.
    const answer = await (isStreamed
      ? call()
      : withRetries(call, (fault) => isRepeatable && mayPass(fault)));
    const rows = answer.headers.get(INTERNAL.rows);
    if (rows !== null) await countRows(Number(rows));
    return await deliver(answer);
  } catch (cause) {
    throw new Unavailable("a sandbox failed", { cause });
  }
}

/** The body of a request, unless it is large or of unknown length; `undefined` also if there is none. */
async function bufferedBody(request: Request): Promise<ArrayBuffer | undefined> {
  const length = request.headers.get("Content-Length");
  const isLarge = length === null || Number(length) > MAX_BUFFERED_BYTES;
  if (request.body === null || isLarge) return undefined;
  const read = async () =>
    request.arrayBuffer().catch(() => {
      // The client has disconnected, so nobody gets this answer.
      throw new ApiError([400, "Invalid body"], {
        errors: [{ path: "body", message: "was cut off" }],
      });
    });
  return readInFlight(Number(length), read);
}

/** https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
function mayPass(fault: unknown): boolean {
  // The runtime sets these members of an error; its types do not declare them.
  const { retryable, overloaded } = fault as { retryable?: boolean; overloaded?: boolean };
  return retryable === true && overloaded !== true;
}
