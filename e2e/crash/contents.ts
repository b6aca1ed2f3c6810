// What is written: every member of a content carries the same number, and no two writes share one, so that
// a row that was mixed from two writes shows.
import type { Content } from "./ledger.ts";

export const STATUSES = ["available", "pending", "sold"] as const;
/** Shared by many pets; every pet has a tag of its own besides. */
export const TAGS = ["dog", "cat", "good boy", "ö", "1"] as const;
const ORDER_STATUSES = ["placed", "approved", "delivered"] as const;

/** Up to so many URLs: some pets fit a page of SQLite, others take several. */
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

/** What a form can change of a pet. */
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
