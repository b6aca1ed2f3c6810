import { fillPlaceholders, sql } from "drizzle-orm";
import type { Placeholder, Query } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";

/**
 * Drizzle's query builder. It only builds: statements are compiled once, when the Worker starts, and run
 * by `Database`, because building the same SQL anew would cost each request more than all else it does.
 */
// No query of this instance is ever run, so it needs no client.
export const builder = drizzle({} as D1Database);

/** A named parameter of a statement. */
export interface Parameter<Value> extends Placeholder {
  /** Never set: carries the type of the value. */
  readonly value?: Value;
}

type Parameters<Values> = { readonly [Name in keyof Values]: Parameter<Values[Name]> };

/** A query of the builder that gives rows. */
interface Buildable<Row> extends PromiseLike<Row[]> {
  toSQL(): Query;
}

/** SQL that was compiled once; `Values` are its parameters, `Row` what it gives. */
export interface Statement<Values extends object, Row> {
  readonly sql: string;
  readonly bind: (values: Values) => unknown[];
  /** Never set: carries the type of the rows, which D1 keys by column name. */
  readonly row?: Row;
}

/**
 * Compiles a query.
 * @param build gets the parameters by name, typed by its annotation, and gives the query
 */
export function statement<Values extends object, Row>(
  build: (parameters: Parameters<Values>) => Buildable<Row>,
): Statement<Values, Row> {
  const parameters = new Proxy({} as Parameters<Values>, {
    get: (_, name) => sql.placeholder(String(name)),
  });
  const query = build(parameters).toSQL();
  return {
    sql: query.sql,
    bind: (values) => fillPlaceholders(query.params, values as Record<string, unknown>),
  };
}
