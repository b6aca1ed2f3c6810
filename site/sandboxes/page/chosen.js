// Replaces the data, and remembers for a reset what was chosen last in this tab.
import { send } from "./api.js";

const keyOf = (name) => `data of ${name}`;

/** @param data as `PUT …/data` takes it, as text */
export function remember(name, data) {
  try {
    sessionStorage.setItem(keyOf(name), data);
  } catch {
    // It is too large for the browser, so a reset asks.
    sessionStorage.removeItem(keyOf(name));
  }
}

/** @returns `null` if nothing was chosen */
export const lastChosen = (name) => sessionStorage.getItem(keyOf(name));

export const CLASSIC = '{"data":"classic"}';
export const EMPTY = '{"data":"empty"}';

/** Replaces all data. @param data as text */
export async function putData(page, data) {
  await send("PUT", "/data", data);
  remember(page.name, data);
  // The sandbox has emptied its request log, too.
  page.requests = [];
}
