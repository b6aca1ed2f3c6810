// Repeats a logged request: as a curl command, or sent from the browser.
import { base } from "./api.js";
import { say } from "./components.js";

/** Headers that curl sets itself, or that no response depends on. */
const NOISE =
  /^(?:(?:host|connection|content-length|transfer-encoding|accept-encoding|expect|user-agent|priority|sec-[^:]*):|accept: \*\/\*$)/;

/** Headers whose values the request log masks. */
export const SECRET = /^(?:authorization|proxy-authorization|cookie|api_key|x-api-key)$/;

/** The request log has asterisks in place of a credential. */
const isMasked = ([name, value]) => value === "***" && SECRET.test(name);

/** A text as one word of a shell. `printf` writes control characters, which a terminal would obey. */
function quoted(text) {
  const controlled = text
    .replaceAll("'", String.raw`'\''`)
    .replaceAll(/(?![\t\n])\p{Cc}/gu, (character) => `'"$(printf '${octal(character)}')"'`);
  return `'${controlled}'`;
}

const octal = (text) =>
  Array.from(new TextEncoder().encode(text), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");

/**
 * A command that sends a logged request again, for `sh` and its descendants.
 * @param sandboxUrl without a slash at its end
 */
export function curlOf(request, sandboxUrl) {
  const { method, path, requestHeaders, requestBody } = request;
  const sent = Object.entries(requestHeaders).filter((header) => !NOISE.test(header.join(": ")));
  const headers = sent.map((header) => `-H ${quoted(headerOf(header))}`);
  // With a body, curl would state a type of its own.
  if (requestBody !== undefined && !("content-type" in requestHeaders)) headers.push("-H 'Content-Type:'");
  const body = requestBody === undefined || method === "HEAD" ? [] : [`--data-raw ${quoted(requestBody)}`];
  const usual = requestBody === undefined ? "GET" : "POST";
  const how = method === "HEAD" ? ["-I"] : method === usual ? [] : [`-X ${method}`];
  // Otherwise curl takes brackets in a URL for a list of URLs.
  const globs = /[[\]{}]/.test(path) ? ["-g"] : [];
  const command = ["curl", ...globs, ...how, quoted(sandboxUrl + path)].join(" ");
  return [...remarks(sent, request), [command, ...headers, ...body].join(" \\\n  ")].join("\n");
}

/** A placeholder stands for a credential. curl would leave out an empty header without the semicolon. */
function headerOf([name, value]) {
  if (isMasked([name, value])) return `${name}: ${placeholderOf(name)}`;
  return value === "" ? `${name};` : `${name}: ${value}`;
}

const placeholderOf = (name) => `YOUR-${name.toUpperCase().replaceAll("_", "-")}`;

/** Compares a logged body with what was sent. The request log cuts at 8 KiB, or up to four bytes before. */
function bodyOf({ requestHeaders: { "content-length": length }, requestBody: body }) {
  const bytes = body === undefined ? 0 : new TextEncoder().encode(body).byteLength;
  const isCut = length === undefined ? bytes > 8 * 1024 - 4 : bytes > 0 && bytes < Number(length);
  return { bytes, length, isCut, isMissing: bytes === 0 && Number(length) > 0 };
}

/** Says as comments what the request log does not have. Without apostrophes: some shells take no comments. */
function remarks(sent, request) {
  const { bytes, length, isCut, isMissing } = bodyOf(request);
  const { "content-type": type = "no type" } = request.requestHeaders;
  const masked = sent.filter(isMasked).map(([name]) => placeholderOf(name));
  return [
    ...masked.map((placeholder) => `# The request log hides this credential: replace ${placeholder}.`),
    ...(isCut
      ? [`# The body is cut: the request log has the first ${bytes}${length ? ` of ${length}` : ""} bytes.`]
      : []),
    ...(isMissing
      ? [`# The body is missing: the request log has none of its ${length} bytes (${type}). Add --data-binary @FILE.`]
      : []),
  ];
}

/** Returns why a browser cannot send a request again; `undefined` if it can. */
export function whyNot(request) {
  const { isCut, isMissing } = bodyOf(request);
  if (isCut || isMissing) return "It cannot be sent again from here: the request log does not have its whole body.";
  const isBodyless = ["GET", "HEAD"].includes(request.method);
  return isBodyless && request.requestBody ? "Browsers cannot send a body with this method: use curl." : undefined;
}

/** Sends a request without the headers that the log masks. Like any request, it is logged and subject to rules. */
export async function sendAgain({ method, path, requestHeaders, requestBody }) {
  const headers = Object.entries(requestHeaders).filter(
    (header) => !NOISE.test(header.join(": ")) && !isMasked(header),
  );
  // A blob without a type does not add a Content-Type.
  const body = requestBody === undefined ? undefined : new Blob([requestBody]);
  try {
    const options = { method, headers, body, cache: "no-store", credentials: "omit", redirect: "manual" };
    const response = await fetch(base + path, options);
    await response.arrayBuffer();
    say(`Sent again: ${response.status || "a redirect"}. The newest request is yours.`);
  } catch {
    say("Sent again, but the response did not arrive completely.");
  }
}
