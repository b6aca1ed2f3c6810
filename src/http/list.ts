import type { Success } from "./handler.ts";
import { utf8 } from "../crypto.ts";
import { JsonText } from "../json-text.ts";

/** A list of at most this many items is a plain body, with its length. */
const FIRST_PAGE = 100;

/**
 * Most items of a later page. This is enough for a million small items in half of the 1,000 queries that D1 allows for
 * a request. It is small, because a list has one page in memory at a time.
 */
const LONGEST_PAGE = 2000;

/**
 * Target size of a later page, in bytes of JSON. A page may have a third more (src/pet/queries.ts), which leaves room
 * for items above the mean. A page that is cut reads more rows.
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
  /** Whether another item follows them. */
  readonly more: boolean;
}

/** Reads at most `limit` items with ids beyond `after`, or fewer where they are large. */
export type ReadPage<Listed> = (page: {
  readonly after: number;
  readonly limit: number;
}) => Promise<Page<Listed>>;

/**
 * A list, complete or by page (interface §3.10): a page of at most `limit` items, with a `Link`
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
 * The list as a JSON array. The next page is read when the client has taken the one before. A fault breaks
 * the stream and so the connection; it never ends the array early.
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
        // Someone may have deleted all remaining items in the meantime.
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
