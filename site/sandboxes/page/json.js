// JSON as text. Parsing and writing it again would round large numbers, and lose the position of each value.
import { html, nothing } from "../../docs/vendor/lit-html.js";

/** The tokens of JSON. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON on several lines; any other text as it is. */
export function indented(text) {
  if (!isJson(text)) return text;
  let depth = 0;
  let before = "";
  let lines = "";
  for (const [token] of text.matchAll(TOKEN)) {
    const isEnd = token === "]" || token === "}";
    if (isEnd) depth -= 1;
    const isEmpty = isEnd && (before === "[" || before === "{");
    if (!isEmpty && (isEnd || ["[", "{", ","].includes(before))) lines += `\n${"  ".repeat(depth)}`;
    lines += token === ":" ? ": " : token;
    if (token === "[" || token === "{") depth += 1;
    before = token;
  }
  return lines;
}

/** Deeper JSON is shown as text: each level takes space on the stack. */
const MOST_DEPTH = 32;

/** The CSS class of a value: strings are green, and everything else is amber. */
const toneOf = (value) => (value.startsWith('"') ? "good" : "rejected");

/** Colored JSON whose objects and arrays can be folded; any other text as it is. */
export function jsonView(text) {
  const lines = indented(text).split("\n");
  if (!isJson(text) || lines.some((each) => each.startsWith("  ".repeat(MOST_DEPTH)))) return html`<pre>${text}</pre>`;
  let at = 0;
  /** The value of the current line with what is inside it. */
  const next = () => {
    const [, name, colon, value, comma] = /^ *(?:("(?:[^"\\]|\\.)*")(: ))?(.*?)(,?)$/.exec(lines[at]);
    at += 1;
    const key = name ? html`${name}${colon}` : nothing;
    if (!/^[[{]$/.test(value)) return html`<div>${key}<span class=${toneOf(value)}>${value}</span>${comma}</div>`;
    const inside = [];
    while (!/^ *[\]}]/.test(lines[at])) inside.push(next());
    const end = lines[at].trim();
    at += 1;
    return html`
      <details open>
        <summary>${key}${value}<span class="folded"> … ${end}</span></summary>
        <div class="inside">${inside}</div>
      </details>
      <div class="end-of">${end}</div>
    `;
  };
  return html`<div class="json mono" role="group" aria-label="JSON">${next()}</div>`;
}

/**
 * Finds a value in indented JSON, with its name if it is a field.
 * @param path such as `pets.0.name`. If its end is missing, the longest part that exists counts
 * @returns the start and the end
 */
export function rangeOf(text, path) {
  const lines = text.split("\n");
  let [first, last] = [0, lines.length - 1];
  for (const [depth, part] of path.split(".").entries()) {
    const margin = "  ".repeat(depth + 1);
    const begins = new RegExp(`^${margin}[^\\s\\]}]`);
    const starts = lines.flatMap((line, index) => (index > first && index < last && begins.test(line) ? index : []));
    const isList = lines[first].endsWith("[");
    const place = starts.findIndex((at, index) =>
      isList ? index === Number(part) : lines[at].startsWith(`${margin}"${part}":`),
    );
    if (place < 0) break;
    [first, last] = [starts[place], (starts[place + 1] ?? last) - 1];
  }
  const start = lines.slice(0, first).reduce((sum, { length }) => sum + length + 1, 0);
  return [start, start + lines.slice(first, last + 1).join("\n").length];
}
