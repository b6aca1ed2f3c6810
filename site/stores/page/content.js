import { itemOf } from "../../docs/pets.js";

/** The largest number of pets, of orders and of users that the page shows. */
const MOST = 24;

const element = (id) => document.getElementById(id);

const time = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** A sentence about what a store holds and when it ends. */
export function sentenceOn({ pets, orders, users, bytes, expiresAt }) {
  const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  const counts = [counted(pets, "pet"), counted(orders, "order"), counted(users, "user")];
  return `It has ${counts.join(", ")}, in ${size} of 10 MB. Unused, it ends on ${time.format(new Date(expiresAt))}.`;
}

const counted = (count, name) => `${count} ${name}${count === 1 ? "" : "s"}`;

/**
 * Shows what a store holds.
 * @param base the path of the interface on the store
 */
export function showContent({ pets, orders, users }, base) {
  list("pets", pets, (pet) => itemOf(pet, base));
  list("orders", orders, ({ id, petId, quantity, status }) =>
    row(`Order ${id}`, [fact("pet", petId), fact("quantity", quantity), status]),
  );
  list("users", users, ({ id, username, firstName, lastName, email }) =>
    row(username ?? `User ${id}`, [[firstName, lastName].filter(Boolean).join(" "), email]),
  );
}

const fact = (name, value) => value !== undefined && `${name} ${value}`;

const shown = new Map();

/**
 * Keeps an item that has not changed. Otherwise the browser would load its picture again, and people would lose it
 * while they look at it.
 */
function list(id, items, render) {
  const before = shown.get(id) ?? new Map();
  const now = new Map();
  for (const item of items.slice(0, MOST)) {
    const key = JSON.stringify(item);
    now.set(key, before.get(key) ?? render(item));
  }
  shown.set(id, now);
  const more = items.length - now.size;
  element(id).replaceChildren(
    ...now.values(),
    ...(items.length === 0 ? [row("", ["none"])] : []),
    ...(more > 0 ? [row("", [`and ${more} more`])] : []),
  );
}

function row(name, facts) {
  const item = document.createElement("li");
  item.className = "row";
  const strong = document.createElement("strong");
  strong.textContent = name;
  item.append(strong, ` ${facts.filter(Boolean).join(", ")}`);
  return item;
}
