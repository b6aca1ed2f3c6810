import type { Database } from "./client.ts";

/**
 * Prepares a query once per database, with `sql.placeholder` for its parameters. In a Durable Object, the database lives as long
 * as the data, which saves 40 to 120 µs per query; on D1, it lives for one request.
 */
export function prepareOnce<Query>(build: (db: Database) => Query): (db: Database) => Query {
  const queries = new WeakMap<Database, Query>();
  return (db) => {
    const query = queries.get(db) ?? build(db);
    queries.set(db, query);
    return query;
  };
}
