// JSON as text. Parsing and writing it again would round large numbers, and forget where each value was.

/** The tokens of JSON. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g;

/** JSON on several lines; any other text as it is. */
export function indented(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
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

/**
 * Where a value is in indented JSON, with its name if it is a member.
 * @param path such as `pets.0.name`. What is missing is left out from its end
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
