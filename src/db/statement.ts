import { fillPlaceholders, sql } from "drizzle-orm";
import type { Placeholder, Query } from "drizzle-orm";
import {
  SQLiteAsyncDialect,
  SQLiteDeleteBase,
  SQLiteInsertBuilder,
  SQLiteSelectBuilder,
  SQLiteUpdateBuilder,
} from "drizzle-orm/sqlite-core";
import type { SQLiteTable, SelectedFields } from "drizzle-orm/sqlite-core";

const dialect = new SQLiteAsyncDialect();

// Nothing is run by a builder, so none needs a session.
const session = undefined;

/**
 * Drizzle's query builders. They only build: statements are compiled once, when the Worker starts, and run
 * by `Database`, because building the same SQL anew would cost each request more than all else it does.
 * What Drizzle has for running them, a third of it, stays out of the Worker.
 */
export const builder = {
  select,
  insert: <Table extends SQLiteTable>(table: Table) =>
    new SQLiteInsertBuilder<Table, "async", D1Result>(table, session as never, dialect),
  update: <Table extends SQLiteTable>(table: Table) =>
    new SQLiteUpdateBuilder<Table, "async", D1Result>(table, session as never, dialect),
  delete: <Table extends SQLiteTable>(table: Table) =>
    new SQLiteDeleteBase<Table, "async", D1Result>(table, session as never, dialect),
};

function select(): SQLiteSelectBuilder<undefined, "async", D1Result>;
function select<Fields extends SelectedFields>(
  fields: Fields,
): SQLiteSelectBuilder<Fields, "async", D1Result>;
function select(fields?: SelectedFields) {
  return new SQLiteSelectBuilder<SelectedFields | undefined, "async", D1Result>({
    fields,
    session,
    dialect,
  });
}

/** A named parameter of a statement. */
export interface Parameter<Value> extends Placeholder {
  /** Never set: carries the type of the value. */
  readonly value?: Value;
}

/** The parameters of a statement, by the names of the values that it takes. */
export type ParametersOf<Values> = { readonly [Name in keyof Values]: Parameter<Values[Name]> };

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
  build: (parameters: ParametersOf<Values>) => Buildable<Row>,
): Statement<Values, Row> {
  const parameters = new Proxy({} as ParametersOf<Values>, {
    get: (_, name) => sql.placeholder(String(name)),
  });
  const query = build(parameters).toSQL();
  return {
    sql: query.sql,
    bind: (values) => fillPlaceholders(query.params, values as Record<string, unknown>),
  };
}

/** A statement with its values, for `Database.batch`. */
export interface Bound<Row> {
  readonly sql: string;
  readonly values: unknown[];
  readonly row?: Row;
}

/** A statement together with the values of its parameters. */
export function bind<Values extends object, Row>(
  { sql: text, bind: fill }: Statement<Values, Row>,
  values: Values,
): Bound<Row> {
  return { sql: text, values: fill(values) };
}
