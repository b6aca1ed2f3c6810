import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../env.ts";
import { operationOf } from "../operation.ts";

/** The longest body that is recorded, and how much of one is looked at: what is masked becomes shorter. */
const MAX_BODY_BYTES = 8 * 1024;
const MAX_READ_BYTES = 32 * 1024;

const MASK = "***";

/** Headers that are secret. */
const SECRET_HEADER = /^(?:authorization|cookie|set-cookie|api_key|x-api-key)$/;

/** Headers that Cloudflare adds: some have the client's IP address. */
const ADDED_HEADER = /^(?:cf-|x-forwarded-|x-real-ip$)/;

/** Passwords in JSON, in a query or a form and in multipart, and the token in a login's answer. The end may be cut off. */
const SECRET =
  /("password"\s*:\s*)(?:"(?:[^"\\]|\\.)*"?|[^\s,}\]]+)|(\bpassword(?:=|"\r?\n\r?\n))[^&\s#]*|(logged in user session: ?)[\w-]+/gi;

/** Masks secrets in text. */
const masked = (text: string): string =>
  text.replaceAll(SECRET, (_, member?: string, field?: string, session?: string) =>
    member === undefined ? `${field ?? session}${MASK}` : `${member}"${MASK}"`,
  );

const headersOf = (headers: Headers) =>
  Object.fromEntries(
    [...headers]
      .filter(([name]) => !ADDED_HEADER.test(name))
      .map(([name, value]) => [name, SECRET_HEADER.test(name) ? MASK : value]),
  );

/** Records each request and its answer. */
export const record = createMiddleware<AppEnv>(async (c, next) => {
  const at = Date.now();
  const { requests } = c.var.sandbox;
  const sent = new Beginning(c.req.raw.clone().body);
  await next();
  const ms = Date.now() - at;
  const answered = new Beginning(c.req.method === "HEAD" ? null : c.res.clone().body);
  const { pathname, search } = new URL(c.req.url);
  requests.add(() => ({
    at,
    ms,
    method: c.req.method,
    path: masked(pathname.replace(/^\/sandboxes\/[^/]+/, "") + search),
    operationId: operationOf(c),
    status: c.res.status,
    requestHeaders: headersOf(c.req.raw.headers),
    requestBody: sent.text,
    responseHeaders: headersOf(c.res.headers),
    responseBody: answered.text,
    errors: c.var.fieldErrors,
    rule: c.var.rule,
  }));
});

/** The beginning of a body, as far as it has passed: it is read beside the one that takes the body. */
class Beginning {
  readonly #chunks: Uint8Array[] = [];

  constructor(body: ReadableStream<Uint8Array> | null) {
    if (body) void this.#read(body.getReader());
  }

  async #read(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    try {
      for (let length = 0; length < MAX_READ_BYTES;) {
        const { value } = await reader.read();
        if (!value) return;
        this.#chunks.push(value);
        length += value.byteLength;
      }
      // Not awaited: that would wait for the other reader, too.
      void reader.cancel();
    } catch {
      // The body ended early: what came is recorded.
    }
  }

  /** With secrets masked. `undefined` if there is nothing, or no text in UTF-8. */
  get text(): string | undefined {
    const read = Buffer.concat(this.#chunks).subarray(0, MAX_READ_BYTES);
    try {
      const text = masked(decode(read));
      if (text === "" || text.includes("\0")) return undefined;
      return decode(Buffer.from(text).subarray(0, MAX_BODY_BYTES));
    } catch {
      return undefined;
    }
  }
}

/** Decodes UTF-8 whose last character may be cut. */
const decode = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
