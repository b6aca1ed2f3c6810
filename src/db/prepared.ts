import { sql, type SQL } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Database } from "./client.ts";
import { oncePer } from "./once.ts";

/**
 * Prepares a query once per database, with placeholders for its parameters, which saves 40 to 120 µs per execution. On D1, the
 * database lives as long as the isolate; in a Durable Object, as long as the data.
 */
export const prepareOnce = <Query>(build: (db: Database) => Query): ((db: Database) => Query) => oncePer(build);

/**
 * Returns a placeholder for the value of each column, with the column's name. The placeholders of Drizzle itself do not keep
 * `null`: they encode it as 0 for a boolean, and as the text "null" for JSON.
 */
export function placeholders<Name extends string>(columns: Readonly<Record<Name, AnySQLiteColumn>>) {
  const entries = Object.values<AnySQLiteColumn>(columns).map((column) => {
    const encoder = { mapToDriverValue: (value: unknown) => (value === null ? null : column.mapToDriverValue(value)) };
    return [column.name, sql`${sql.param(sql.placeholder(column.name), encoder)}`];
  });
  return Object.fromEntries(entries) as Record<Name, SQL>;
}
