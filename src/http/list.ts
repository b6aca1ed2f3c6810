import { AsyncLocalStorage } from "node:async_hooks";
import type { Context } from "hono";
import { JSON_TYPE } from "./body.ts";
import type { AppEnv } from "./env.ts";
import { sendJson } from "./send-json.ts";

/** The part of a list that a client requests. */
interface PageRange {
  readonly limit?: number | undefined;
  readonly after: number;
}

/** Returns rows with IDs above `after`, in ascending order. */
type Find<Row> = (page: { readonly after: number; readonly limit: number }) => Promise<readonly Row[]>;

/** A pet has at most 22 KB, so this many rows stay below the 16 MB that D1 returns at once. */
const MAX_ROWS = 600;

/**
 * Sends a list: one page if the client sends `limit`, otherwise the whole list, streamed page by page in constant memory.
 * @param queries the number of queries that `find` runs, each of which returns up to `limit` rows
 */
export async function sendList<Row extends { readonly id: number }, Shown>(
  c: Context<AppEnv>,
  { limit, after }: PageRange,
  queries: number,
  find: Find<Row>,
  show: (row: Row) => Shown,
) {
  const size = limit ?? Math.floor(MAX_ROWS / queries);
  // One additional row shows whether there is another page.
  const rows = await find({ after, limit: size + 1 });
  const page = rows.slice(0, size);
  const last = page.at(-1);
  const sendPage = () => sendJson(c, page.map(show), 200);
  if (rows.length <= size || !last) return sendPage();
  if (limit !== undefined) {
    c.header("Link", `<${nextPage(c, last.id)}>; rel="next"`);
    return sendPage();
  }
  c.set("isStreamed", true);
  const streamed: Response = c.body(jsonStream(page, size, find, show), 200, { "Content-Type": JSON_TYPE });
  // Gives the stream the same type as a page, because typed clients parse both in the same way.
  return streamed as ReturnType<typeof sendPage>;
}

/** Returns the path and query of the next page, however the client spelled `after`. */
function nextPage(c: Context<AppEnv>, after: number): string {
  const query = new URL(c.req.url).searchParams;
  const spelled = [...query.keys()].filter((name) => /^after(?:\[\d*\])?$/.test(name));
  for (const name of spelled) query.delete(name);
  query.set("after", String(after));
  return `${c.get("settings").publicPath}${c.req.path}?${query.toString()}`;
}

/** Streams a JSON array, and reads rows only as fast as the client does. An error cuts the response off. */
function jsonStream<Row extends { readonly id: number }>(
  first: readonly Row[],
  size: number,
  find: Find<Row>,
  show: (row: Row) => unknown,
): ReadableStream {
  async function* texts() {
    let separator = "[";
    for (let rows = first; rows.length > 0;) {
      const { id: after = 0 } = rows.at(-1) ?? {};
      yield separator + rows.map((row) => JSON.stringify(show(row))).join(",");
      separator = ",";
      rows = rows.length < size ? [] : await find({ after, limit: size });
    }
    yield "]";
  }
  const remaining = texts();
  const encoder = new TextEncoder();
  const pull = async (controller: ReadableStreamDefaultController) => {
    const { value, done } = await remaining.next();
    if (done) controller.close();
    else controller.enqueue(encoder.encode(value));
  };
  // The runtime calls `pull` outside the request's context, which has its D1 session.
  return new ReadableStream({ pull: AsyncLocalStorage.bind(pull) });
}
