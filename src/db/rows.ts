import { getTableColumns } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/** The members of a row: `undefined` for NULL. */
type MembersOf<Row> = {
  [Name in keyof Row]: Exclude<Row[Name], null> | (null extends Row[Name] ? undefined : never);
};

/** The values of these members in a row: NULL for each that is absent. */
type ColumnsOf<Members> = {
  [Name in keyof Members]-?:
    | Exclude<Members[Name], undefined>
    | (undefined extends Members[Name] ? null : never);
};

/** The members of a resource that a row has. NULL is an absent one. */
export function membersOf<Row extends object>(row: Row): MembersOf<Row> {
  const members = Object.entries(row).map(([name, value]) => [name, value ?? undefined]);
  // They have the names of the row.
  return Object.fromEntries(members) as MembersOf<Row>;
}

/** The values that a resource has in the columns of its table. */
export function columnsOf<Members extends object>(
  table: SQLiteTable,
  members: Members,
): ColumnsOf<Members> {
  const names = Object.keys(getTableColumns(table));
  const columns = names.map((name) => [name, Reflect.get(members, name) ?? null]);
  // Members have the names of their columns.
  return Object.fromEntries(columns) as ColumnsOf<Members>;
}
