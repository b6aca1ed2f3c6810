// What nobody may find in the record of a sandbox: passwords, keys and tokens (interface §10.7.6).

/** The names of secrets: of headers, parameters, fields and members. A longer name is secret if it ends in one of them. */
const NAMES = "(?:passw(?:or)?d|pwd|secret|token|api[-_]?key|authorization|cookie)";

/** A whole name, such as `user[password]`, `token[0]`, `password ` or `token*`. */
const SECRET_NAME = new RegExp(`${NAMES}[^a-z]*$`, "i");

/** A name with the mark before its value, as in a query or in JSON. */
const NAME_OF_VALUE = new RegExp(`${NAMES}[^a-z=:]*[=:]`, "i");

/** A name, or a mere word. */
const WORD = new RegExp(NAMES, "i");

/** Escapes of URLs and of JSON. They may be escaped again. */
const ESCAPES = /(?:%(?:25)*|\\+u00)([\da-f]{2})|\\+/gi;

/** A part of a media type. A semicolon in quotes separates nothing. */
const PARAMETER = /(?:"(?:\\.|[^"\\])*"?|[^";])+/g;

/** A login's answer has the token. */
const SESSION = /(logged in user session: ?)[\w-]+/gi;

const MASK = "***";

const unescaped = (text: string) =>
  text.replaceAll(ESCAPES, (_, code?: string) =>
    code === undefined ? "" : String.fromCharCode(Number.parseInt(code, 16)),
  );

const isSecret = (name: string) => SECRET_NAME.test(unescaped(name));

/** Whether there may be a secret. Most texts have none, and need not be parsed. */
const isSuspect = (text: string) => WORD.test(unescaped(text));

/** Masks what follows the first match. If escapes hide one, nothing after the first escape is shown. */
function maskAfter(pattern: RegExp, text: string): string {
  const [shown = ""] = text.split(/[%\\]/, 1);
  const match = pattern.exec(shown);
  if (!match) return pattern.test(unescaped(text)) ? shown + MASK : text;
  const end = match.index + match[0].length;
  return end < text.length ? text.slice(0, end) + MASK : text;
}

/** A path, or a value in which there may be a query or JSON. */
export const maskPair = (text: string): string => maskAfter(NAME_OF_VALUE, text);

/** The value of a header. */
export function maskHeader(name: string, value: string): string {
  if (isSecret(name)) return MASK;
  return name === "content-type" ? value.replaceAll(PARAMETER, maskPair) : maskPair(value);
}

/** A query, or a form like one. */
export function maskQuery(query: string): string {
  if (!isSuspect(query)) return query;
  const pairs = query.split("&").map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return value.length > 0 && isSecret(name) ? `${name}=${MASK}` : maskPair(pair);
  });
  return pairs.join("&");
}

/** A body, or the beginning of one. If it is neither JSON nor a form, all that follows the name of a secret is masked. */
export function maskBody(text: string, type: string): string {
  const shown = text.replaceAll(SESSION, `$1${MASK}`);
  if (!isSuspect(shown)) return shown;
  // A client that names no type of its JSON may say that it is a form. A form has none of these characters.
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type) && !/["'<{\s]/.test(shown);
  return isForm ? maskQuery(shown) : (maskJson(shown) ?? maskAfter(WORD, shown));
}

/** @returns the same text if it has no secret; `undefined` if it is not complete JSON */
function maskJson(text: string): string | undefined {
  let isMasked = false;
  const masked = (name: string, value: unknown) => {
    const shown = isSecret(name) ? MASK : typeof value === "string" ? maskPair(value) : value;
    isMasked ||= shown !== value;
    return shown;
  };
  try {
    const value: unknown = JSON.parse(text, masked);
    return isMasked ? JSON.stringify(value) : text;
  } catch {
    return undefined;
  }
}
