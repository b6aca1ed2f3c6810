import { fillPlaceholders, sql } from "drizzle-orm";
import type { Placeholder, Query, SQL, SQLWrapper } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { drizzle } from "drizzle-orm/sqlite-proxy";

/** Drizzle's query builder. It is connected to nothing: `Database` in client.ts runs the statements. */
export const build = drizzle(async () => {
  throw new Error("statements run on a Database");
});

const dialect = new SQLiteAsyncDialect();

/** A named parameter of a statement. */
export type Parameter<Value> = Placeholder<string, Value>;

/** The parameters of a statement that takes these values. */
export type ParametersOf<Values> = { readonly [Name in keyof Values]: Parameter<Values[Name]> };

/** A statement with its values, ready for `Database`. */
export interface Bound<Row> {
  readonly sql: string;
  readonly values: unknown[];
  /** Never set: carries the type of the rows, which are keyed by column name. */
  readonly row?: Row;
}

/** The rows of each of several statements. */
export type RowsOf<Statements extends readonly Bound<unknown>[]> = {
  [Index in keyof Statements]: Statements[Index] extends Bound<infer Row> ? Row[] : never;
};

/** SQL that takes `Values` and returns rows. A read is named after its result, a write after its effect. */
export type Statement<Values extends object, Row> = (values: Values) => Bound<Row>;

/** The rows that a builder or a template returns. */
type RowOf<Built> =
  Built extends SQL<infer Row>
    ? Row
    : Built extends PromiseLike<readonly (infer Row)[]>
      ? Row
      : never;

const named = new Proxy({} as Readonly<Record<string, Placeholder>>, {
  get: (_, name) => sql.placeholder(String(name)),
});

/** Every statement, for the test that checks them all. */
export const compilers: (() => Query)[] = [];

/**
 * A statement, compiled by Drizzle when it is first used: compiling all of them would dominate a Worker's start-up
 * (docs/decisions/003-statements-compiled-once.md).
 * @param make builds the statement from its parameters, whose annotation gives the types of the values. A template of
 *   `sql` states the type of its rows.
 * @example
 * const petById = statement((p: { id: Parameter<number> }) =>
 *   build.select().from(pets).where(eq(pets.id, p.id)),
 * );
 * const [pet] = await db.read(petById({ id: 1 }));
 */
export function statement<Values extends object, Built extends SQLWrapper>(
  make: (parameters: ParametersOf<Values>) => Built,
): Statement<Values, RowOf<Built>> {
  let compiled: Query | undefined;
  // The proxy has every parameter that the statement asks for.
  const compile = () =>
    (compiled ??= dialect.sqlToQuery(make(named as ParametersOf<Values>).getSQL()));
  compilers.push(compile);
  return (values) => {
    const { sql: text, params } = compile();
    // TypeScript gives the type of an interface no index.
    return { sql: text, values: fillPlaceholders(params, values as Record<string, unknown>) };
  };
}
