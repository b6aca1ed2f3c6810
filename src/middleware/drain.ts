import { createMiddleware } from "hono/factory";

/** The most bytes that are read only to be thrown away: three times the largest upload. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Reads what a refusal left of the request's body. Otherwise workerd closes the connection while the client still sends,
 * and many clients then report a broken pipe instead of the answer. What `bodyLimit` refuses of a chunked body stays unread:
 * Hono keeps its reader.
 */
export const drain = createMiddleware(async (c, next) => {
  await next();
  const { body, bodyUsed } = c.req.raw;
  if (!body || bodyUsed) return;
  const reader = body.getReader();
  try {
    for (let bytes = 0; bytes < MOST_BYTES;) {
      const { value, done } = await reader.read();
      if (done) return;
      bytes += value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The client is gone.
  }
});
