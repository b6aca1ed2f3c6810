import { ApiError } from "../../http/errors.ts";
import type { Exchange } from "../../http/exchange.ts";
import { isObject } from "../../http/schemas.ts";
import type { PlainObject } from "../../http/schemas.ts";
import { utf8 } from "../../platform/crypto.ts";
import { readUpTo } from "./delivery.ts";

/** The largest answer that can be patched, in bytes. */
const MAX_BYTES = 1024 * 1024;

/** The longest result, in characters. */
const MAX_PATCHED = 8 * MAX_BYTES;

/** The most values that a patch touches, those of all items together. */
const MAX_TOUCHED = 200_000;

/** Applies a JSON Merge Patch (RFC 7396 §2). Every member is a member of its own, also `__proto__`. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, merged(members.get(name), value));
  }
  return Object.fromEntries(members);
}

/** An answer that may be patched. */
export interface Patched {
  readonly response: Response;
  readonly isPatched: boolean;
}

/**
 * Patches a success: a JSON object, or each item of a list of objects. Any other answer stays as it is.
 * @throws ApiError 500 if the answer or the result is too large
 */
export async function patched(
  exchange: Exchange,
  response: Response,
  patch: PlainObject,
): Promise<Patched> {
  const { body, headers, ok } = response;
  if (!ok || !body || headers.get("Content-Type") !== "application/json") {
    return { response, isPatched: false };
  }
  const { bytes, rest } = await readUpTo(body, MAX_BYTES);
  if (rest) {
    await rest.cancel();
    throw new ApiError([500, "An answer of more than 1 MiB cannot be patched"]);
  }
  const text = new TextDecoder().decode(bytes);
  const content: unknown = JSON.parse(text);
  const items = Array.isArray(content) ? content : [content];
  const isPatched = items.length > 0 && items.every(isObject);
  const result = isPatched ? written(items, patch, Array.isArray(content)) : text;
  const sent = utf8(result);
  exchange.text = result;
  const changed = new Response(sent, response);
  // An answer to `HEAD` has it, too.
  if (isPatched) changed.headers.set("Content-Length", String(sent.byteLength));
  return { response: changed, isPatched };
}

const countOf = (value: unknown): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce((sum, each) => sum + countOf(each), 1)
    : 1;

/** @throws ApiError 500 */
function written(items: readonly unknown[], patch: PlainObject, isList: boolean): string {
  if (items.length * (countOf(patch) - 1) > MAX_TOUCHED) {
    throw new ApiError([500, "A patch that touches more than 200,000 values cannot be applied"]);
  }
  let room = MAX_PATCHED;
  const texts = items.map((item) => {
    const text = JSON.stringify(merged(item, patch));
    room -= text.length;
    if (room < 0) throw new ApiError([500, "A patched answer has at most 8 Mi characters"]);
    return text;
  });
  const text = texts.join(",");
  return isList ? `[${text}]` : text;
}
