import { Unavailable } from "../platform/failures.ts";
import { time, withRetries } from "../platform/retries.ts";
import { ApiError } from "../http/errors.ts";
import type { StoreObject } from "./object.ts";

/** A header of an object's answer: how many milliseconds the Worker waits before it passes the answer on. */
export const DELAY = "X-Delay-Ms";

/** Another: how many rows the request wrote, where they may be many. */
export const ROWS = "X-Rows-Written";

/** Another: how the Worker breaks the answer. */
export const BREAK = "X-Break";

/** Of a body that breaks, at most this many bytes are read. Half of them are sent. */
const MAX_BROKEN_BYTES = 1024 * 1024;

/** How long the part of a body that is sent has to leave before its connection ends, in milliseconds. */
const LEAVES_MS = 100;

/** A body of at most this many bytes is read before the object is called, so that a slow client holds no object. */
const MAX_BUFFERED_BYTES = 256 * 1024;

/**
 * Lets the sandbox of this name answer a request. If its object fails in a way that passes, the request is sent again, up
 * to four times, if it may be done twice: it is a `GET` or `HEAD`, or a `POST` with an idempotency key, and its body can
 * be sent again.
 * @param countRows gets the number of rows that the request wrote, where they may be many
 * @throws Unavailable if the object fails
 */
export async function forward(
  objects: DurableObjectNamespace<StoreObject>,
  name: string,
  request: Request,
  countRows: (rows: number) => Promise<unknown>,
): Promise<Response> {
  const { method, headers, url } = request;
  const isRead = method === "GET" || method === "HEAD";
  // A client may send a body with these, but no code can make such a request.
  const body = isRead ? undefined : await bufferedBody(request);
  const isStreamed = body === undefined && request.body !== null;
  // No other method has idempotency keys, and an empty one is none.
  const hasKey = method === "POST" && Boolean(headers.get("Idempotency-Key"));
  const isRepeatable = !isStreamed && (isRead || hasKey);
  // After a fault a stub may be broken, so each attempt uses a new one.
  const call = async () =>
    objects.getByName(name).fetch(body ? new Request(url, { method, headers, body }) : request);
  try {
    // The client decides how long a stream takes.
    const answer = await (isStreamed
      ? call()
      : withRetries(call, (fault) => isRepeatable && mayPass(fault)));
    const rows = answer.headers.get(ROWS);
    if (rows !== null) await countRows(Number(rows));
    return await passOn(answer);
  } catch (cause) {
    throw new Unavailable("a sandbox failed", { cause });
  }
}

/** The body of a request, unless it is large or of unknown length; `undefined` also if there is none. */
async function bufferedBody(request: Request): Promise<ArrayBuffer | undefined> {
  const length = request.headers.get("Content-Length");
  const isLarge = length === null || Number(length) > MAX_BUFFERED_BYTES;
  if (request.body === null || isLarge) return undefined;
  return request.arrayBuffer().catch(() => {
    // The client has gone, and nobody gets this answer.
    throw new ApiError(400, "Invalid body", { errors: [{ path: "body", message: "was cut off" }] });
  });
}

/** https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
function mayPass(fault: unknown): boolean {
  const { retryable, overloaded } = fault as { retryable?: boolean; overloaded?: boolean };
  return retryable === true && overloaded !== true;
}

/** Does what a rule for faults demands on the way. It waits here, because time that an object sleeps is paid for. */
async function passOn(answer: Response): Promise<Response> {
  const { body, headers } = answer;
  const ms = headers.get(DELAY);
  const kind = headers.get(BREAK);
  if (ms === null && kind === null && !headers.has(ROWS)) return answer;
  const left = kind !== null && body ? await broken(body, kind) : body;
  if (ms !== null) await time.wait(Number(ms));
  const passed = new Response(left, answer);
  for (const name of [DELAY, BREAK, ROWS]) passed.headers.delete(name);
  return passed;
}

/** Half of a body. It ends there, or it has the length of the whole, if that was read, and its connection ends. */
async function broken(body: ReadableStream<Uint8Array>, kind: string) {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > MAX_BROKEN_BYTES) break;
  }
  const isWhole = length <= MAX_BROKEN_BYTES;
  const end = Math.floor((isWhole ? length : MAX_BROKEN_BYTES) / 2);
  const half = await new Blob(chunks).slice(0, end).arrayBuffer();
  if (kind === "json") return half;
  const { readable, writable } = isWhole
    ? new FixedLengthStream(length)
    : new IdentityTransformStream();
  // The client may have gone.
  void breakOff(writable, half).catch(() => undefined);
  return readable;
}

async function breakOff(body: WritableStream, part: ArrayBuffer): Promise<void> {
  const writer = body.getWriter();
  await writer.write(new Uint8Array(part));
  await time.wait(LEAVES_MS);
  // The runtime logs other errors as faults of the service.
  await writer.abort(Object.assign(new Error("broken on demand"), { retryable: true }));
}
