/**
 * Sends a request to the service.
 * @throws Error with the service's message, `status` and `errors`, if the request fails
 */
export async function send(method, url, json, headers) {
  const response = await fetch(url, {
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
export const read = async (url) => (await send("GET", url)).json();
