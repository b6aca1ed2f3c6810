/**
 * The parameters of a URL's query, form-encoded, by name and in order.
 * @returns `undefined` for an escape that is not one, or not UTF-8, which `URLSearchParams` would let pass
 */
export function parseQuery(url: string): Record<string, string[]> | undefined {
  const start = url.indexOf("?");
  const parameters: Record<string, string[]> = Object.create(null);
  if (start < 0) return parameters;
  try {
    for (const pair of url.slice(start + 1).split("&")) {
      if (pair === "") continue;
      const [name = "", ...value] = pair.replaceAll("+", " ").split("=");
      (parameters[decodeURIComponent(name)] ??= []).push(decodeURIComponent(value.join("=")));
    }
    return parameters;
  } catch {
    return undefined;
  }
}
