/** The path of the page. Every URL that the page requests starts with it, also behind a proxy. */
export const base = location.pathname.replace(/\/$/, "");

/** The URL of the page, without a slash at its end. */
export const url = location.origin + base;

const NO_RESPONSE = "The service does not respond. Check that it is running, and try again.";

/**
 * Sends a request to the service.
 * @param path below that of the page
 * @param data an object, or text that is JSON already
 * @throws Error with the service's message, `status`, and `errors`. The status is 0 if there was no response
 */
export async function send(method, path, data, { headers, signal } = {}) {
  const response = await fetch(base + path, {
    method,
    headers: data ? { "Content-Type": "application/json", ...headers } : headers,
    body: typeof data === "object" ? JSON.stringify(data) : data,
    signal,
  }).catch(() => {
    throw Object.assign(new Error(NO_RESPONSE), { status: 0, errors: [] });
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
export const read = async (path, options) => (await send("GET", path, undefined, options)).json();
