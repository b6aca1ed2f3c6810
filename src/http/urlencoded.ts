/** The largest number of parameters in a query, and of fields in a form. */
export const MAX_PARAMETERS = 1000;

/** Some clients append this to the name of a parameter with several values. */
const INDEX = /\[\d*\]$/;

/**
 * The parameters of a query or a urlencoded form, by name and in order. `status[]` and `status[0]` mean `status` (interface
 * §2.4.3).
 * @returns `undefined` for more than `MAX_PARAMETERS`, an invalid escape or invalid UTF-8; `URLSearchParams` would accept
 *   all of them
 */
export function parseQuery(url: string): Record<string, string[]> | undefined {
  const start = url.indexOf("?");
  const parameters: Record<string, string[]> = Object.create(null);
  if (start < 0) return parameters;
  const pairs = url.slice(start + 1).split("&", MAX_PARAMETERS + 1);
  if (pairs.length > MAX_PARAMETERS) return undefined;
  try {
    for (const pair of pairs) {
      if (pair === "") continue;
      const [name = "", ...value] = pair.replaceAll("+", " ").split("=");
      const meant = decodeURIComponent(name).replace(INDEX, "");
      (parameters[meant] ??= []).push(decodeURIComponent(value.join("=")));
    }
    return parameters;
  } catch {
    return undefined;
  }
}
