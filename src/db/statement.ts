import { fillPlaceholders, getTableColumns, sql } from "drizzle-orm";
import type { Column, Placeholder, Query, SQL } from "drizzle-orm";
import type { CasingCache } from "drizzle-orm/casing";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/** How SQLite writes names and parameters. Every column has the name of its member. */
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

/** The parameters of a statement, by the names of the values that it takes. */
export type ParametersOf<Values> = { readonly [Name in keyof Values]: Parameter<Values[Name]> };

/** The values of columns, by their names. */
type ByName = Readonly<Record<string, SQL | Placeholder>>;

/**
 * Every column of a table with its parameter, which has the same name.
 * @param except columns that are left out
 * @param write what is written instead of the parameter
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

/** SQL with commas between. */
export function list(items: Parameters<typeof sql.join>[0]): SQL {
  return sql.join(items, sql`, `);
}

const namesOf = (values: object): SQL =>
  list(Object.keys(values).map((name) => sql.identifier(name)));

/** Columns and their values, for after `insert into ${table}`. */
export function rowOf(values: ByName): SQL {
  return sql`(${namesOf(values)}) values (${list(Object.values(values))})`;
}

/** The same as a SELECT, so that FROM or WHERE after it can decide the rows. */
export function rowsOf(values: ByName): SQL {
  return sql`(${namesOf(values)}) select ${list(Object.values(values))}`;
}

/** Columns and their new values, for after `update ${table} set`. */
export function assignments(values: ByName): SQL {
  return list(
    Object.entries(values).map(([name, value]) => sql`${sql.identifier(name)} = ${value}`),
  );
}

/** A statement with its values, which `Database` runs. */
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

/** SQL that takes `Values` and returns rows. It is named for its result if it reads, and else for what it does. */
export type Statement<Values extends object, Row> = (values: Values) => Bound<Row>;

const named = new Proxy({} as Readonly<Record<string, Placeholder>>, {
  get: (_, name) => sql.placeholder(String(name)),
});

/** Compiles each statement, so that a test can check all of them. */
export const compilers: (() => Query)[] = [];

/**
 * A statement, compiled when it is first used: to compile all would take most of a Worker's start. Drizzle writes the
 * names of tables, columns and parameters into the SQL (docs/decisions/003-statements-compiled-once.md).
 * @param build gets the parameters by name, typed by its annotation, and returns the SQL, typed by its rows
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
