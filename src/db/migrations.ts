import tables from "../../migrations/0000_tables.sql";

/**
 * The migrations in order, for stores that apply them themselves; wrangler applies the same files to D1. A test
 * compares them with the folder.
 */
export const MIGRATIONS: readonly string[] = [tables];
