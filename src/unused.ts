// Replaces files of Drizzle and Hono that we do not use, to keep the bundle small. `browser` in package.json tells esbuild
// which.

/** Drizzle's `pg-core/columns/enum.js`. We do not use Postgres. */
export const isPgEnum = (): boolean => false;

const isUnused = (): never => {
  throw new Error("src/unused.ts replaces this");
};

/** Drizzle's `sqlite-core/columns/all.js`, for tables whose columns come from a function. Ours do not. */
export const getSQLiteColumnBuilders = isUnused;

/** Hono's `utils/body.js`. src/http/body.ts reads bodies. */
export const parseBody = isUnused;

/** Hono's `utils/mount.js`. */
export const createMountedRequest = isUnused;
