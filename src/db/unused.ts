// Stands in the bundle for files of drizzle that it would have for nothing: `browser` in package.json names them.

/** Of `pg-core/columns/enum.js`. Nothing here is of Postgres. */
export const isPgEnum = (): boolean => false;

/** Of `sqlite-core/columns/all.js`: for tables that name their columns by a function. Those of src/db/schema.ts do not. */
export const getSQLiteColumnBuilders = (): object => ({});
