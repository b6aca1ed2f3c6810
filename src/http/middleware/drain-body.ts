import { createMiddleware } from "hono/factory";
import type { App } from "../../env.ts";

/** Reads what nobody read of the body: else the client's next request on the connection would fail. */
export const drainBody = createMiddleware<App>(async (c, next) => {
  await next();
  const { body } = c.req.raw;
  if (body && !c.req.raw.bodyUsed) await body.pipeTo(new WritableStream());
});
