import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../env.ts";
import { ApiError } from "../errors.ts";
import { hasApiKey } from "../middleware/auth.ts";
import { clientAddress, tooMany } from "../middleware/rate-limit.ts";
import { retry } from "../retry.ts";
import { NO_SANDBOX } from "./env.ts";
import type { SandboxBindings } from "./env.ts";
import type { Sandbox } from "./object.ts";

/** Binds a request to the sandbox as it is now: if that is deleted meanwhile, the answer is 404. */
export const bound = createMiddleware<AppEnv>(async (c, next) => {
  // The object passes itself.
  const { SANDBOX } = c.env as SandboxBindings;
  c.set("sandbox", SANDBOX);
  c.set("signal", SANDBOX.signal);
  c.set("mount", `/sandboxes/${c.req.param("sandbox")}`);
  await next();
  if (c.var.signal.aborted) {
    c.res = undefined;
    throw c.var.signal.reason;
  }
});

/** Makes the sandbox if it does not exist and the client may make one. Otherwise prolongs it. */
export const open = createMiddleware<AppEnv>(async (c, next) => {
  const { sandbox, signal, settings } = c.var;
  signal.throwIfAborted();
  if (sandbox.expiresAt === undefined) await admit(c);
  signal.throwIfAborted();
  await sandbox.use(settings.sandboxSeconds);
  await next();
});

/** 404 that says how to make the sandbox. */
function missing({ serviceSettings }: Sandbox): ApiError {
  const isByKey = serviceSettings.sandboxCreation === "key";
  const how = `POST /sandboxes ${isByKey ? "with the API key in the header api_key " : ""}makes one`;
  return new ApiError(NO_SANDBOX, { errors: [{ path: "sandbox", message: `is unknown: ${how}` }] });
}

/** @throws ApiError 404 without the API key, where one is needed; 429 */
async function admit(c: Context<AppEnv>): Promise<void> {
  const { sandbox } = c.var;
  const { apiKey, sandboxCreation } = sandbox.serviceSettings;
  if (sandboxCreation === "key" && !(await hasApiKey(c, apiKey))) throw missing(sandbox);
  const { success } = await retry(() => c.env.NEW_SANDBOXES.limit({ key: clientAddress(c) }));
  // Another request may have made it meanwhile.
  if (!success && sandbox.expiresAt === undefined) throw tooMany();
}

/** Refuses a request to a sandbox that does not exist. Looking at one does not prolong it. */
export const existing = createMiddleware<AppEnv>(async (c, next) => {
  const { sandbox, settings } = c.var;
  if (sandbox.expiresAt === undefined) throw missing(sandbox);
  const isLook = c.req.method === "GET" || c.req.method === "HEAD";
  if (!isLook) await sandbox.use(settings.sandboxSeconds);
  c.header("Cache-Control", "no-store");
  await next();
});
