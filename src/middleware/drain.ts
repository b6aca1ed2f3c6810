import { createMiddleware } from "hono/factory";

/** The most bytes that are read only to be thrown away: thrice the largest upload. */
const MOST = 16 * 1024 * 1024;

/**
 * Reads what a refusal left of the request's body. Otherwise workerd closes the connection while the client still sends,
 * and many clients then report a broken pipe instead of the answer.
 */
export const drain = createMiddleware(async (c, next) => {
  await next();
  const { body, bodyUsed, headers } = c.req.raw;
  if (body && !bodyUsed && Number(headers.get("Content-Length")) <= MOST) {
    // The client may be gone.
    await body.pipeTo(new WritableStream()).catch(() => undefined);
  }
});
