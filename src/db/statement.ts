import { fillPlaceholders, getTableColumns, sql } from "drizzle-orm";
import type { Column, Placeholder, Query, SQL } from "drizzle-orm";
import type { CasingCache } from "drizzle-orm/casing";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/** SQLite's syntax for names and parameters. Every column has the name of its member. */
const SQLITE: Parameters<SQL["toQuery"]>[0] = {
  casing: { getColumnCasing: ({ name }: Column) => name } as CasingCache,
  escapeName: (name) => `"${name}"`,
  escapeParam: () => "?",
  escapeString: (text) => `'${text.replaceAll("'", "''")}'`,
};

/** A named parameter of a statement. */
export interface Parameter<Value> extends Placeholder {
  /** Never set: carries the type of the value. */
  readonly value?: Value;
}

/** The parameters of a statement that takes these values. */
export type ParametersOf<Values> = { readonly [Name in keyof Values]: Parameter<Values[Name]> };

/** Values by column name. */
type ByName = Readonly<Record<string, SQL | Placeholder>>;

/**
 * Every column of a table, with a parameter of the same name as its value.
 * @param except columns to leave out
 * @param write replaces the parameter
 */
export function columnsOf<Rows extends SQLiteTable>(
  table: Rows,
  except: readonly (keyof Rows["$inferSelect"])[],
  write = (parameter: Placeholder, _column: Column): SQL | Placeholder => parameter,
): ByName {
  const columns = Object.entries(getTableColumns(table)).filter(([name]) => !except.includes(name));
  return Object.fromEntries(
    columns.map(([name, column]) => [name, write(sql.placeholder(name), column)]),
  );
}

/** Joins SQL with commas. */
export function list(items: Parameters<typeof sql.join>[0]): SQL {
  return sql.join(items, sql`, `);
}

const namesOf = (values: object): SQL =>
  list(Object.keys(values).map((name) => sql.identifier(name)));

/** Columns and their values, to follow `insert into ${table}`. */
export function rowOf(values: ByName): SQL {
  return sql`(${namesOf(values)}) values (${list(Object.values(values))})`;
}

/** The same with a SELECT, so that FROM and WHERE can follow. */
export function rowsOf(values: ByName): SQL {
  return sql`(${namesOf(values)}) select ${list(Object.values(values))}`;
}

/** Columns and their new values, to follow `update ${table} set`. */
export function assignments(values: ByName): SQL {
  return list(
    Object.entries(values).map(([name, value]) => sql`${sql.identifier(name)} = ${value}`),
  );
}

/** A statement with its values, ready for `Database`. */
export interface Bound<Row> {
  readonly sql: string;
  readonly values: unknown[];
  /** Never set: carries the type of the rows, which D1 keys by column name. */
  readonly row?: Row;
}

/** The rows of each of several statements. */
export type RowsOf<Statements extends readonly Bound<unknown>[]> = {
  [Index in keyof Statements]: Statements[Index] extends Bound<infer Row> ? Row[] : never;
};

/** SQL that takes `Values` and returns rows. A read is named after its result, a write after its effect. */
export type Statement<Values extends object, Row> = (values: Values) => Bound<Row>;

const named = new Proxy({} as Readonly<Record<string, Placeholder>>, {
  get: (_, name) => sql.placeholder(String(name)),
});

/** Every statement, for the test that checks them all. */
export const compilers: (() => Query)[] = [];

/**
 * A statement, compiled by Drizzle when it is first used: compiling all of them would dominate a Worker's start-up
 * (docs/decisions/003-statements-compiled-once.md).
 * @param build makes the SQL from the parameters; its annotations give the types of the values and the rows
 * @example
 * const petById = statement(
 *   (p: { id: Parameter<number> }) => sql<PetRow>`select * from ${pets} where ${pets.id} = ${p.id}`,
 * );
 * const [pet] = await db.read(petById({ id: 1 }));
 */
export function statement<Values extends object, Row>(
  build: (parameters: ParametersOf<Values>) => SQL<Row>,
): Statement<Values, Row> {
  let compiled: Query | undefined;
  const compile = () => (compiled ??= build(named as ParametersOf<Values>).toQuery(SQLITE));
  compilers.push(compile);
  return (values) => {
    const { sql: text, params } = compile();
    return { sql: text, values: fillPlaceholders(params, values as Record<string, unknown>) };
  };
}
