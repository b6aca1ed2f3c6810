// What nobody may find in the record of a sandbox: passwords, keys and tokens.

/** The names of secrets: of headers, parameters, fields and members. A longer name is secret if it ends in one of them. */
const SECRETS = "password passwd pwd secret token api_key authorization cookie"
  .split(" ")
  .map(spelled)
  .join("|");

/** A name in any case: each character may be an escape of JSON or of a URL, and may have a backslash behind it. */
function spelled(name: string): string {
  return Array.from(name, (char) => {
    const forms = char === "_" ? ["_", "-"] : [char, char.toUpperCase()];
    const codes = forms.map((form) => form.charCodeAt(0).toString(16));
    const one = String.raw`(?:[${forms.join("")}]|(?:%|\\u00)(?:${codes.join("|")}))\\?`;
    return char === "_" ? `(?:${one})?` : one;
  }).join("");
}

/** What may follow a name before its value: the end of `password"`, `user[password]` or `password%5B0%5D`. */
const CLOSING = String.raw`(?:[\s\d"'[\].\\]|%(?:2[027]|5[b-d]))*`;

const NAME = new RegExp(`(?:${SECRETS})${CLOSING}$`, "i");

/** A name with its value: in a query, in a path that should have been a query, in JSON that was written twice. */
const PAIR = new RegExp(`((?:${SECRETS})${CLOSING}(?:[=:]|%3[ad]))[^]+`, "i");

/** A name, or a mere word, and all that follows. */
const REST = new RegExp(`(${SECRETS})[^]+`, "i");

/** One token of JSON. The first group is set if it is the name of a member. The last string may be cut. */
const TOKEN =
  /\s*(?:"(?:[^"\\]|\\[^])*(?:("\s*:)|"|\\?$)|[{}[\],]|(?:-?\d[\d.e+-]*|true|false|null)(?![\w.]))|\s+$/giy;

/** A part of a media type. A semicolon in quotes separates nothing. */
const PARAMETER = /(?:"(?:\\.|[^"\\])*"?|[^";])+/g;

/** A login's answer has the token. */
const SESSION = /(logged in user session: ?)[\w-]+/gi;

const MASK = "***";

/** A path, a header or a part of a query. */
export const maskPair = (text: string): string => text.replace(PAIR, `$1${MASK}`);

/** The value of a header. */
export function maskHeader(name: string, value: string): string {
  if (NAME.test(name)) return MASK;
  return name === "content-type" ? value.replaceAll(PARAMETER, maskPair) : maskPair(value);
}

/** A query, or a form like one. */
export const maskQuery = (query: string): string => query.split("&").map(maskPair).join("&");

/** A body, or the beginning of one. If it is in no known form, all that follows the name of a secret is masked. */
export function maskBody(text: string, type: string): string {
  const shown = text.replaceAll(SESSION, `$1${MASK}`);
  if (!REST.test(shown)) return shown;
  // A client that names no type of its JSON may say that it is a form. A form has none of these characters.
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type) && !/["'<{\s]/.test(shown);
  return isForm ? maskQuery(shown) : (maskJson(shown) ?? shown.replace(REST, `$1${MASK}`));
}

/** @returns `undefined` if the text is no JSON, or a secret is an array or an object */
function maskJson(text: string): string | undefined {
  let masked = "";
  let isSecret = false;
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < text.length;) {
    const [token, name] = TOKEN.exec(text) ?? [];
    if (token === undefined) return undefined;
    if (isSecret && (name !== undefined || /^\s*[{}[\],]/.test(token))) return undefined;
    if (isSecret) masked += token.replace(/\S[^]*/, `"${MASK}"`);
    else masked += name === undefined ? token.replace(PAIR, `$1${MASK}"`) : token;
    isSecret = name !== undefined && NAME.test(token.slice(0, -1));
  }
  return masked;
}
