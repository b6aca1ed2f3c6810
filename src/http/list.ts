import { utf8 } from "../platform/crypto.ts";
import { streamOf } from "./respond.ts";
import { JsonText } from "./operation.ts";
import type { Page, ReadPage } from "./operation.ts";

/** A list of at most this many items is not streamed, so its answer has a `Content-Length`. */
const FIRST_PAGE = 100;

/** The most items of a later page. So a million small items take half of the 1,000 queries that a request may make. */
const LONGEST_PAGE = 2000;

/**
 * The target size of later pages, in bytes of JSON. So a list of 500 MB takes less than 1,000 queries. Pages are cut at
 * 1 MiB (src/pet/pages.ts), which leaves room for items larger than the mean.
 */
const PAGE_BYTES = 640 * 1024;

/** A chunk ends with the item that reaches this length: V8 is slow to collect strings of more than 128 KiB. */
const CHUNK_LENGTH = 64 * 1024;

interface Item {
  readonly id: number;
}

/** Writes an item as JSON. */
type Write<Listed> = (item: Listed) => string;

/**
 * Makes the body of a list (interface §3.10). With `limit`, it is a page, with a `Link` to the next one if there is more.
 * Without, it is the complete list; a long one is streamed in constant memory.
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
    return {
      body: streamOf(chunksOf(first, read, write)),
      headers: { "Content-Type": "application/json" },
    };
  }
  const last = first.items.at(-1);
  return {
    body: new JsonText(`[${first.items.map((item) => write(item)).join(",")}]`),
    ...(last && first.more && { headers: { Link: nextLink(url, last) } }),
  };
}

function nextLink(url: string, last: Item): string {
  const next = new URL(url);
  next.searchParams.set("after", String(last.id));
  return `<${next.pathname}${next.search}>; rel="next"`;
}

/** Reads each page after the client has read the previous one. A fault aborts the stream, so the array never ends. */
async function* chunksOf<Listed extends Item>(
  first: Page<Listed>,
  read: ReadPage<Listed>,
  write: Write<Listed>,
): AsyncGenerator<Uint8Array> {
  let opening = "[";
  let after = 0;
  for (let page = first; ; opening = ",") {
    let bytes = 0;
    for (const text of piecesOf(page.items, write, opening, page.more)) {
      const chunk = utf8(text);
      bytes += chunk.byteLength;
      yield chunk;
    }
    if (!page.more) return;
    after = page.items.at(-1)?.id ?? after;
    const fitting = Math.floor((PAGE_BYTES * page.items.length) / bytes);
    const limit = Math.max(1, Math.min(fitting, LONGEST_PAGE));
    page = await read({ after, limit });
  }
}

/** The text of a page in chunks, with the separator before it, and the end of the list if it is the last page. */
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
    const text = write(item);
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
