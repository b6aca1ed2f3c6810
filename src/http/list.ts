import type { Success } from "./handler.ts";
import { utf8 } from "../crypto.ts";
import { JsonText } from "../json-text.ts";

/** Items of a list up to which it is sent as a plain body, with its length. */
const FIRST_PAGE = 100;

/**
 * Items of a later page, at most: enough for a million small items in half of the 1,000 queries that D1 allows a
 * request, and few, because what a page holds in memory is all that a list holds.
 */
const LONGEST_PAGE = 2000;

/**
 * Bytes of JSON that the items of a later page should come to. A page may have a third more (src/pet/queries.ts), which
 * leaves room for items above the mean: one that is cut reads more.
 */
const PAGE_BYTES = 768 * 1024;

interface Item<Content> {
  readonly id: number;
  readonly json: JsonText<Content>;
}

const joined = (items: readonly Item<unknown>[]) => items.map(({ json }) => json.text).join(",");

/** A page of a list. */
interface Page<Content> {
  /** By ascending id; at least one, if there is one. */
  readonly items: readonly Item<Content>[];
  /** Whether there was another item behind them. */
  readonly more: boolean;
}

/** Reads at most `limit` items with ids beyond `after`, or fewer where they are large. */
export type ReadPage<Listed> = (page: {
  readonly after: number;
  readonly limit: number;
}) => Promise<Page<Listed>>;

/**
 * A list, as its client asks for it (interface §3.10): a page of at most `limit` items, with a `Link`
 * to the next one while there is more; or all of it, streamed in constant memory where it is long.
 * @param url of the request, for the link
 */
export async function listOf<Listed>(
  {
    limit,
    after = 0,
  }: { readonly limit?: number | undefined; readonly after?: number | undefined },
  url: string,
  read: ReadPage<Listed>,
): Promise<Success<Listed[]>> {
  const first = await read({ after, limit: limit ?? FIRST_PAGE });
  if (first.more && limit === undefined) {
    return { body: streamed(first, read), headers: { "Content-Type": "application/json" } };
  }
  const last = first.items.at(-1);
  return {
    body: new JsonText(`[${joined(first.items)}]`),
    ...(last && first.more && { headers: { Link: nextLink(url, last) } }),
  };
}

function nextLink(url: string, last: Item<unknown>): string {
  const next = new URL(url);
  next.searchParams.set("after", String(last.id));
  return `<${next.pathname}${next.search}>; rel="next"`;
}

/**
 * The list as a JSON array. The next page is read when the client has taken the one before; a fault breaks
 * the stream, and so the connection, rather than ending the array.
 */
function streamed<Listed>(first: Page<Listed>, read: ReadPage<Listed>): ReadableStream {
  let ready: Page<Listed> | undefined = first;
  let after = 0;
  let limit = LONGEST_PAGE;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const isFirst = ready !== undefined;
        const { items, more } = ready ?? (await read({ after, limit }));
        ready = undefined;
        const last = items.at(-1);
        // All that was left may have been deleted meanwhile.
        const opening = isFirst ? "[" : last ? "," : "";
        const bytes = utf8(opening + joined(items) + (more ? "" : "]"));
        if (last) {
          after = last.id;
          const fitting = Math.floor((PAGE_BYTES * items.length) / bytes.byteLength);
          limit = Math.max(1, Math.min(fitting, LONGEST_PAGE));
        }
        controller.enqueue(bytes);
        if (!more) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
