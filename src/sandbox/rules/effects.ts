import type { Context } from "hono";
import { JSON_TYPE } from "../../http/body.ts";
import { ApiError } from "../../http/errors.ts";
import { isObject } from "../../http/schemas.ts";
import { keepBody } from "../../http/send-json.ts";
import type { SandboxEnv } from "../env.ts";
import type { Rule } from "./rules.ts";

/** Replaces the response. Without this, Hono would merge the headers of the previous response. */
export function replaceResponse(c: Context, response: Response): void {
  c.res = undefined;
  c.res = response;
}

export const isJsonSuccess = ({ ok, headers }: Response): boolean =>
  ok && headers.get("Content-Type")?.startsWith(JSON_TYPE) === true;

/** Changes a response as a rule requires. */
export async function applyEffects(c: Context<SandboxEnv>, response: Response, rule: Rule): Promise<Response> {
  const { status, body, patch, headers, break: broken, slowMs } = rule;
  const isPatched = patch !== undefined && isJsonSuccess(response) && c.req.method !== "HEAD";
  const text = isPatched ? await patchJson(response, patch) : undefined;
  const result = new Response(text ?? response.body, response);
  const sent = c.get("sent");
  const kept = text ?? (sent?.response === response ? sent.body : undefined);
  if (kept !== undefined) keepBody(c, result, kept);
  // A cache must not keep a faulty response.
  if (status !== undefined || isPatched || (broken && result.body)) {
    result.headers.delete("ETag");
    result.headers.delete("Last-Modified");
    result.headers.set("Cache-Control", "no-store");
  }
  result.headers.append("Vary", "Prefer");
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value === null) result.headers.delete(name);
    else result.headers.set(name, value);
  }
  // No browser may run what a client wrote.
  if ([patch, headers, body].some((each) => each !== undefined)) {
    result.headers.set("Content-Security-Policy", "sandbox");
  }
  return (broken || slowMs) && result.body && c.req.method !== "HEAD" ? sendInParts(c, result, rule) : result;
}

/** The maximum number of characters that a patch may add to a list, so that the isolate's memory suffices. */
const MAX_PATCHED = 16 * 1024 * 1024;

/** Merges a patch into a JSON response: into each item of a list. */
async function patchJson(response: Response, patch: object): Promise<string> {
  const value: unknown = await response.json();
  if (!Array.isArray(value)) return JSON.stringify(merge(value, patch));
  if (value.length * JSON.stringify(patch).length > MAX_PATCHED) {
    throw new ApiError([500, "The patched list is too large"]);
  }
  return JSON.stringify(value.map((item) => merge(item, patch)));
}

/** Applies a JSON Merge Patch (RFC 7396, section 2). `__proto__` is a field like any other. */
function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const fields = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) fields.delete(name);
    else fields.set(name, merge(fields.get(name), value));
  }
  return Object.fromEntries(fields);
}

/** The number of parts of a slow body. */
const PARTS = 10;

/** How long to wait after the first half of a body before closing the connection, in milliseconds. */
const CLOSE_AFTER_MS = 100;

/** Sends a body slowly, or only half of it: then the connection closes (`body`), or the response ends cleanly (`json`). */
async function sendInParts(c: Context<SandboxEnv>, response: Response, rule: Rule): Promise<Response> {
  const bytes = await response.bytes();
  const broken = bytes.byteLength > 1 ? rule.break : undefined;
  const sent = broken ? bytes.subarray(0, Math.ceil(bytes.byteLength / 2)) : bytes;
  const headers = new Headers(response.headers);
  headers.delete("Content-Length");
  const init = { status: response.status, headers };
  if (broken !== "body" && rule.slowMs === undefined) return keepBody(c, new Response(sent, init), sent);
  c.set("isStreamed", true);
  const { readable, writable } = new FixedLengthStream(broken === "body" ? bytes.byteLength : sent.byteLength);
  void writeParts(sent, writable, broken === "body", rule.slowMs, c.get("signal"));
  return keepBody(c, new Response(readable, init), sent);
}

/** Writes a body in parts until the client hangs up or the sandbox is deleted. */
async function writeParts(
  bytes: Uint8Array,
  writable: WritableStream<Uint8Array>,
  isCut: boolean,
  slowMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  const writer = writable.getWriter();
  const size = Math.ceil(bytes.byteLength / (slowMs === undefined ? 1 : PARTS));
  const parts = Math.ceil(bytes.byteLength / size);
  const wait = async (ms: number) => Promise.race([scheduler.wait(ms, { signal }), writer.closed]);
  try {
    for (let part = 0; part < parts; part++) {
      if (slowMs !== undefined && part > 0) await wait(slowMs / (parts - 1));
      await writer.write(bytes.subarray(part * size, (part + 1) * size));
    }
    if (!isCut) return await writer.close();
    await wait(CLOSE_AFTER_MS);
  } catch {
    // The client hung up, or the sandbox was deleted.
  }
  // The runtime would log an error that is not retryable as a server error.
  await writer.abort(Object.assign(new Error("broken by a rule"), { retryable: true })).catch(() => undefined);
}
