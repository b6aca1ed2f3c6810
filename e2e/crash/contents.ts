// The written data. All members of a content carry the number of its write, so a row that mixes two writes is noticed.
import type { Content } from "./ledger.ts";

export const STATUSES = ["available", "pending", "sold"] as const;
/** Many pets share these. Each pet also has a tag of its own. */
export const TAGS = ["dog", "cat", "good boy", "ö", "1"] as const;
const ORDER_STATUSES = ["placed", "approved", "delivered"] as const;

/** The most URLs. Some pets fit into a page of SQLite, and others take several. */
const MOST_URLS = 60;

const pick = <Item>(items: readonly Item[], number: number) => items[number % items.length];

export function petOf(number: number): Content {
  const url = `https://pets.example/${number}/${"x".repeat(180)}.jpg`;
  return {
    category: { id: number, name: `category ${number}` },
    name: `pet ${number}`,
    photoUrls: number % 3 === 0 ? url : Array.from({ length: number % MOST_URLS }, () => url),
    tags: [{ name: pick(TAGS, number) }, { id: number, name: `only ${number}` }],
    status: pick(STATUSES, number),
  };
}

/** The members of a pet that a form can change. */
export function petFormOf(number: number): { name: string; status: string } {
  return { name: `form ${number}`, status: pick(STATUSES, number) ?? "" };
}

export function orderOf(number: number): Content {
  return {
    petId: number,
    quantity: number,
    shipDate: `2026-12-01T09:00:00.${String(number % 1e9).padStart(9, "0")}Z`,
    status: pick(ORDER_STATUSES, number),
    complete: number % 2 === 0,
  };
}

export function userOf(number: number): Content {
  return { username: `user-${number}`, ...userDetailsOf(number), ...userSecretsOf(number) };
}

export function userDetailsOf(number: number): Content {
  return {
    firstName: `first ${number}`,
    lastName: `last ${number}`,
    email: `${number}@users.example`,
  };
}

export function userSecretsOf(number: number): Content {
  return { password: `secret ${number}`, phone: `phone ${number}`, userStatus: number };
}
