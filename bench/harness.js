// Stands in workerd around a contestant. Miniflare simulates a rate limiter with a Durable Object, which costs more than
// the rest of a request, and parses each line of the log in the process that makes the load: both are left out.
console.log = () => undefined;
const limiter = { limit: async () => ({ success: true }) };
export const limitless = (env) => ({
  ...env,
  REQUESTS: limiter,
  LOGINS: limiter,
  LOGINS_PER_USER: limiter,
  NEW_SANDBOXES: limiter,
});

/** D1 and KV that return these rows immediately. */
function instant(rows) {
  const result = { success: true, results: rows, meta: {} };
  const prepared = {
    bind: () => prepared,
    all: async () => result,
    raw: async () => rows.map((row) => Object.values(row)),
  };
  const session = {
    prepare: () => prepared,
    batch: async (statements) => statements.map(() => result),
    getBookmark: () => "00000001-00000002-00000003-0123456789abcdef0123456789abcdef",
  };
  return { DB: { withSession: () => session }, SESSIONS: { put: async () => undefined } };
}

const entry = "contestant.js";

export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (pathname === "/bench/nothing") return new Response();
    const { default: worker } = await import(`./${entry}`);
    if (pathname === "/bench/load") return new Response();
    if (pathname !== "/bench/trial") return worker.fetch(request, limitless(env), context);
    const { path, rows, count, ...init } = await request.json();
    if (init.body) init.headers["Content-Length"] = String(init.body.length);
    const stubs = { ...limitless(env), ...instant(rows) };
    for (let done = 0; done < count; done++) {
      const response = await worker.fetch(new Request(`http://localhost/v2${path}`, init), stubs, context);
      const text = await response.text();
      if (response.status !== 200) return new Response(text, { status: 500 });
    }
    return new Response();
  },
};
