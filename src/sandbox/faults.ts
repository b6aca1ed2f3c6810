import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { ApiError } from "../errors.ts";
import { operationOf } from "../operation.ts";
import type { SandboxEnv } from "./env.ts";
import { answerOnDemand } from "./on-demand.ts";
import { isFor, pathBelow, type Rule } from "./rules.ts";

/** Makes an answer wrong, as `Prefer` or the first rule that applies demands. */
export const faults = createMiddleware<SandboxEnv>(async (c, next) => {
  const preferred = preferenceOf(c.req.header("Prefer") ?? "");
  const fault = preferred?.fault ?? appliedRule(c);
  if (!fault) return next();
  const { status, delayMs } = fault;
  if (status === undefined || fault.after) await next();
  if (delayMs) await scheduler.wait(delayMs, { signal: c.get("signal") });
  // The faults of the real answer's fields are not those of an answer on demand.
  if (status !== undefined) c.set("fieldErrors", undefined);
  const answer = status === undefined ? c.res : answerOnDemand(c, status, fault);
  if (fault.break) c.set("isStreamed", true);
  const result = await changed(answer, fault, c.req.method === "HEAD");
  if (preferred) result.headers.set("Preference-Applied", preferred.applied);
  // Otherwise Hono would merge the headers of the answer before.
  c.res = undefined;
  c.res = result;
});

/** What `Prefer: code=503, delay=2` asks for (RFC 7240, with the `code` of Prism), as far as it is applied. */
function preferenceOf(header: string): { fault: Rule; applied: string } | undefined {
  const [, code] = /(?:^|[,\s])code=([45]\d\d)(?=[,;\s]|$)/i.exec(header) ?? [];
  const [, delay] = /(?:^|[,\s])delay=([12]?\d(?:\.\d+)?|30)(?=[,;\s]|$)/i.exec(header) ?? [];
  const applied = [code && `code=${code}`, delay && `delay=${delay}`].filter(Boolean).join(", ");
  const status = code ? { status: Number(code) } : {};
  const delayMs = delay ? { delayMs: Number(delay) * 1000 } : {};
  return applied ? { fault: { ...status, ...delayMs }, applied } : undefined;
}

/** The first rule that applies to a request. `every` counts the requests that its rule is for. */
function appliedRule(c: Context<SandboxEnv>): Rule | undefined {
  const sandbox = c.get("sandbox");
  const { rules } = sandbox;
  if (rules.length === 0) return undefined;
  const [operationId, path] = [operationOf(c), pathBelow(c)];
  let isCounted = false;
  for (const each of rules) {
    const { times = Infinity, every = 1, chance = 1 } = each.rule;
    if (each.used >= times || !isFor(each.rule, operationId, c.req.method, path)) continue;
    isCounted = true;
    each.matched += 1;
    if (each.matched % every !== 0 || Math.random() >= chance) continue;
    each.used += 1;
    c.set("rule", each.rule);
    break;
  }
  // A write that changes nothing would make reads slower.
  if (isCounted) sandbox.rules = rules;
  return c.get("rule");
}

/** How long the first half of a body has to leave before the connection ends, in milliseconds. */
const LEAVES_MS = 100;

/** Changes an answer as a rule demands. @param isHead whether the client gets no body */
async function changed(
  answer: Response,
  { body, patch, headers, break: broken }: Rule,
  isHead: boolean,
): Promise<Response> {
  const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
  let result = new Response(answer.body, answer);
  if (patch && answer.ok && isJson) result = await patched(result, patch);
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value === null) result.headers.delete(name);
    else result.headers.set(name, value);
  }
  // No browser runs what a client wrote.
  if ([patch, headers, body].some((each) => each !== undefined)) {
    result.headers.set("Content-Security-Policy", "sandbox");
  }
  return broken && result.body && !isHead ? cutOff(result, broken) : result;
}

/** The most characters that a patch may add to a list: more would fill the isolate's memory. */
const MAX_PATCHED = 16 * 1024 * 1024;

/** Merges a patch into a JSON answer: into each item of a list. */
async function patched(answer: Response, patch: object): Promise<Response> {
  const value: unknown = await answer.json();
  if (!Array.isArray(value)) return new Response(JSON.stringify(merge(value, patch)), answer);
  if (value.length * JSON.stringify(patch).length > MAX_PATCHED) {
    throw new ApiError([500, "The patch is too large for a list of this length"]);
  }
  return new Response(JSON.stringify(value.map((item) => merge(item, patch))), answer);
}

/** Applies a JSON Merge Patch (RFC 7396, section 2). `__proto__` is a member like any other. */
function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, merge(members.get(name), value));
  }
  return Object.fromEntries(members);
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Sends half of the body. Then the connection ends (`body`), or the answer does (`json`). */
async function cutOff(answer: Response, broken: "body" | "json"): Promise<Response> {
  const bytes = await answer.bytes();
  const half = bytes.subarray(0, Math.ceil(bytes.byteLength / 2));
  const cut = new Headers(answer.headers);
  cut.delete("Content-Length");
  const init = { status: answer.status, headers: cut };
  if (broken === "json") return new Response(half, init);
  const { readable, writable } = new FixedLengthStream(bytes.byteLength);
  const writer = writable.getWriter();
  const send = async () => {
    await writer.write(half);
    await scheduler.wait(LEAVES_MS);
    // The runtime would log an error that is not retryable as a fault of the service.
    await writer.abort(Object.assign(new Error("broken on demand"), { retryable: true }));
  };
  // The client may be gone already.
  void send().catch(() => undefined);
  return new Response(readable, init);
}
