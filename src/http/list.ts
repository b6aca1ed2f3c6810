import type { Success } from "./implement.ts";
import { utf8 } from "../hash.ts";
import { Json } from "../json.ts";

/** Items of a list up to which it is sent as a plain body, with its length. */
const FIRST_PAGE = 100;

/**
 * Items of a later page, at most, and the bytes of JSON that it should come to. The fewest with which a million
 * items take no more than 250 pages: what a page holds in memory is all that a list holds.
 */
const LONGEST_PAGE = 4100;
const PAGE_BYTES = 4 * 1024 * 1024;

interface Item<Content> {
  readonly id: number;
  readonly json: Json<Content>;
}

const joined = (items: readonly Item<unknown>[]) => items.map(({ json }) => json.text).join(",");

/** Reads up to `count` items with ids beyond `after`, by ascending id. */
export type ReadPage<Listed> = (page: {
  readonly after: number;
  readonly count: number;
}) => Promise<Item<Listed>[]>;

/**
 * A list, as its client asks for it (CONTRACT §3, Long lists): a page of `limit` items, with a `Link` to the
 * next one while there is more; or all of it, streamed in constant memory where it is long.
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
  if (limit !== undefined) {
    const items = await read({ after, count: limit + 1 });
    const page = items.slice(0, limit);
    const last = page.at(-1);
    return {
      body: new Json(`[${joined(page)}]`),
      ...(last && items.length > limit && { headers: { Link: nextLink(url, last) } }),
    };
  }
  const first = await read({ after, count: FIRST_PAGE });
  return first.length < FIRST_PAGE
    ? { body: new Json(`[${joined(first)}]`) }
    : { body: streamed(first, read), headers: { "Content-Type": "application/json" } };
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
function streamed<Listed>(first: Item<Listed>[], read: ReadPage<Listed>): ReadableStream {
  let ready: Item<Listed>[] | undefined = first;
  let after = 0;
  let count = LONGEST_PAGE;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const opening = ready ? "[" : ",";
        const items: Item<Listed>[] = ready ?? (await read({ after, count }));
        ready = undefined;
        const last = items.at(-1);
        if (!last) {
          controller.enqueue(utf8("]"));
          controller.close();
          return;
        }
        const bytes = utf8(opening + joined(items));
        after = last.id;
        const fitting = Math.floor((PAGE_BYTES * items.length) / bytes.byteLength);
        count = Math.max(1, Math.min(fitting, LONGEST_PAGE));
        controller.enqueue(bytes);
      },
    },
    { highWaterMark: 0 },
  );
}
