import { fillPlaceholders, getTableColumns, sql } from "drizzle-orm";
import type { Placeholder, Query, SQL } from "drizzle-orm";
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
 * Drizzle's query builders. They only build: statements are compiled once, and run by `Database`, because building
 * the SQL again would cost each request more than everything else that it does.
 * Drizzle's code that runs queries, a third of it, stays out of the Worker.
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

/** A query of the builder that returns rows. */
interface Buildable<Row> extends PromiseLike<Row[]> {
  toSQL(): Query;
}

/**
 * A row as `INSERT … SELECT` takes it: its values in the order of the table.
 * @param values of every column
 */
export function rowOf<Table extends SQLiteTable>(
  table: Table,
  values: Readonly<Record<keyof Table["$inferSelect"], SQL | Placeholder>>,
): SQL {
  const columns = Object.keys(getTableColumns(table)) as (keyof Table["$inferSelect"])[];
  return sql.join(
    columns.map((name) => sql`${values[name]}`),
    sql`, `,
  );
}

/** A statement with its values, which `Database` runs. */
export interface Bound<Row> {
  readonly sql: string;
  readonly values: unknown[];
  /** Never set: carries the type of the rows, which D1 keys by column name. */
  readonly row?: Row;
}

/** The rows that each of several statements returns. */
export type RowsOf<Statements extends readonly Bound<unknown>[]> = {
  [Index in keyof Statements]: Statements[Index] extends Bound<infer Row> ? Row[] : never;
};

/**
 * SQL that takes `Values` and returns rows. A statement that reads is named for its result, another for what it does.
 */
export type Statement<Values extends object, Row> = (values: Values) => Bound<Row>;

const named = new Proxy({} as Readonly<Record<string, Placeholder>>, {
  get: (_, name) => sql.placeholder(String(name)),
});

/** Compiles each statement, so that a test can check all of them. */
export const compilers: (() => Query)[] = [];

/**
 * A statement, compiled when it is first used: to compile all of them would take most of the time in which a Worker
 * starts.
 * @param build gets the parameters by name, typed by its annotation, and returns the query
 * @example
 * const petById = statement((p: { id: Parameter<number> }) =>
 *   builder.select().from(pets).where(eq(pets.id, p.id)),
 * );
 * const [pet] = await db.read(petById({ id: 1 }));
 */
export function statement<Values extends object, Row>(
  build: (parameters: ParametersOf<Values>) => Buildable<Row>,
): Statement<Values, Row> {
  let compiled: Query | undefined;
  const compile = () => (compiled ??= build(named as ParametersOf<Values>).toSQL());
  compilers.push(compile);
  return (values) => {
    const { sql: text, params } = compile();
    return { sql: text, values: fillPlaceholders(params, values as Record<string, unknown>) };
  };
}
