import type { Context } from "hono";
import type { App } from "../context.ts";
import { ApiError, GENERAL_ERRORS, retryAfter } from "../http/errors.ts";
import type { Operation } from "../http/operation.ts";
import { BASE_PATH } from "../base-path.ts";
import { time } from "../unavailable.ts";
import type { FaultRule } from "./contract.ts";
import type { OwnStore } from "./own-store.ts";

/**
 * Applies a store's rules for faults to a request. Each request reaches the store at least once, whatever its answer,
 * so that the store exists, its life is prolonged, and the rules count the request.
 */
export const meetingRules =
  (c: Context<App>, store: OwnStore): NonNullable<App["Variables"]["around"]> =>
  async (operation, answer) => {
    store.begin({
      operationId: operation?.id,
      method: c.req.method,
      // Routes accept one slash at the end.
      path: c.req.path.slice(BASE_PATH.length).replace(/\/$/, ""),
      template: c.get("route")?.path.replaceAll(/:(\w+)/g, "{$1}"),
    });
    let response: Response | undefined;
    try {
      if (operation?.withoutDatabase) await store.ask();
      response = await answer();
      return response;
    } finally {
      const rule = await store.settle();
      if (rule?.status !== undefined) await response?.body?.cancel();
      if (rule) await meet(c, rule, operation);
    }
  };

/** @throws ApiError if the rule has an error */
async function meet(
  c: Context<App>,
  { status, delayMs, retryAfter: seconds }: FaultRule,
  operation: Operation | undefined,
): Promise<void> {
  c.set("isOnDemand", true);
  if (delayMs !== undefined) await time.wait(delayMs);
  if (status === undefined) return;
  const general: Readonly<Record<number, string>> = GENERAL_ERRORS;
  const message = operation?.errors[status] ?? general[status] ?? "Fault on demand";
  throw new ApiError(status, message, { headers: retryAfter(status, seconds) });
}
