import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../http/env.ts";

/** How much of a body is read only to be thrown away, in bytes and milliseconds: three times the largest upload. */
const MOST_BYTES = 16 * 1024 * 1024;
const MOST_MS = 2000;

/**
 * Reads what an answer left of the request's body. Otherwise workerd closes the connection while the client still sends,
 * and many clients then report a broken pipe instead of the answer. workerd reads nothing after the end of an answer, so
 * the client gets the whole answer at once, but its end is held back until the body is read. HEAD has no body to hold back.
 */
export const drain = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { body, bodyUsed } = c.req.raw;
  // Of a chunked body that is too large, the beginning was read.
  // A client that waits for 100 has sent no body: to read it would ask for it.
  if (c.req.header("Expect") !== undefined) return;
  const isRead = !body || body.locked || (bodyUsed && c.res.status !== 413);
  if (isRead || c.req.method === "HEAD") return;
  const rest = read(body);
  if (c.get("isStreamed")) return;
  if (!c.res.body) return rest;
  const answer = await c.res.bytes();
  const { readable, writable } = new FixedLengthStream(answer.byteLength);
  c.res = new Response(readable, c.res);
  void send(answer, writable, rest);
});

/** Reads a body to its end, if that comes soon. `pipeTo` with a signal would wait for a read that is pending. */
async function read(body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader();
  const late = scheduler.wait(MOST_MS).then(() => ({ value: undefined }));
  try {
    for (let bytes = 0; bytes < MOST_BYTES;) {
      const { value } = await Promise.race([reader.read(), late]);
      if (!value) return;
      bytes += value.byteLength;
    }
  } catch {
    // The client is gone.
  }
}

/** Sends an answer whose end waits. */
async function send(answer: Uint8Array, writable: WritableStream<Uint8Array>, end: Promise<void>): Promise<void> {
  const writer = writable.getWriter();
  try {
    await Promise.all([writer.write(answer), end]);
    await writer.close();
  } catch {
    // The client is gone.
  }
}
