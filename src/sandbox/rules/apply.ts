import type { Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { oncePer } from "../../db/once.ts";
import type { AppEnv } from "../../http/env.ts";
import { isSafeMethod, getJsonLimit } from "../../http/operation.ts";
import { keepBody } from "../../http/send-json.ts";
import { disconnectResponse } from "../disconnect.ts";
import type { SandboxEnv } from "../env.ts";
import { applyEffects, isJsonSuccess, replaceResponse } from "./effects.ts";
import { createFaultResponse } from "./fault-response.ts";
import { contains, createMatcher, peekJson, requiredBody, toTarget, type Target } from "./match.ts";
import type { Operations } from "./operations.ts";
import { parsePrefer } from "./prefer.ts";
import type { CountedRule, Rule } from "./rules.ts";

/**
 * Changes a response as the `Prefer` header, or the first rule that applies to the request, requires.
 * @param beforeDelay called when the delay of a response begins
 */
export function applyRules(
  app: Hono<AppEnv>,
  operations: Operations,
  beforeDelay: (c: Context<SandboxEnv>) => void,
  { prefer = true } = {},
) {
  const getMatcher = oncePer((rule: Rule) => createMatcher(rule, operations));

  /** Whether a rule matches a request, ignoring the request's body, and is not used up. */
  function isCandidate({ rule, used }: CountedRule, target: Target): boolean {
    return used < (rule.times ?? Infinity) && getMatcher(rule)(target);
  }

  /** Returns a function that selects the first rule that applies. Waits for the request's body only if a rule needs it. */
  async function createSelector(c: Context<SandboxEnv>): Promise<() => CountedRule | undefined> {
    const sandbox = c.get("sandbox");
    if (sandbox.rules.length === 0) return () => undefined;
    const target = toTarget(c, operations);
    const isNeeded = sandbox.rules.some((each) => requiredBody(each.rule) && isCandidate(each, target));
    const limit = getJsonLimit(c);
    const body = isNeeded && limit !== undefined ? await peekJson(c, limit) : undefined;
    return () => {
      const { rules } = sandbox;
      let isCounted = false;
      const found = rules.find((each) => {
        const { every = 1, chance = 1 } = each.rule;
        const required = requiredBody(each.rule);
        if (!isCandidate(each, target) || (required && !contains(body, required.part))) return false;
        if (every > 1) {
          isCounted = true;
          each.matched += 1;
        }
        return each.matched % every === 0 && Math.random() < chance;
      });
      // Avoids a write without a change, which would make reads slower.
      if (isCounted) sandbox.rules = rules;
      return found;
    };
  }

  return createMiddleware<SandboxEnv>(async (c, next) => {
    const preferred = parsePrefer((prefer && c.req.header("Prefer")) || "");
    const select = preferred ? undefined : await createSelector(c);
    c.get("signal").throwIfAborted();
    // From here to `countUse`, nothing is awaited unless the request is performed. Otherwise, concurrent requests could all select
    // a rule that only one of them may use.
    const counted = select?.();
    const fault = preferred?.fault ?? counted?.rule;
    if (!fault) {
      await next();
      c.res.headers.append("Vary", "Prefer");
      return;
    }
    const isReplaced = fault.status !== undefined || fault.break === "connection";
    if (!isReplaced || fault.after) {
      if (changesContent(fault) && isSafeMethod(c.req)) ignoreConditions(c);
      await next();
    }
    const length = isReplaced ? 0 : await bufferChangeableBody(c, fault);
    if (counted && ((!isReplaced && !changesResponse(c, fault, length)) || !countUse(c, counted))) {
      c.res.headers.append("Vary", "Prefer");
      return;
    }
    if (fault.delayMs !== undefined) {
      beforeDelay(c);
      await scheduler.wait(pickDelay(fault.delayMs), { signal: c.get("signal") });
    }
    if (isReplaced) {
      // The errors of the real response do not belong to the fault response.
      c.set("fieldErrors", undefined);
      c.error = undefined;
    }
    if (fault.break === "connection") return replaceResponse(c, disconnectResponse());
    const response = fault.status === undefined ? c.res : createFaultResponse(c, app, operations, fault.status, fault);
    const result = await applyEffects(c, response, fault);
    if (preferred) result.headers.set("Preference-Applied", preferred.applied);
    replaceResponse(c, result);
  });
}

/** Whether a rule changes the status or the body of a response, which no client may cache. */
const changesContent = ({ status, patch, break: broken }: Rule): boolean =>
  status !== undefined || patch !== undefined || broken !== undefined;

/** Performs a read in full, so that a client's cache cannot hide the rule. The request log shows the original request. */
function ignoreConditions(c: Context): void {
  const headers = new Headers(c.req.raw.headers);
  headers.delete("If-None-Match");
  headers.delete("If-Modified-Since");
  c.req.raw = new Request(c.req.raw, { headers });
}

/** Returns the length of the real response's body, if a rule may change it, and buffers the body. */
async function bufferChangeableBody(c: Context, { patch, break: broken, slowMs }: Rule): Promise<number> {
  const mayChange = broken !== undefined || slowMs !== undefined || (patch !== undefined && isJsonSuccess(c.res));
  if (!mayChange || c.req.method === "HEAD" || !c.res.body) return 0;
  const bytes = await c.res.bytes();
  replaceResponse(c, keepBody(c, new Response(bytes, c.res), bytes));
  c.set("isStreamed", false);
  return bytes.byteLength;
}

/** Whether a rule changes the real response. @param length the length of the body that the rule may change */
function changesResponse(
  c: Context,
  { delayMs, headers, patch, break: broken, slowMs }: Rule,
  length: number,
): boolean {
  return (
    delayMs !== undefined ||
    headers !== undefined ||
    (patch !== undefined && length > 0 && isJsonSuccess(c.res)) ||
    (broken !== undefined && length > 1) ||
    (slowMs !== undefined && length > 0)
  );
}

/** Counts the use of a rule. Returns false if other requests used it up in the meantime, or if it was deleted. */
function countUse(c: Context<SandboxEnv>, counted: CountedRule): boolean {
  const sandbox = c.get("sandbox");
  const { rules } = sandbox;
  if (!rules.includes(counted) || counted.used >= (counted.rule.times ?? Infinity)) return false;
  counted.used += 1;
  sandbox.rules = rules;
  c.set("rule", counted.rule);
  return true;
}

function pickDelay(delay: number | readonly number[]): number {
  if (typeof delay === "number") return delay;
  const [minimum = 0, maximum = 0] = delay;
  return minimum + Math.floor(Math.random() * (maximum - minimum + 1));
}
