import type { Success } from "./handler.ts";
import { utf8 } from "../crypto.ts";
import { JsonText } from "../json-text.ts";

/** A list of at most this many items is a plain body with a `Content-Length`. */
const FIRST_PAGE = 100;

/**
 * The largest number of items of a later page. This is enough for a million small items in half of the 1,000 queries
 * that D1 allows for a request. It is not larger, because a list has one page in memory at a time.
 */
const LONGEST_PAGE = 2000;

/**
 * Target sizes of later pages, in bytes of JSON: for the first `SHORT_PAGES` pages, and for the rest. With the larger
 * target, a list of hundreds of MB ends within the 1,000 queries. A page may exceed its target, up to the size at which
 * src/pet/pages.ts cuts it. So there is room for items above the mean. A page that is cut reads more rows.
 */
const SHORT_PAGE_BYTES = 384 * 1024;
const LONG_PAGE_BYTES = 768 * 1024;
const SHORT_PAGES = 500;

/**
 * A chunk of a stream ends at the item that reaches this length. V8 keeps strings of more than 128 KiB apart and
 * collects them late: a page in one chunk leaves twice the garbage.
 */
const CHUNK_LENGTH = 64 * 1024;

interface Item<Content> {
  readonly id: number;
  readonly json: JsonText<Content>;
}

/** A page of a list. */
interface Page<Content> {
  /** By ascending id. At least one, unless the list has ended. */
  readonly items: readonly Item<Content>[];
  /** Whether another item follows them. */
  readonly more: boolean;
}

/** Reads at most `limit` items with ids greater than `after`, or fewer if they are large. */
export type ReadPage<Listed> = (page: {
  readonly after: number;
  readonly limit: number;
}) => Promise<Page<Listed>>;

/**
 * Makes the answer of a list (interface §3.10). With `limit`, it is a page of at most `limit` items, with a `Link` to
 * the next page while there is more. Without, it is the complete list. A long list is streamed in constant memory.
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
    body: new JsonText(`[${first.items.map(({ json }) => json.text).join(",")}]`),
    ...(last && first.more && { headers: { Link: nextLink(url, last) } }),
  };
}

function nextLink(url: string, last: Item<unknown>): string {
  const next = new URL(url);
  next.searchParams.set("after", String(last.id));
  return `<${next.pathname}${next.search}>; rel="next"`;
}

/**
 * The list as a JSON array. It reads the next page when the client has read the one before. A fault breaks the stream,
 * and so the connection. It never ends the array early.
 */
function streamed<Listed>(first: Page<Listed>, read: ReadPage<Listed>): ReadableStream {
  let ready: Page<Listed> | undefined = first;
  let pages = 0;
  let after = 0;
  let limit = LONGEST_PAGE;
  let opening = "[";
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { items, more } = ready ?? (await read({ after, limit }));
        ready = undefined;
        pages += 1;
        let bytes = 0;
        for (const text of piecesOf(items, opening, more)) {
          const chunk = utf8(text);
          bytes += chunk.byteLength;
          controller.enqueue(chunk);
        }
        opening = ",";
        // Someone may have deleted all remaining items in the meantime.
        after = items.at(-1)?.id ?? after;
        const wanted = pages < SHORT_PAGES ? SHORT_PAGE_BYTES : LONG_PAGE_BYTES;
        limit = Math.max(1, Math.min(Math.floor((wanted * items.length) / bytes), LONGEST_PAGE));
        if (!more) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The text of a page, with the separator from the page before, and with the end of the list if no page follows. */
function* piecesOf(
  items: readonly Item<unknown>[],
  opening: string,
  more: boolean,
): Generator<string> {
  let separator = opening;
  let texts: string[] = [];
  let length = 0;
  for (const { json } of items) {
    texts.push(separator, json.text);
    separator = ",";
    length += json.text.length;
    if (length < CHUNK_LENGTH) continue;
    yield texts.join("");
    texts = [];
    length = 0;
  }
  if (!more) texts.push("]");
  if (texts.length > 0) yield texts.join("");
}
