/** The path of the page. What the pages request is below it, also behind a proxy. */
export const base = location.pathname.replace(/\/$/, "");

/** The URL of the page, without a slash at its end. */
export const url = location.origin + base;

const NO_ANSWER = "The service does not answer. Check that it runs, and try again.";

/**
 * Sends a request to the service.
 * @param path below that of the page
 * @param data an object, or text that is JSON already
 * @throws Error with the service's message, `status` and `errors`. The status is 0 if there was no answer
 */
export async function send(method, path, data, headers) {
  const response = await fetch(base + path, {
    method,
    headers: data ? { "Content-Type": "application/json", ...headers } : headers,
    body: typeof data === "object" ? JSON.stringify(data) : data,
  }).catch(() => {
    throw Object.assign(new Error(NO_ANSWER), { status: 0, errors: [] });
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
