import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../env.ts";
import { operationOf } from "../operation.ts";
import { changed } from "./changes.ts";
import { answerOnDemand } from "./on-demand.ts";
import { isFor, pathOfRequest } from "./rules.ts";
import type { Rule } from "./rules.ts";

/** The longest delay that a client can prefer, in seconds. */
const MAX_DELAY = 30;

/** Makes an answer wrong, as `Prefer` or the first rule that applies demands. */
export const faults = createMiddleware<AppEnv>(async (c, next) => {
  const preferred = preferenceOf(c.req.header("Prefer") ?? "");
  const fault = preferred?.fault ?? appliedRule(c);
  if (!fault) return next();
  const { status, delayMs } = fault;
  // An answer on demand has these, but nothing that the real answer adds to them.
  const headers = new Headers(c.res.headers);
  if (status === undefined || fault.after) await next();
  if (delayMs) await scheduler.wait(delayMs, { signal: c.var.signal });
  const answer = status === undefined ? c.res : answerOnDemand(c, { ...fault, status }, headers);
  const result = await changed(answer, fault, c.req.method === "HEAD");
  if (preferred) result.headers.set("Preference-Applied", preferred.applied);
  // Otherwise Hono would merge the headers of the answer before.
  c.res = undefined;
  c.res = result;
});

/** What `Prefer: code=503, delay=2` asks for (RFC 7240, with the `code` of Prism), as far as it is applied. */
function preferenceOf(header: string): { fault: Rule; applied: string } | undefined {
  const code = /(?:^|[,\s])(code=([45]\d\d))(?=[,;\s]|$)/i.exec(header);
  const delay = /(?:^|[,\s])(delay=(\d+(?:\.\d+)?))(?=[,;\s]|$)/i.exec(header);
  const hasDelay = delay !== null && Number(delay[2]) <= MAX_DELAY;
  if (!code && !hasDelay) return undefined;
  return {
    fault: {
      ...(code && { status: Number(code[2]) }),
      ...(hasDelay && { delayMs: Math.round(Number(delay[2]) * 1000) }),
    },
    applied: [code?.[1], hasDelay && delay[1]].filter(Boolean).join(", "),
  };
}

/** The first rule that applies to a request. A rule with `every` counts each request that it is for. */
function appliedRule(c: Context<AppEnv>): Rule | undefined {
  const { sandbox } = c.var;
  const { rules } = sandbox;
  if (rules.length === 0) return undefined;
  const facts = { operationId: operationOf(c), method: c.req.method, path: pathOfRequest(c) };
  for (const counted of rules) {
    const { rule } = counted;
    const { times = Infinity, every = 1, chance = 1 } = rule;
    if (counted.used >= times || !isFor(rule, facts)) continue;
    counted.met += 1;
    if (counted.met % every !== 0 || Math.random() >= chance) continue;
    counted.used += 1;
    sandbox.rules = rules;
    c.set("rule", rule);
    return rule;
  }
  sandbox.rules = rules;
  return undefined;
}
