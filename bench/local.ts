// Runs a contestant with rate limiters that answer in-process, and with a log that nobody reads. Miniflare simulates
// limiters with a Durable Object, which costs more than everything else in a request. Production has counters on the
// same machine. Miniflare also reads and parses each line of the log in the process that makes the load. With METERED,
// it counts what the contestant asks of D1. Runs beside its bundle, which is the module "contestant.js".

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
const limiter = { limit: async () => ({ success: true }) };
const bindings = new WeakMap<object, object>();
const originals = new WeakMap<object, D1PreparedStatement>();
const NOTHING = { roundTrips: 0, statements: 0, rowsRead: 0, rowsWritten: 0 };
let meter = { ...NOTHING };
let loaded: Worker | undefined;

console.log = () => undefined;

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

// oxlint-disable-next-line import/no-default-export -- workerd takes the Worker from it
export default {
  /** With METERED, `/meter` returns the figures since it was last called. All else goes to the contestant. */
  async fetch(
    request: Request,
    env: Env & { readonly METERED: boolean },
    context: ExecutionContext,
  ): Promise<Response> {
    if (env.METERED && new URL(request.url).pathname === "/meter") {
      const figures: Meter = meter;
      meter = { ...NOTHING };
      return Response.json(figures);
    }
    loaded ??= ((await import(`./${name}`)) as { default: Worker }).default;
    let bound = bindings.get(env);
    if (!bound) {
      bound = {
        ...env,
        DB: env.METERED ? metered(env.DB) : env.DB,
        REQUESTS: limiter,
        LOGINS: limiter,
        LOGINS_PER_USER: limiter,
        NEW_STORES: limiter,
      };
      bindings.set(env, bound);
    }
    return loaded.fetch(request, bound, context);
  },
};
