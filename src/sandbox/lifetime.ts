import { createMiddleware } from "hono/factory";
import { retry } from "../db/retry.ts";
import { hasApiKey } from "../http/access.ts";
import { isSafeMethod } from "../http/operation.ts";
import { getSettings } from "../http/settings.ts";
import { getClientAddress, countCall } from "../middleware/rate-limit.ts";
import type { SandboxEnv } from "./env.ts";
import { noSandbox } from "./errors.ts";

/** Ties a request to the sandbox as it is now. If the sandbox is deleted in the meantime, the request returns 404. */
export const bindSandbox = createMiddleware<SandboxEnv>(async (c, next) => {
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
 * Creates the sandbox if it does not exist and the client may create it. Otherwise extends its lifetime.
 * @throws ApiError 404 if the API key is required and missing; 429
 */
export const ensureSandbox = createMiddleware<SandboxEnv>(async (c, next) => {
  const sandbox = c.get("sandbox");
  const signal = c.get("signal");
  if (sandbox.expiresAt === undefined && !signal.aborted) {
    const { apiKey, sandboxCreation } = getSettings(c.env.SERVICE);
    if (sandboxCreation === "key" && !(await hasApiKey(c, apiKey))) throw noSandbox();
    const error = await retry(() => countCall(c, "NEW_SANDBOXES", getClientAddress(c)));
    // Another request may have created it in the meantime.
    if (error && sandbox.expiresAt === undefined) throw error;
  }
  signal.throwIfAborted();
  await sandbox.createOrExtend(c.get("settings").sandboxSeconds);
  await next();
});

/** Rejects a request to a sandbox that does not exist, and extends the lifetime of one that it changes. */
export const requireSandbox = createMiddleware<SandboxEnv>(async (c, next) => {
  const sandbox = c.get("sandbox");
  if (sandbox.expiresAt === undefined) throw noSandbox();
  if (!isSafeMethod(c.req)) await sandbox.createOrExtend(c.get("settings").sandboxSeconds);
  await next();
  c.res.headers.set("Cache-Control", "no-store");
});
