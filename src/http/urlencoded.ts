/** The largest number of parameters in a query, and of fields in a form. */
export const MAX_PARAMETERS = 1000;

/** What some clients write behind the name of a parameter that has several values. */
const INDEX = /\[\d*\]$/;

type Parameters = Record<string, string[]>;

/**
 * The parameters of a URL's query, by name and in order. `status[]` and `status[0]` mean `status` (interface §2.4.3).
 * @returns `undefined` as `parseFields` does
 */
export function parseQuery(url: string): Parameters | undefined {
  const start = url.indexOf("?");
  const query = start < 0 ? "" : url.slice(start + 1);
  return parseFields(query, (name) => name.replace(INDEX, ""));
}

/**
 * The fields of a urlencoded form, by name and in order.
 * @param meant what a name stands for
 * @returns `undefined` for more than `MAX_PARAMETERS`, or for an invalid escape or invalid UTF-8, which
 *   `URLSearchParams` would accept
 */
export function parseFields(text: string, meant = (name: string) => name): Parameters | undefined {
  const fields: Parameters = Object.create(null);
  const pairs = text.split("&", MAX_PARAMETERS + 1);
  if (pairs.length > MAX_PARAMETERS) return undefined;
  try {
    for (const pair of pairs) {
      if (pair === "") continue;
      const [name = "", ...value] = pair.replaceAll("+", " ").split("=");
      (fields[meant(decodeURIComponent(name))] ??= []).push(decodeURIComponent(value.join("=")));
    }
    return fields;
  } catch {
    return undefined;
  }
}
