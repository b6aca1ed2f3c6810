import type { Rule } from "./rules.ts";

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const QUOTED = /^"(?:[^"\\]|\\.)*"$/s;

/** Splits text at each separator outside quotes. Drops what follows a quote that is never closed. */
function* split(text: string, separator: string): Generator<string> {
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (isQuoted && text[at] === "\\") at++;
    else if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === separator && !isQuoted) {
      yield text.slice(start, at);
      start = at + 1;
    }
  }
  if (!isQuoted) yield text.slice(start);
}

/** Returns the name and the value of a preference, without its parameters; `undefined` if it is malformed. */
function parsePreference(preference: string): [name: string, value: string] | undefined {
  const [text = ""] = split(preference, ";");
  const end = `${text}=`.indexOf("=");
  const name = text.slice(0, end).trim();
  const value = text.slice(end + 1).trim();
  if (!TOKEN.test(name)) return undefined;
  if (QUOTED.test(value)) return [name, value.slice(1, -1).replaceAll(/\\(.)/gs, "$1")];
  return value === "" || TOKEN.test(value) ? [name, value] : undefined;
}

/** Returns the preferences that a sandbox applies: `Prefer: code=503, delay=2` (RFC 7240, with the `code` of Prism). */
export function parsePrefer(header: string): { fault: Rule; applied: string } | undefined {
  if (header === "") return undefined;
  const preferences = new Map<string, string>();
  for (const each of split(header, ",")) {
    const [name = "", value = ""] = parsePreference(each) ?? [];
    // Of repeated preferences, the first one counts.
    if (!preferences.has(name.toLowerCase())) preferences.set(name.toLowerCase(), value);
  }
  const [code] = /^[45]\d\d$/.exec(preferences.get("code") ?? "") ?? [];
  const [delay] = /^(?:[12]?\d(?:\.\d+)?|30)$/.exec(preferences.get("delay") ?? "") ?? [];
  const applied = [code && `code=${code}`, delay && `delay=${delay}`].filter(Boolean).join(", ");
  const status = code ? { status: Number(code) } : {};
  const delayMs = delay ? { delayMs: Number(delay) * 1000 } : {};
  return applied ? { fault: { ...status, ...delayMs }, applied } : undefined;
}
