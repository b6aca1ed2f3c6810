import type { Fault } from "./rules.ts";

/** The additional headers of a sandbox's answers (interface §7.1). */
export const EXPOSED = { "Access-Control-Expose-Headers": "Preference-Applied, Location" };

/** The longest delay, in seconds. */
const MAX_DELAY = 30;

/**
 * What a client prefers for this one request: `Prefer: code=503, delay=2` (RFC 7240, with the `code` of Prism).
 * @returns the fault, and the preferences that were applied; `undefined` if none applies
 */
export function preferenceOf(
  headers: Headers,
): { readonly fault: Fault; readonly applied: string } | undefined {
  const values = new Map<string, string>();
  // A comma in quotes separates nothing.
  for (const item of headers.get("Prefer")?.match(/(?:"(?:\\.|[^"\\])*"?|[^",])+/g) ?? []) {
    const [name = "", value = ""] = item.split(";")[0]?.split("=") ?? [];
    const key = name.trim().toLowerCase();
    // If a name repeats, the first value wins.
    if (!values.has(key)) values.set(key, value.trim().replace(/^"(.*)"$/, "$1"));
  }
  const code = values.get("code") ?? "";
  const delay = values.get("delay") ?? "";
  const status = /^[45]\d\d$/.test(code) ? Number(code) : undefined;
  const seconds = /^\d+(?:\.\d+)?$/.test(delay) ? Number(delay) : Infinity;
  const delayMs = seconds <= MAX_DELAY ? Math.round(seconds * 1000) : undefined;
  const applied = [status && `code=${code}`, delayMs !== undefined && `delay=${delay}`].filter(
    Boolean,
  );
  if (applied.length === 0) return undefined;
  const fault = { demand: { status }, delayMs: delayMs ?? 0 };
  return { fault, applied: applied.join(", ") };
}
