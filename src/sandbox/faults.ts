import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { ApiError } from "../http/errors.ts";
import { operationOf } from "../http/operation.ts";
import type { SandboxEnv } from "./env.ts";
import { answerOnDemand } from "./on-demand.ts";
import { preferenceOf } from "./prefer.ts";
import { isFor, pathBelow, type CountedRule, type Rule } from "./rules.ts";

/** Makes an answer wrong, as `Prefer` or the first rule for the request demands. */
export const faults = createMiddleware<SandboxEnv>(async (c, next) => {
  const preferred = preferenceOf(c.req.header("Prefer") ?? "");
  const counted = preferred ? undefined : ruleFor(c);
  const fault = preferred?.fault ?? counted?.rule;
  if (!fault) return next();
  const { status, delayMs } = fault;
  if (status === undefined || fault.after) await next();
  const length = status === undefined ? await lengthToChange(c, fault) : 0;
  // Nothing is awaited here, so requests in parallel cannot take more than is left.
  if (counted && (!changes(c, fault, length) || !take(c, counted))) return;
  if (delayMs) await scheduler.wait(delayMs, { signal: c.get("signal") });
  // The faults of the real answer are not those of an answer on demand.
  if (status !== undefined) {
    c.set("fieldErrors", undefined);
    c.error = undefined;
  }
  const answer = status === undefined ? c.res : answerOnDemand(c, status, fault);
  if (fault.break) c.set("isStreamed", true);
  const result = await changed(answer, fault, c.req.method === "HEAD");
  if (preferred) result.headers.set("Preference-Applied", preferred.applied);
  replaceAnswer(c, result);
});

/** The first rule for a request. `every` counts the requests that its rule is for. */
function ruleFor(c: Context<SandboxEnv>): CountedRule | undefined {
  const sandbox = c.get("sandbox");
  const { rules } = sandbox;
  if (rules.length === 0) return undefined;
  const [operationId, path] = [operationOf(c), pathBelow(c)];
  let isCounted = false;
  const found = rules.find((each) => {
    const { times = Infinity, every = 1, chance = 1 } = each.rule;
    if (each.used >= times || !isFor(each.rule, operationId, c.req.method, path)) return false;
    if (every > 1) {
      isCounted = true;
      each.matched += 1;
    }
    return each.matched % every === 0 && Math.random() < chance;
  });
  // A write that changes nothing would make reads slower.
  if (isCounted) sandbox.rules = rules;
  return found;
}

/** The length of the real answer's body, if a rule may change it. The body is buffered to measure it. */
async function lengthToChange(c: Context<SandboxEnv>, { patch, break: broken }: Rule): Promise<number> {
  const mayChange = broken !== undefined || (patch !== undefined && isJsonSuccess(c.res));
  if (!mayChange || c.req.method === "HEAD" || !c.res.body) return 0;
  const bytes = await c.res.bytes();
  replaceAnswer(c, new Response(bytes, c.res));
  return bytes.byteLength;
}

/** Whether a rule changes the answer. @param length of the body that it may change */
function changes(c: Context, { status, delayMs, headers, patch, break: broken }: Rule, length: number): boolean {
  const isAnyway = status !== undefined || delayMs !== undefined || headers !== undefined;
  const isPatched = patch !== undefined && length > 0 && isJsonSuccess(c.res);
  return isAnyway || isPatched || (broken !== undefined && length > 1);
}

/** Counts the use of a rule. @returns false if others have used it up meanwhile, or it was deleted */
function take(c: Context<SandboxEnv>, counted: CountedRule): boolean {
  const sandbox = c.get("sandbox");
  const { rules } = sandbox;
  if (!rules.includes(counted) || counted.used >= (counted.rule.times ?? Infinity)) return false;
  counted.used += 1;
  sandbox.rules = rules;
  c.set("rule", counted.rule);
  return true;
}

/** Otherwise Hono would merge the headers of the answer before. */
function replaceAnswer(c: Context, answer: Response): void {
  c.res = undefined;
  c.res = answer;
}

const isJsonSuccess = ({ ok, headers }: Response) =>
  ok && headers.get("Content-Type")?.startsWith("application/json") === true;

/** How long the first half of a body has to leave before the connection ends, in milliseconds. */
const LEAVES_MS = 100;

/** Changes an answer as a rule demands. @param isHead whether the client gets no body */
async function changed(
  answer: Response,
  { body, patch, headers, break: broken }: Rule,
  isHead: boolean,
): Promise<Response> {
  let result = new Response(answer.body, answer);
  if (patch && isJsonSuccess(answer)) result = await patched(result, patch);
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
    throw new ApiError([500, "The patched list is too large"]);
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
  if (bytes.byteLength < 2) return new Response(bytes, answer);
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
