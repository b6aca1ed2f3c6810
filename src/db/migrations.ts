import sql0000 from "../../migrations/0000_tables.sql";
import sql0001 from "../../migrations/0001_orphaned-uploads-and-ids.sql";

/**
 * The migrations in order, for sandboxes, which apply them themselves. Wrangler applies the same files to D1. `npm run
 * migration` writes this file.
 */
export const MIGRATIONS: readonly string[] = [sql0000, sql0001];
