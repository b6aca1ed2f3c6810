// The requests of the pages to stores of one's own: https://…/stores/{store}.

/** The path of a store. */
export const pathOf = (store) => `/stores/${store}`;

/** Makes a store under a random name. @returns its name */
export async function makeStore(data) {
  const { store } = await (await send("POST", "/stores", { data })).json();
  return store;
}

/** What the store says about itself; `undefined` if it does not exist. */
export async function describe(store) {
  const response = await fetch(pathOf(store), { headers: { Accept: "application/json" } });
  if (response.status === 404) return undefined;
  return (await checked(response)).json();
}

/** All that the store holds. It is not below `/v2`, so it is not in the log of the store. */
export async function contentOf(store) {
  return (await send("GET", `${pathOf(store)}/data`)).json();
}

/** Sends a request. @throws Error with the service's message, if it refuses */
export async function send(method, path, json) {
  const body = json && {
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(json),
  };
  return checked(await fetch(path, { method, ...body }));
}

async function checked(response) {
  if (response.ok) return response;
  const { message, errors = [] } = await response.json().catch(() => ({}));
  const why = [message ?? response.statusText, ...errors.map((error) => error.message)];
  throw new Error(`${response.status} ${why.join(": ")}`);
}
