// The pages' own requests to sandboxes: https://…/stores/{store}. They are outside the interface, so they ignore
// rules, are not recorded and do not extend the sandbox's life.

/** Where the browser keeps the names of the sandboxes that its pages made. */
const MADE = "sandboxes";

/** The most names that it keeps. */
const MOST = 20;

/** The path of a sandbox. */
export const pathOf = (store) => `/stores/${store}`;

/**
 * Makes a sandbox with classic data and a random name, and keeps the name.
 * @param key the API key, where only its owner makes sandboxes
 */
export async function makeStore(key) {
  const headers = key && { api_key: key };
  const { store } = await (await send("POST", "/stores", { data: "classic" }, headers)).json();
  remember([store, ...storesMade()]);
  return store;
}

/** The names of the sandboxes that this browser made, newest first. */
export function storesMade() {
  try {
    return JSON.parse(localStorage.getItem(MADE) ?? "[]");
  } catch {
    // The browser may keep nothing.
    return [];
  }
}

export const forgetStore = (store) => remember(storesMade().filter((name) => name !== store));

function remember(names) {
  try {
    localStorage.setItem(MADE, JSON.stringify(names.slice(0, MOST)));
  } catch {
    // The browser may keep nothing.
  }
}

/** The state of the sandbox; `null` if it does not exist. */
export async function describe(store) {
  try {
    return await read(pathOf(store));
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

/** Sends a request. @throws Error with the service's message, `status` and `errors`, if the request fails */
export async function send(method, path, json, headers) {
  const body = json && {
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(json),
  };
  const response = await fetch(path, { method, ...body });
  if (response.ok) return response;
  const { status } = response;
  const { message = response.statusText, errors = [] } = await response.json().catch(() => ({}));
  const fields = errors.map((error) => `${error.path} ${error.message}`);
  const text = [`${status} ${message}`, ...fields.slice(0, 3)].join("; ");
  throw Object.assign(new Error(text), { status, errors });
}

/** Reads a text. @throws Error with the service's message if the request fails */
export const readText = async (path) => (await send("GET", path)).text();

/** Reads JSON. @throws Error with the service's message if the request fails */
export const read = async (path) => (await send("GET", path)).json();
