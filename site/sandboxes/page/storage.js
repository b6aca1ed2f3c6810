// What this browser keeps: the sandboxes that were opened in it, with nicknames, and the data that was last chosen in a tab.

const KEY = "sandboxes";
const MOST = 8;

/** Uses the browser's storage. Returns `undefined` where the browser blocks it, or if it is full. */
function attempt(work) {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Returns the names with nicknames and the times at which they were opened, the latest first. */
export const recent = () => attempt(() => JSON.parse(localStorage.getItem(KEY))) ?? [];

const store = (list) => attempt(() => localStorage.setItem(KEY, JSON.stringify(list.slice(0, MOST))));

const without = (name) => recent().filter((each) => each.name !== name);

/** Returns the nickname of a sandbox; an empty text if it has none. */
export const nicknameOf = (name) => recent().find((each) => each.name === name)?.nickname ?? "";

export const remember = (name, nickname = nicknameOf(name)) =>
  store([{ name, nickname, at: Date.now() }, ...without(name)]);

export const forget = (name) => store(without(name));

const keyOf = (name) => `data of ${name}`;

/** Remembers for a reset what was chosen. If it is too large for the browser, a reset asks. */
export function rememberData(name, data) {
  attempt(() => sessionStorage.removeItem(keyOf(name)));
  attempt(() => sessionStorage.setItem(keyOf(name), data));
}

/** Returns the data that was chosen last, as text; `undefined` if it is not known. */
export const lastData = (name) => attempt(() => sessionStorage.getItem(keyOf(name))) ?? undefined;
