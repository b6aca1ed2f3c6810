/** The path of the page. What the pages request is below it, also behind a proxy. */
export const base = location.pathname.replace(/\/$/, "");

/**
 * Sends a request to the service.
 * @param path below that of the page
 * @throws Error with the service's message, `status` and `errors`, if the request fails
 */
export async function send(method, path, json, headers) {
  const response = await fetch(base + path, {
    method,
    headers: json ? { "Content-Type": "application/json", ...headers } : headers,
    body: json && JSON.stringify(json),
  });
  if (response.ok) return response;
  const { message = response.statusText, errors = [] } = await response.json().catch(() => ({}));
  const reasons = errors.map((each) => `${each.path} ${each.message}`);
  throw Object.assign(new Error([message, ...reasons.slice(0, 3)].join("; ")), {
    status: response.status,
    errors,
  });
}

/** Reads JSON. */
export const read = async (path) => (await send("GET", path)).json();
