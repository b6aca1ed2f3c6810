import { utf8 } from "../platform/crypto.ts";
import { JsonText } from "./json-text.ts";

/** A list of at most this many items is a plain body with a `Content-Length`. */
const FIRST_PAGE = 100;

/** The largest number of items of a later page. A million small items take half of the 1,000 queries of a request. */
const LONGEST_PAGE = 2000;

/**
 * The size that later pages aim at, in bytes of JSON. A list of 500 MB ends within the 1,000 queries. Pages are cut at
 * 1 MiB (src/pet/pages.ts), so there is room for items above the mean.
 */
const PAGE_BYTES = 640 * 1024;

/** A chunk of a stream ends at the item that reaches this length: V8 collects strings of more than 128 KiB late. */
const CHUNK_LENGTH = 64 * 1024;

interface Item {
  readonly id: number;
}

/** A page of a list. */
interface Page<Listed> {
  /** By ascending id. At least one, unless the list has ended. */
  readonly items: readonly Listed[];
  /** Whether another item follows them. */
  readonly more: boolean;
}

/** Reads at most `limit` items with ids greater than `after`, or fewer if they are large. */
export type ReadPage<Listed> = (page: {
  readonly after: number;
  readonly limit: number;
}) => Promise<Page<Listed>>;

/** Writes an item. */
type Write<Listed> = (item: Listed) => JsonText<unknown>;

/**
 * Makes the answer of a list (interface §3.10). With `limit`, it is a page of at most `limit` items, with a `Link` to
 * the next page while there is more. Without, it is the complete list. A long list is streamed in constant memory.
 * @param url of the request, for the link
 */
export async function listOf<Listed extends Item>(
  { limit, after = 0 }: { limit?: number | undefined; after?: number | undefined },
  url: string,
  read: ReadPage<Listed>,
  write: Write<Listed>,
): Promise<{
  readonly body: JsonText<unknown> | ReadableStream;
  readonly headers?: Readonly<Record<string, string>>;
}> {
  const first = await read({ after, limit: limit ?? FIRST_PAGE });
  if (first.more && limit === undefined) {
    return { body: streamed(first, read, write), headers: { "Content-Type": "application/json" } };
  }
  const last = first.items.at(-1);
  return {
    body: new JsonText(`[${first.items.map((item) => write(item).text).join(",")}]`),
    ...(last && first.more && { headers: { Link: nextLink(url, last) } }),
  };
}

function nextLink(url: string, last: Item): string {
  const next = new URL(url);
  next.searchParams.set("after", String(last.id));
  return `<${next.pathname}${next.search}>; rel="next"`;
}

/** Reads each page when the client has read the one before. A fault breaks the connection, and never ends the array. */
function streamed<Listed extends Item>(
  first: Page<Listed>,
  read: ReadPage<Listed>,
  write: Write<Listed>,
): ReadableStream {
  let ready: Page<Listed> | undefined = first;
  let after = 0;
  let limit = LONGEST_PAGE;
  let opening = "[";
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { items, more } = ready ?? (await read({ after, limit }));
        ready = undefined;
        let bytes = 0;
        for (const text of piecesOf(items, write, opening, more)) {
          const chunk = utf8(text);
          bytes += chunk.byteLength;
          controller.enqueue(chunk);
        }
        opening = ",";
        // Someone may have deleted all remaining items in the meantime.
        after = items.at(-1)?.id ?? after;
        const fitting = Math.floor((PAGE_BYTES * items.length) / bytes);
        limit = Math.max(1, Math.min(fitting, LONGEST_PAGE));
        if (!more) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The text of a page, from the separator before it to the end of the list, if no page follows. */
function* piecesOf<Listed>(
  items: readonly Listed[],
  write: Write<Listed>,
  opening: string,
  more: boolean,
): Generator<string> {
  let separator = opening;
  let texts: string[] = [];
  let length = 0;
  for (const item of items) {
    const { text } = write(item);
    texts.push(separator, text);
    separator = ",";
    length += text.length;
    if (length < CHUNK_LENGTH) continue;
    yield texts.join("");
    texts = [];
    length = 0;
  }
  if (!more) texts.push("]");
  if (texts.length > 0) yield texts.join("");
}
