// The pages' own requests to sandboxes: https://…/stores/{store}. They are outside the interface, so they ignore
// rules, are not recorded and do not extend the sandbox's life.

/** The path of a sandbox. */
export const pathOf = (store) => `/stores/${store}`;

/** Makes a sandbox with a random name. @returns the name */
export async function makeStore(data) {
  const { store } = await (await send("POST", "/stores", { data })).json();
  return store;
}

/** The state of the sandbox; `null` if it does not exist. */
export async function describe(store) {
  const response = await fetch(pathOf(store), { headers: { Accept: "application/json" } });
  return response.status === 404 ? null : (await checked(response)).json();
}

/** Sends a request. @throws Error with the service's message, and its `errors`, if the request fails */
export async function send(method, path, json) {
  const body = json && {
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(json),
  };
  return checked(await fetch(path, { method, ...body }));
}

/** Reads a text. @throws Error with the service's message if the request fails */
export const readText = async (path) => (await send("GET", path)).text();

/** Reads JSON. @throws Error with the service's message if the request fails */
export const read = async (path) => (await send("GET", path)).json();

async function checked(response) {
  if (response.ok) return response;
  const { message = response.statusText, errors = [] } = await response.json().catch(() => ({}));
  const fields = errors.map((error) => `${error.path} ${error.message}`);
  const text = [`${response.status} ${message}`, ...fields.slice(0, 3)].join("; ");
  throw Object.assign(new Error(text), { errors });
}
