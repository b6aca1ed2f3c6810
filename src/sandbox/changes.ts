import { ApiError } from "../errors.ts";
import type { Rule } from "./rules.ts";

/** How long the first half of a body has to leave before the connection ends, in milliseconds. */
const LEAVES_MS = 100;

/** The most characters that a patch may add to an answer, so that no list fills the memory. */
const MAX_ADDED = 16 * 1024 * 1024;

/** Changes an answer as a rule demands. @param isHead whether the client gets no body */
export async function changed(
  answer: Response,
  { body, patch, headers, break: broken }: Rule,
  isHead: boolean,
): Promise<Response> {
  const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
  let result = new Response(answer.body, answer);
  if (patch && answer.ok && isJson) result = await patched(result, patch);
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value === null) result.headers.delete(name);
    else result.headers.set(name, String(value));
  }
  // No browser runs what a client wrote.
  if (patch ?? headers ?? body !== undefined) {
    result.headers.set("Content-Security-Policy", "sandbox");
  }
  return broken && result.body && !isHead ? cutOff(result, broken) : result;
}

/** Merges a patch into a JSON answer: into each item of a list. @throws ApiError 500 if that adds too much */
async function patched(answer: Response, patch: object): Promise<Response> {
  const value: unknown = await answer.json();
  const items = Array.isArray(value) ? value.length : 1;
  if (items * JSON.stringify(patch).length > MAX_ADDED) {
    throw new ApiError([500, "The patch is too large for so long a list"]);
  }
  const merged = Array.isArray(value)
    ? value.map((item: unknown) => merge(item, patch))
    : merge(value, patch);
  return new Response(JSON.stringify(merged), answer);
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
    // The runtime would log another error as a fault of the service.
    await writer.abort(Object.assign(new Error("broken on demand"), { retryable: true }));
  };
  // The client may be gone already.
  void send().catch(() => undefined);
  return new Response(readable, init);
}
