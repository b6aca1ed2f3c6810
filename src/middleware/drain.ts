import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../http/env.ts";

/** How much of an unread body is read, and for how long: three times the largest upload, and 2 s. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_MS = 2000;

/**
 * Reads the rest of the request's body. Otherwise, workerd closes the connection while the client is still sending, and many
 * clients report a broken pipe instead of the response. workerd stops reading when the response ends. All bytes of the response
 * are therefore sent immediately, but the response ends only when the request's body has been read. A response to HEAD has no
 * body, so its end cannot be delayed.
 */
export const drain = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { body, bodyUsed } = c.req.raw;
  // If a chunked body was too large, part of it has already been read.
  const isConsumed = !body || body.locked || (bodyUsed && c.res.status !== 413);
  // A client that waits for `100 Continue` has sent no body, and reading would ask for it.
  if (isConsumed || c.req.method === "HEAD" || c.req.header("Expect") !== undefined) return;
  const rest = readToEnd(body);
  if (c.get("isStreamed")) return;
  if (!c.res.body) return rest;
  const bytes = await c.res.bytes();
  const { readable, writable } = new FixedLengthStream(bytes.byteLength);
  c.res = new Response(readable, c.res);
  void endAfter(bytes, writable, rest);
});

/** Reads a body to its end, within the limits. `pipeTo` with a signal would wait for a pending read. */
async function readToEnd(body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader();
  const timeout = scheduler.wait(MAX_MS).then(() => ({ value: undefined }));
  try {
    for (let bytes = 0; bytes < MAX_BYTES;) {
      const { value } = await Promise.race([reader.read(), timeout]);
      if (!value) return;
      bytes += value.byteLength;
    }
  } catch {
    // The client hung up.
  }
}

/** Sends a response, and ends it after `end`. */
async function endAfter(bytes: Uint8Array, writable: WritableStream<Uint8Array>, end: Promise<void>): Promise<void> {
  const writer = writable.getWriter();
  try {
    await Promise.all([writer.write(bytes), end]);
    await writer.close();
  } catch {
    // The client hung up.
  }
}
