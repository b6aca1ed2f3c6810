import { createMiddleware } from "hono/factory";
import { ApiError } from "../http/errors.ts";
import { isRead } from "../http/operation.ts";
import { hasApiKey } from "../http/access.ts";
import { TOO_MANY, clientAddress } from "../middleware/rate-limit.ts";
import { retry } from "../db/retry.ts";
import { readSettings } from "../http/settings.ts";
import type { SandboxEnv } from "./env.ts";

/** 404. */
export const noSandbox = (message = "does not exist: POST /sandboxes makes one, with the API key if need be") =>
  new ApiError([404, "Sandbox not found"], [{ path: "sandbox", message }]);

/** Binds a request to the sandbox as it is now: if that is deleted meanwhile, the answer is 404. */
export const bind = createMiddleware<SandboxEnv>(async (c, next) => {
  const { SANDBOX } = c.env;
  c.set("sandbox", SANDBOX);
  c.set("signal", SANDBOX.signal);
  c.set("mount", `/sandboxes/${c.req.param("sandbox")}`);
  await next();
  if (c.get("signal").aborted) {
    c.res = undefined;
    throw c.get("signal").reason;
  }
});

/**
 * Makes the sandbox if it does not exist and the client may make one. Otherwise prolongs it.
 * @throws ApiError 404 without the API key, where one is needed; 429
 */
export const makeOrProlong = createMiddleware<SandboxEnv>(async (c, next) => {
  const sandbox = c.get("sandbox");
  const signal = c.get("signal");
  if (sandbox.expiresAt === undefined && !signal.aborted) {
    const { apiKey, sandboxCreation } = readSettings(sandbox.service);
    if (sandboxCreation === "key" && !(await hasApiKey(c, apiKey))) throw noSandbox();
    const { success } = await retry(() => c.env.NEW_SANDBOXES.limit({ key: clientAddress(c) }));
    // Another request may have made it meanwhile.
    if (!success && sandbox.expiresAt === undefined) throw new ApiError(TOO_MANY);
  }
  signal.throwIfAborted();
  await sandbox.prolong(c.get("settings").sandboxSeconds);
  await next();
});

/** Refuses a request to a sandbox that does not exist, and prolongs one that it changes. The answer is not cached. */
export const existing = createMiddleware<SandboxEnv>(async (c, next) => {
  const sandbox = c.get("sandbox");
  if (sandbox.expiresAt === undefined) throw noSandbox();
  if (!isRead(c.req)) await sandbox.prolong(c.get("settings").sandboxSeconds);
  await next();
  c.res.headers.set("Cache-Control", "no-store");
});
