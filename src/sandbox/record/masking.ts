// What nobody may find in the record of a sandbox: passwords, keys and tokens.

/** A word in any case, each letter also as an escape of JSON, of a URL, or with a backslash behind it as in a form. */
const spelled = (word: string) =>
  Array.from(word, (letter) => {
    const codes = [letter, letter.toUpperCase()].map((char) => char.charCodeAt(0).toString(16));
    return String.raw`(?:${letter}|(?:%|\\u00)(?:${codes.join("|")}))\\?`;
  }).join("");

const SECRET = String.raw`${spelled("password")}|api[-_]?key`;

/** The name of a secret: in JSON, in a form, in a query. */
const SECRET_NAME = new RegExp(SECRET, "i");

/** The name, and what follows it. */
const SECRET_REST = new RegExp(String.raw`((?:${SECRET})(?:[\w%.[\]\\-]*=)?)[^]+`, "i");

/** The same where it may also be a mere word: in a path that should have been a query, in JSON that was written twice. */
const SECRET_INSIDE = new RegExp(String.raw`((?:${SECRET})[^]{0,20}?(?:[=:]|%3[ad]))[^]+`, "i");

const SECRET_HEADER = /auth|cookie|token|secret|api[-_]?key/i;

/** One token of JSON. The first group is set if it is the name of a member. The last string may be cut. */
const TOKEN =
  /\s*(?:"(?:[^"\\]|\\[^])*(?:("\s*:)|"|\\?$)|[{}[\],]|(?:-?\d[\d.e+-]*|true|false|null)(?![\w.]))|\s+$/giy;

/** A login's answer has the token. */
const SESSION = /(logged in user session: ?)[\w-]+/gi;

const MASK = "***";

/** The value of a header. */
export const maskHeader = (name: string, value: string): string =>
  SECRET_HEADER.test(name) ? MASK : maskRest(value);

export const maskPath = (path: string): string => path.replace(SECRET_INSIDE, `$1${MASK}`);

/** A query, or a form like one. */
export const maskQuery = (query: string): string => query.split("&").map(maskRest).join("&");

/** A body, or the beginning of one. If it is in no known form, all that follows the name of a secret is masked. */
export function maskBody(text: string, type: string): string {
  const shown = text.replaceAll(SESSION, `$1${MASK}`);
  if (!SECRET_NAME.test(shown)) return shown;
  // A client that names no type of its JSON may say that it is a form. A form has none of these characters.
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type) && !/["'<{\s]/.test(shown);
  return isForm ? maskQuery(shown) : (maskJson(shown) ?? maskRest(shown));
}

const maskRest = (text: string): string => text.replace(SECRET_REST, `$1${MASK}`);

/** @returns `undefined` if the text is no JSON, or a secret is an array or an object */
function maskJson(text: string): string | undefined {
  let masked = "";
  let isSecret = false;
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < text.length;) {
    const [token, name] = TOKEN.exec(text) ?? [];
    if (token === undefined) return undefined;
    if (isSecret && (name !== undefined || /^\s*[{}[\],]/.test(token))) return undefined;
    if (isSecret) masked += token.replace(/\S[^]*/, `"${MASK}"`);
    else masked += name === undefined ? token.replace(SECRET_INSIDE, `$1${MASK}"`) : token;
    isSecret = name !== undefined && SECRET_NAME.test(token);
  }
  return masked;
}
