// Runs in workerd around a Worker, the module "contestant.js". A request to /bench/trial calls the Worker with bindings that
// answer immediately. Any other reaches it with stubs of the limiters and the log: Miniflare simulates a limiter with a
// Durable Object, which costs more than the rest of a request, and parses each line of the log in the process that makes
// the load.
import type { Sql } from "./sql.ts";
import type { Asked } from "./workloads.ts";

/** A request to measure, and how often to send it. */
export interface Trial extends Asked {
  /** The media type of the body. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status that the answer must have. */
  readonly status: number;
  /** The rows that D1 returns. */
  readonly rows: readonly object[];
  readonly count: number;
}

interface Worker {
  fetch(request: Request, env: object, context: ExecutionContext): Response | Promise<Response>;
}

const limiter = { limit: async () => ({ success: true }) };

/** The bindings of a Worker or of a sandbox, with the stub of the limiters. */
const limitless = (env: object) => ({
  ...env,
  REQUESTS: limiter,
  LOGINS: limiter,
  LOGINS_PER_USER: limiter,
  NEW_STORES: limiter,
});
const bindings = new WeakMap<object, object>();

console.log = () => undefined;

/** D1, KV and R2 as stubs. */
function stubs(env: Env & { readonly SQL: Sql }, rows: readonly object[]): object {
  const meta = { duration: 0, rows_read: rows.length, rows_written: 0 };
  const result = { success: true, results: rows, meta };
  const prepared = { bind: () => prepared, all: async () => result };
  const session = {
    prepare: () => prepared,
    batch: async (statements: readonly unknown[]) => statements.map(() => result),
    getBookmark: () => "00000001-00000002-00000003-0123456789abcdef0123456789abcdef",
  };
  const stored = { size: 1, httpEtag: '"0123456789abcdef"', httpMetadata: {} };
  return limitless({
    ...env,
    DB: { withSession: () => session },
    SESSIONS: { put: async () => undefined, delete: async () => undefined },
    IMAGES: { put: async () => stored, head: async () => stored, delete: async () => undefined },
  });
}

/** Calls the Worker, one request after another. @throws Error if an answer has another status */
async function run(worker: Worker, trial: Trial, env: object, context: ExecutionContext) {
  const { method, path, body, type = "application/json", count } = trial;
  const bytes = body === undefined ? undefined : new TextEncoder().encode(body);
  const headers = {
    ...trial.headers,
    ...(bytes && { "Content-Type": type, "Content-Length": String(bytes.byteLength) }),
  };
  for (let done = 0; done < count; done++) {
    const request = new Request(`http://localhost/v2${path}`, {
      method,
      headers,
      ...(bytes && { body: bytes }),
    });
    const response = await worker.fetch(request, env, context);
    const text = await response.text();
    if (response.status !== trial.status) throw new Error(`${response.status}: ${text}`);
  }
}

const name = "contestant.js";

// oxlint-disable-next-line import/no-default-export -- workerd requires it
export default {
  async fetch(
    request: Request,
    env: Env & { readonly SQL: Sql },
    context: ExecutionContext,
  ): Promise<Response> {
    if (request.url.endsWith("/bench/nothing")) return new Response();
    const { default: worker } = (await import(`./${name}`)) as { default: Worker };
    if (request.url.endsWith("/bench/load")) return new Response();
    if (request.url.endsWith("/bench/trial")) {
      const trial = await request.json<Trial>();
      await run(worker, trial, stubs(env, trial.rows), context);
      return new Response();
    }
    const bound = bindings.get(env) ?? limitless(env);
    bindings.set(env, bound);
    return worker.fetch(request, bound, context);
  },
};
