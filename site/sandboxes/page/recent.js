// The sandboxes that were opened in this browser. The list is kept nowhere else.

const KEY = "sandboxes";

const MOST = 8;

/** Returns the names, and when each was opened, the latest first. Empty where the browser stores nothing. */
export function recent() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? [];
  } catch {
    return [];
  }
}

function store(list) {
  try {
    localStorage.setItem(KEY, JSON.stringify(list.slice(0, MOST)));
  } catch {
    // The browser stores nothing, so there is no list.
  }
}

const without = (name) => recent().filter((each) => each.name !== name);

export const remember = (name) => store([{ name, at: Date.now() }, ...without(name)]);

export const forget = (name) => store(without(name));
