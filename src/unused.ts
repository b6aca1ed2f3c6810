// Stands in the bundle for files of drizzle and Hono that it would have for nothing: `browser` in package.json names
// them, and esbuild reads that.

/** Of drizzle's `pg-core/columns/enum.js`. Nothing here is of Postgres. */
export const isPgEnum = (): boolean => false;

const isUnused = (): never => {
  throw new Error("src/unused.ts stands for this");
};

/** Of drizzle's `sqlite-core/columns/all.js`: for tables that name their columns by a function. */
export const getSQLiteColumnBuilders = isUnused;

/** Of Hono's `utils/body.js`: src/http/body.ts reads bodies. */
export const parseBody = isUnused;

/** Of Hono's `utils/mount.js`. */
export const createMountedRequest = isUnused;
