// Runs in workerd and calls the handler of a Worker, the module "contestant.js", with stubs that answer immediately.
import type { Sql } from "./sql.ts";

/** The request to measure, and how often to send it. */
export interface Trial {
  readonly method: string;
  readonly url: string;
  readonly body?: string;
  /** The body, if it is not text. */
  readonly base64?: string;
  /** The body's media type. Default: JSON. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The expected status. Default: any. */
  readonly expected?: number;
  /** The rows that D1 returns. */
  readonly rows: readonly Record<string, unknown>[];
  readonly count: number;
  readonly sql: Sql;
  readonly vars: Readonly<Record<string, string>>;
}

interface Worker {
  fetch(request: Request, env: object, context: ExecutionContext): Response | Promise<Response>;
}

const IMAGE = new Uint8Array(64 * 1024);
const ETAG = "0123456789abcdef0123456789abcdef";

/** R2's metadata of an image. */
const IMAGE_OBJECT = {
  size: IMAGE.byteLength,
  etag: ETAG,
  httpEtag: `"${ETAG}"`,
  httpMetadata: { contentType: "image/png" },
};

/** D1, KV, R2 and the rate limiters as stubs. */
function stubs({ rows, sql, vars }: Trial): object {
  const meta = { duration: 0, rows_read: rows.length, rows_written: 0 };
  const result = { success: true, results: rows, meta };
  const raw = rows.map((row) => Object.values(row));
  const prepared = {
    bind: () => prepared,
    all: async () => result,
    raw: async () => raw,
    run: async () => result,
  };
  const session = {
    prepare: () => prepared,
    batch: async (statements: readonly unknown[]) => statements.map(() => result),
    getBookmark: () => "00000001-00000002-00000003-0123456789abcdef0123456789abcdef",
  };
  return {
    ...vars,
    SQL: sql,
    DB: { ...session, withSession: () => session },
    SESSIONS: { put: async () => undefined, delete: async () => undefined },
    IMAGES: {
      put: async () => IMAGE_OBJECT,
      get: async () => ({ ...IMAGE_OBJECT, body: new Response(IMAGE).body }),
      head: async () => IMAGE_OBJECT,
      delete: async () => undefined,
    },
    REQUESTS: { limit: async () => ({ success: true }) },
    LOGINS: { limit: async () => ({ success: true }) },
    LOGINS_PER_USER: { limit: async () => ({ success: true }) },
  };
}

// workerd formats each line of the log for a terminal, which production does not.
console.log = () => undefined;

const name = "contestant.js";

// oxlint-disable-next-line import/no-default-export -- workerd requires it
export default {
  /** `/nothing` does nothing, `/load` loads the Worker, any other path runs the trial in the body. */
  async fetch(request: Request, _env: object, context: ExecutionContext): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/nothing") return new Response();
    const { default: worker } = (await import(`./${name}`)) as { default: Worker };
    if (pathname === "/load") return new Response();
    const trial = await request.json<Trial>();
    const env = stubs(trial);
    const { method, url, body, base64, type = "application/json", expected, count } = trial;
    const bytes =
      base64 === undefined ? new TextEncoder().encode(body) : Uint8Array.fromBase64(base64);
    const hasBody = body !== undefined || base64 !== undefined;
    const init: RequestInit = {
      method,
      headers: {
        ...trial.headers,
        ...(hasBody && { "Content-Type": type, "Content-Length": String(bytes.byteLength) }),
      },
      ...(hasBody && { body: bytes }),
    };
    let status = 0;
    for (let done = 0; done < count; done++) {
      const response = await worker.fetch(new Request(url, init), env, context);
      ({ status } = response);
      await response.arrayBuffer();
      if (expected !== undefined && status !== expected) break;
    }
    return Response.json({ status });
  },
};
