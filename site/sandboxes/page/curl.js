/** The most bytes of a body in the record. */
const MOST_BYTES = 8 * 1024;

/** Headers that curl sets itself, or that no answer depends on. */
const NOISE =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|expect|user-agent|priority|sec-.*)$/;

const MASKED = "***";

/** A text as one word of a shell. Control characters, which a terminal would obey, are written by `printf`. */
function quoted(text) {
  const controlled = text
    .replaceAll("'", String.raw`'\''`)
    .replaceAll(/(?![\t\n])\p{Cc}/gu, (character) => `'"$(printf '${octal(character)}')"'`);
  return `'${controlled}'`;
}

const octal = (text) =>
  Array.from(new TextEncoder().encode(text), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");

/**
 * A command that sends a recorded request again, for `sh` and its descendants.
 * @param sandboxUrl without a slash at its end
 */
export function curlOf({ method, path, requestHeaders, requestBody }, sandboxUrl) {
  const sent = Object.entries(requestHeaders).filter(([name]) => !NOISE.test(name));
  const headers = sent
    .filter(([name, value]) => name !== "accept" || value !== "*/*")
    .map(([name, value]) => `-H ${quoted(headerOf(name, value))}`);
  // With a body, curl would state a type of its own.
  if (requestBody !== undefined && !("content-type" in requestHeaders)) headers.push("-H 'Content-Type:'");
  const body = requestBody === undefined ? [] : [`--data-raw ${quoted(requestBody)}`];
  const usual = requestBody === undefined ? "GET" : "POST";
  const how = method === "HEAD" ? ["-I"] : method === usual ? [] : [`-X ${method}`];
  // Otherwise curl takes brackets in a URL for a list of URLs.
  const globs = /[[\]{}]/.test(path) ? ["-g"] : [];
  const command = ["curl", ...globs, ...how, quoted(sandboxUrl + path)].join(" ");
  return [...remarks(sent, requestHeaders, requestBody), [command, ...headers, ...body].join(" \\\n  ")].join("\n");
}

/** A placeholder stands for a credential. curl would leave out an empty header without the semicolon. */
function headerOf(name, value) {
  if (value === MASKED) return `${name}: ${placeholderOf(name)}`;
  return value === "" ? `${name};` : `${name}: ${value}`;
}

const placeholderOf = (name) => `YOUR-${name.toUpperCase().replaceAll("_", "-")}`;

/** What the record does not have, as comments. Without apostrophes: some shells take no comments. */
function remarks(sent, { "content-length": length, "content-type": type = "no type" }, body) {
  const masked = sent.filter(([, value]) => value === MASKED).map(([name]) => placeholderOf(name));
  const bytes = body === undefined ? 0 : new TextEncoder().encode(body).byteLength;
  // The cut may have gone through a character of up to four bytes.
  const isCut = length === undefined ? bytes > MOST_BYTES - 4 : bytes > 0 && bytes < Number(length);
  return [
    ...masked.map((placeholder) => `# The record hides this credential: replace ${placeholder}.`),
    ...(isCut ? [`# The body is cut: the record has the first ${bytes}${length ? ` of ${length}` : ""} bytes.`] : []),
    ...(bytes === 0 && Number(length) > 0
      ? [`# The body is missing: the record has none of its ${length} bytes (${type}). Add --data-binary @FILE.`]
      : []),
  ];
}
