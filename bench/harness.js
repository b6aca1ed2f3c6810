// Wraps the production bundle in workerd. Printing each line of the log would take longer than the request.
import worker, { Sandbox as ProductionSandbox } from "./index.js";

console.log = () => undefined;

const limiter = { limit: async () => ({ success: true }) };
const LIMITERS = { REQUESTS: limiter, LOGINS: limiter, LOGINS_PER_USER: limiter, NEW_SANDBOXES: limiter };

/** A sandbox without files, whose SQLite stands in for D1. */
export class Sandbox extends ProductionSandbox {
  constructor(state, env) {
    super(state, { ...env, ...LIMITERS, IMAGES: { list: async () => ({ objects: [], truncated: false }) } });
  }

  query(sql, values) {
    const cursor = this.ctx.storage.sql.exec(sql, ...values);
    return { names: cursor.columnNames, rows: [...cursor.raw()] };
  }
}

/** Creates stubs of D1 and KV that respond at once: each query runs only the first time. */
function createStubs(sandbox) {
  const known = new Map();
  const run = async (sql, values) => {
    if (!known.has(sql)) known.set(sql, await sandbox.query(sql, values));
    return known.get(sql);
  };
  const all = async (sql, values) => {
    const { names, rows } = await run(sql, values);
    const results = rows.map((row) => Object.fromEntries(row.map((value, column) => [names[column], value])));
    return { success: true, results, meta: {} };
  };
  const bind = (sql, values) => ({
    all: async () => all(sql, values),
    raw: async () => (await run(sql, values)).rows,
  });
  const session = {
    prepare: (sql) => ({ bind: (...values) => bind(sql, values) }),
    batch: async (statements) => Promise.all(statements.map((statement) => statement.all())),
    getBookmark: () => "00000001-00000002-00000003-0123456789abcdef0123456789abcdef",
  };
  return { DB: { withSession: () => session }, SESSIONS: { put: async () => undefined } };
}

export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/trial") return worker.fetch(request, { ...env, ...LIMITERS }, context);
    const { path, ...init } = await request.json();
    if (init.body) init.headers["Content-Length"] = String(init.body.length);
    const stubs = { ...env, ...LIMITERS, ...createStubs(env.SANDBOXES.getByName(searchParams.get("sandbox"))) };
    for (let count = Number(searchParams.get("count")); count > 0; count--) {
      const response = await worker.fetch(new Request(`http://localhost/v2${path}`, init), stubs, context);
      const text = await response.text();
      if (response.status !== 200) return new Response(text, { status: 500 });
    }
    return new Response();
  },
};
