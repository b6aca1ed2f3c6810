// The requests of the pages to stores of one's own: https://…/stores/{store}. None is below the path of the interface,
// so none meets a rule, enters the log or prolongs the life of the store.

/** The path of a store. */
export const pathOf = (store) => `/stores/${store}`;

/** Makes a store under a random name. @returns its name */
export async function makeStore(data) {
  const { store } = await (await send("POST", "/stores", { data })).json();
  return store;
}

/** What the store says about itself; `null` if it does not exist. */
export async function describe(store) {
  const response = await fetch(pathOf(store), { headers: { Accept: "application/json" } });
  return response.status === 404 ? null : (await checked(response)).json();
}

/** Sends a request. @throws Error with the service's message, if it refuses */
export async function send(method, path, json) {
  const body = json && {
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(json),
  };
  return checked(await fetch(path, { method, ...body }));
}

/** The JSON at a path. @throws Error with the service's message, if it refuses */
export const read = async (path) => (await send("GET", path)).json();

async function checked(response) {
  if (response.ok) return response;
  const { message = response.statusText, errors = [] } = await response.json().catch(() => ({}));
  const fields = errors.map((error) => `${error.path} ${error.message}`);
  throw new Error([`${response.status} ${message}`, ...fields.slice(0, 3)].join("; "));
}
