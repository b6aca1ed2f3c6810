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
 * Target sizes of later pages, in bytes of JSON: of the first `SHORT_PAGES`, and of the rest, so that a list of hundreds
 * of MB ends within the 1,000 queries. A page may have more, up to where it is cut (src/pet/queries.ts), which leaves
 * room for items above the mean. A page that is cut reads more rows.
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
 * The list as a JSON array. The next page is read when the client has taken the one before. A fault breaks
 * the stream and so the connection; it never ends the array early.
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

/** The text of a page, with what separates it from the page before, and the end of the list if no page follows. */
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
