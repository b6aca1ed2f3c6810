// Requests over HTTP, on connections that are kept alive.

export interface Answer {
  readonly status: number;
  readonly json: unknown;
  readonly etag: string | undefined;
}

export interface Sent {
  readonly json?: unknown;
  readonly form?: Record<string, string>;
  readonly key?: string;
}

/** No answer came: what was asked may be done or not. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** An answer that is not the right one. */
export class WrongAnswer extends Error {
  override readonly name = "WrongAnswer";
}

const ANSWER_MS = 30_000;

/** Sends one request. */
export type Send = (target: string, sent?: Sent) => Promise<Answer>;

/** A client of the service at a base URL; a target is a method and a path below it. */
export function clientOf(baseUrl: string): Send {
  return async (target, { json, form, key } = {}) => {
    const [method = "", path = ""] = target.split(" ");
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        signal: AbortSignal.timeout(ANSWER_MS),
        headers: {
          ...(json !== undefined && { "Content-Type": "application/json" }),
          ...(key !== undefined && { "Idempotency-Key": key }),
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
        ...(form && { body: new URLSearchParams(form) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        json: JSON.parse(text),
        etag: response.headers.get("etag") ?? undefined,
      };
    } catch (cause) {
      throw new NoAnswer(`${target}: ${String(cause)}`, { cause });
    }
  };
}

/** The answer, which must be 200. @throws WrongAnswer */
export async function ok(answer: Promise<Answer>, target: string): Promise<Answer> {
  const { status, json, etag } = await answer;
  if (status !== 200) throw new WrongAnswer(`${target}: ${status} ${JSON.stringify(json)}`);
  return { status, json, etag };
}

/** Does something to each item, to so many at once. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  atOnce: number,
  use: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = Iterator.from(items);
  const worker = async () => {
    for (const item of iterator) await use(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
