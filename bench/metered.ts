// Counts what a Worker asks of D1. Runs beside the bundle of a contestant, which is the module "contestant.js".

/** The calls to D1, and what they cost. */
export interface Meter {
  readonly roundTrips: number;
  readonly statements: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
}

interface Worker {
  fetch(request: Request, env: object, context: ExecutionContext): Response | Promise<Response>;
}

const name = "contestant.js";
const originals = new WeakMap<object, D1PreparedStatement>();
let meter = { roundTrips: 0, statements: 0, rowsRead: 0, rowsWritten: 0 };

function count<Result extends D1Result>(result: Result): Result {
  meter.statements++;
  meter.rowsRead += result.meta.rows_read;
  meter.rowsWritten += result.meta.rows_written;
  return result;
}

function meteredStatement(statement: D1PreparedStatement): D1PreparedStatement {
  const all = async () => {
    meter.roundTrips++;
    return count(await statement.all());
  };
  const counted = {
    bind: (...values: unknown[]) => meteredStatement(statement.bind(...values)),
    all,
    run: all,
    // Drizzle reads rows with this method. The real raw() would not give the figures to the meter.
    raw: async () => (await all()).results.map((row) => Object.values(row)),
  } as unknown as D1PreparedStatement;
  originals.set(counted, statement);
  return counted;
}

function metered<DB extends D1Database | D1DatabaseSession>(db: DB): DB {
  return {
    prepare: (sql: string) => meteredStatement(db.prepare(sql)),
    batch: async (statements: D1PreparedStatement[]) => {
      meter.roundTrips++;
      const results = await db.batch(statements.map((one) => originals.get(one) ?? one));
      return results.map(count);
    },
    ...("withSession" in db
      ? { withSession: (constraint: string) => metered(db.withSession(constraint)) }
      : { getBookmark: () => db.getBookmark() }),
  } as unknown as DB;
}

const known = new WeakMap<object, object>();
// As in local.ts.
const limiter = { limit: async () => ({ success: true }) };

// oxlint-disable-next-line import/no-default-export -- workerd takes the Worker from it
export default {
  /** `/meter` returns the figures since it was last called. Everything else goes to the contestant. */
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    if (new URL(request.url).pathname === "/meter") {
      const figures: Meter = meter;
      meter = { roundTrips: 0, statements: 0, rowsRead: 0, rowsWritten: 0 };
      return Response.json(figures);
    }
    const { default: worker } = (await import(`./${name}`)) as { default: Worker };
    const bindings = known.get(env) ?? {
      ...env,
      DB: metered(env.DB),
      REQUESTS: limiter,
      LOGINS: limiter,
      LOGINS_PER_USER: limiter,
    };
    known.set(env, bindings);
    return worker.fetch(request, bindings, context);
  },
};
