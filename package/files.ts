import { DurableObject } from "cloudflare:workers";

/** The most bytes in a row: SQLite in a Durable Object stores at most 2 MB. */
const PART_BYTES = 1_000_000;

/** The most keys on a page of a listing, as in R2. */
const PAGE_SIZE = 1000;

interface FileRow extends Record<string, SqlStorageValue> {
  readonly key: string;
  readonly etag: string;
  readonly size: number;
  readonly uploaded: number;
  readonly contentType: string | null;
}

/** What R2 accepts as a condition or a range. */
type Conditions = R2Conditional | Headers;
type Range = R2Range | Headers;

/** A file without its content, and the part of it that was asked for. */
type FileHead = ReturnType<typeof headOf>;

/** Stores uploaded files in the SQLite of a Durable Object, as R2 does in production. */
export class Files extends DurableObject {
  readonly #sql = this.ctx.storage.sql;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env as Cloudflare.Env);
    this.#sql.exec(`
      CREATE TABLE IF NOT EXISTS files (key TEXT PRIMARY KEY, etag TEXT, size INTEGER, uploaded INTEGER, contentType TEXT);
      CREATE TABLE IF NOT EXISTS parts (key TEXT, number INTEGER, bytes BLOB, PRIMARY KEY (key, number))`);
  }

  /** Stores a file, or replaces it. */
  async put(key: string, content: ArrayBuffer, contentType?: string): Promise<FileHead> {
    // R2's ETag of a file that was uploaded at once is its MD5.
    const digest = await crypto.subtle.digest("MD5", content);
    const etag = Buffer.from(digest).toString("hex");
    const row = { key, etag, size: content.byteLength, uploaded: Date.now(), contentType: contentType ?? null };
    this.ctx.storage.transactionSync(() => {
      this.#remove(key);
      this.#sql.exec("INSERT INTO files VALUES (?, ?, ?, ?, ?)", ...Object.values(row));
      for (let start = 0; start < row.size; start += PART_BYTES) {
        const bytes = content.slice(start, start + PART_BYTES);
        this.#sql.exec("INSERT INTO parts VALUES (?, ?, ?)", key, start / PART_BYTES, bytes);
      }
    });
    return headOf(row);
  }

  head(key: string): FileHead | null {
    const [row] = this.#sql.exec<FileRow>("SELECT * FROM files WHERE key = ?", key).toArray();
    return row ? headOf(row) : null;
  }

  /**
   * Returns a file, or the part of it in `range`.
   * @returns the file without content if a condition fails
   * @throws Error with R2's code 10039 if the range begins after the end of the file
   */
  get(key: string, { onlyIf, range }: { onlyIf?: Conditions; range?: Range } = {}) {
    const head = this.head(key);
    if (!head || (onlyIf && !holds(onlyIf, head))) return head;
    const { first, length } = partOf(range, head.size);
    const content = new Uint8Array(length);
    const numbers = [Math.floor(first / PART_BYTES), Math.ceil((first + length) / PART_BYTES)];
    const query = "SELECT number, bytes FROM parts WHERE key = ? AND number >= ? AND number < ? ORDER BY number";
    for (const part of this.#sql.exec<{ number: number; bytes: ArrayBuffer }>(query, key, ...numbers)) {
      const start = part.number * PART_BYTES;
      const from = Math.max(first - start, 0);
      const bytes = new Uint8Array(part.bytes).subarray(from, first + length - start);
      content.set(bytes, start + from - first);
    }
    return { ...head, range: { offset: first, length }, content };
  }

  /** Lists files by the beginning of their key, in the order of their keys. */
  list({ prefix = "", cursor = "", limit = PAGE_SIZE }: R2ListOptions = {}) {
    const query =
      "SELECT * FROM files WHERE key > ? AND substr(key, 1, length(?)) = ? AND key >= ? ORDER BY key LIMIT ?";
    const rows = this.#sql.exec<FileRow>(query, cursor, prefix, prefix, prefix, limit + 1).toArray();
    const objects = rows.slice(0, limit).map((row) => headOf(row));
    const last = objects.at(-1);
    return rows.length > limit && last
      ? { objects, truncated: true as const, cursor: last.key }
      : { objects, truncated: false as const };
  }

  delete(keys: string | string[]): void {
    this.ctx.storage.transactionSync(() => {
      for (const key of [keys].flat()) this.#remove(key);
    });
  }

  #remove(key: string): void {
    this.#sql.exec("DELETE FROM files WHERE key = ?", key);
    this.#sql.exec("DELETE FROM parts WHERE key = ?", key);
  }
}

/** Gives a Durable Object the part of R2's interface that the service uses. */
export function bucketIn(namespace: DurableObjectNamespace<Files>): R2Bucket {
  // After an error a stub may be broken, so each call gets a new one.
  const files = () => namespace.getByName("files");
  const bucket = {
    head: async (key: string) => files().head(key),
    get: async (key: string, options?: R2GetOptions) => {
      const found = await files().get(key, options);
      if (!found || !("content" in found)) return found;
      return { ...found, body: new Response(found.content).body };
    },
    put: async (key: string, value: Blob, { httpMetadata }: { httpMetadata?: R2HTTPMetadata } = {}) =>
      files().put(key, await value.arrayBuffer(), httpMetadata?.contentType),
    list: async (options?: R2ListOptions) => files().list(options),
    delete: async (keys: string | string[]) => files().delete(keys),
  };
  // R2's types are classes with more methods, which the service does not call.
  return bucket as unknown as R2Bucket;
}

const headOf = ({ key, etag, size, uploaded, contentType }: FileRow) => ({
  key,
  etag,
  httpEtag: `"${etag}"`,
  size,
  uploaded: new Date(uploaded),
  httpMetadata: contentType === null ? {} : { contentType },
});

interface Tag {
  readonly isWeak: boolean;
  readonly value: string;
}

/** Reads entity tags from a header, or from an option, which has one without quotes. */
function tagsIn(text: string | null | undefined): Tag[] | undefined {
  if (text === null || text === undefined) return undefined;
  if (!/^(?:W\/)?"|^\*$/.test(text)) return [{ isWeak: false, value: text }];
  const found = text.matchAll(/(?<weak>W\/)?"(?<tag>[^"]*)"|\*/g);
  return Array.from(found, ({ groups }) => ({ isWeak: groups?.["weak"] !== undefined, value: groups?.["tag"] ?? "*" }));
}

const includes = (tags: Tag[], etag: string, isWeak: boolean) =>
  tags.some((tag) => tag.value === "*" || (tag.value === etag && (isWeak || !tag.isWeak)));

/** The time in a header, if it is one. */
function timeIn(headers: Headers, name: string): Date | undefined {
  const time = new Date(headers.get(name) ?? "");
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** Evaluates conditions as R2 does (RFC 9110, section 13.2.2). In headers, times are whole seconds. */
function holds(onlyIf: Conditions, { etag, uploaded }: FileHead): boolean {
  const isHeaders = onlyIf instanceof Headers;
  const matches = tagsIn(isHeaders ? onlyIf.get("If-Match") : onlyIf.etagMatches);
  const differs = tagsIn(isHeaders ? onlyIf.get("If-None-Match") : onlyIf.etagDoesNotMatch);
  const before = isHeaders ? timeIn(onlyIf, "If-Unmodified-Since") : onlyIf.uploadedBefore;
  const after = isHeaders ? timeIn(onlyIf, "If-Modified-Since") : onlyIf.uploadedAfter;
  const unit = isHeaders || onlyIf.secondsGranularity === true ? 1000 : 1;
  const time = (date: Date) => Math.floor(date.getTime() / unit);
  if (matches && !includes(matches, etag, false)) return false;
  if (differs && includes(differs, etag, true)) return false;
  if (!matches && before && time(uploaded) >= time(before)) return false;
  return differs !== undefined || !after || time(after) < time(uploaded);
}

/** The part of a file that a range asks for. R2 ignores a header that it cannot satisfy. */
function partOf(range: Range | undefined, size: number): { first: number; length: number } {
  if (range instanceof Headers) {
    const { from, to } = /^bytes=(?<from>\d*)-(?<to>\d*)$/.exec(range.get("Range") ?? "")?.groups ?? {};
    const whole = { first: 0, length: size };
    if (from === undefined || to === undefined || from + to === "") return whole;
    const first = from === "" ? Math.max(size - Number(to), 0) : Number(from);
    const last = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
    return first > last ? whole : { first, length: last - first + 1 };
  }
  const { offset, length, suffix } = { offset: undefined, length: undefined, suffix: undefined, ...range };
  const first = suffix === undefined ? (offset ?? 0) : Math.max(size - suffix, 0);
  const most = suffix ?? length ?? size - first;
  if (first > size || (range && most <= 0)) throw new Error("get: The requested range is not satisfiable (10039)");
  return { first, length: Math.min(most, size - first) };
}
