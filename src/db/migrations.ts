import store from "../../migrations/0000_store.sql";

/** The migrations in order, for sandboxes, which apply them themselves. Wrangler applies the same files to D1. */
export const MIGRATIONS: readonly { readonly name: string; readonly sql: string }[] = [
  { name: "0000_store", sql: store },
];
