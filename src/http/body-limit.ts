import { createMiddleware } from "hono/factory";
import { ApiError, type Refusal } from "./errors.ts";
import { stating } from "./operation.ts";

/** 413. */
export const tooLarge = (most: number) => [413, `More than ${most} bytes`] as const;

/**
 * Refuses a body that is larger, in bytes. Hono's own limit reads all of a chunked body before the next middleware can
 * refuse its type, and keeps the reader, so that `drain` could not go on.
 */
export const limitBody = (most: number, refusal: Refusal = tooLarge(most)) =>
  stating(
    { refusals: [refusal] },
    createMiddleware(async (c, next) => {
      const request = c.req.raw;
      const length = request.headers.get("Content-Length");
      if (Number(length) > most) throw new ApiError(refusal);
      if (!request.body || (length !== null && !request.headers.has("Transfer-Encoding"))) return next();
      const reader = request.body.getReader();
      c.req.raw = new Request(request, { method: request.method, body: upTo(most, reader, refusal) });
      await next();
      reader.releaseLock();
      c.req.raw = request;
    }),
  );

/** A body that fails if it is larger. Nothing of it is read before somebody asks. */
function upTo(
  most: number,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  refusal: Refusal,
): ReadableStream<Uint8Array> {
  let bytes = 0;
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const { value, done } = await reader.read();
    bytes += value?.byteLength ?? 0;
    if (bytes > most) throw new ApiError(refusal);
    if (done) controller.close();
    else controller.enqueue(value);
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

/** For a body with one pet, order or user. */
export const smallBody = limitBody(16 * 1024);

/** For a body with an array of users. */
export const largeBody = limitBody(256 * 1024);
