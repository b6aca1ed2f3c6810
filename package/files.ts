import { DurableObject } from "cloudflare:workers";
import type { ByteRange } from "../src/pets/images.ts";

/** The most bytes in a row: SQLite in a Durable Object stores at most 2 MB. */
const PART_BYTES = 1_000_000;

/** The most keys on a page of a list, as in R2. */
const PAGE_SIZE = 1000;

interface FileRow extends Record<string, SqlStorageValue> {
  readonly key: string;
  readonly etag: string;
  readonly size: number;
  readonly uploaded: number;
  readonly contentType: string | null;
}

/** A file without its content. */
type FileHead = ReturnType<typeof toHead>;

/** Which file to read, and which part of it. */
interface GetOptions {
  /** `If-None-Match` or `If-Modified-Since`: if it does not hold, the content is not read. */
  readonly onlyIf?: Headers;
  readonly range?: ByteRange;
}

/** Stores uploaded files in the SQLite of a Durable Object, with the part of R2's interface that the service uses. */
export class Files extends DurableObject {
  readonly #storage = this.ctx.storage;
  readonly #sql = this.#storage.sql;

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env);
    this.#sql.exec(`
      CREATE TABLE IF NOT EXISTS files (key TEXT PRIMARY KEY, etag TEXT, size INTEGER, uploaded INTEGER, contentType TEXT);
      CREATE TABLE IF NOT EXISTS parts (key TEXT, number INTEGER, bytes BLOB, PRIMARY KEY (key, number))`);
  }

  /** Stores a file, or replaces it. */
  async put(key: string, content: ArrayBuffer, contentType: string | null): Promise<void> {
    // R2's tag of a file that was uploaded at once is its MD5.
    const etag = Buffer.from(await crypto.subtle.digest("MD5", content)).toString("hex");
    this.#storage.transactionSync(() => {
      this.#remove(key);
      this.#sql.exec(
        "INSERT INTO files VALUES (?, ?, ?, ?, ?)",
        key,
        etag,
        content.byteLength,
        Date.now(),
        contentType,
      );
      for (let start = 0; start < content.byteLength; start += PART_BYTES) {
        const bytes = content.slice(start, start + PART_BYTES);
        this.#sql.exec("INSERT INTO parts VALUES (?, ?, ?)", key, start / PART_BYTES, bytes);
      }
    });
  }

  head(key: string): FileHead | null {
    const [row] = this.#sql.exec<FileRow>("SELECT * FROM files WHERE key = ?", key).toArray();
    return row ? toHead(row) : null;
  }

  /** Returns a file, without its content if the condition does not hold. */
  get(key: string, { onlyIf, range }: GetOptions = {}): FileHead | (FileHead & { content: Uint8Array }) | null {
    const head = this.head(key);
    if (!head || (onlyIf && !holds(onlyIf, head))) return head;
    const { offset, length } = range ?? { offset: 0, length: head.size };
    const content = new Uint8Array(length);
    const numbers = [Math.floor(offset / PART_BYTES), Math.ceil((offset + length) / PART_BYTES)];
    const query = "SELECT number, bytes FROM parts WHERE key = ? AND number >= ? AND number < ?";
    for (const { number, bytes } of this.#sql.exec<{ number: number; bytes: ArrayBuffer }>(query, key, ...numbers)) {
      const start = number * PART_BYTES - offset;
      content.set(new Uint8Array(bytes).subarray(Math.max(-start, 0), length - start), Math.max(start, 0));
    }
    return { ...head, content };
  }

  /** Lists files by the beginning of their keys. The cursor is the last key of the page before. */
  list({ prefix = "", cursor = "", limit = PAGE_SIZE }: R2ListOptions = {}) {
    const from = cursor === "" ? "key >= ?" : "key > ?";
    // The last Unicode character ends the prefix, so that no file beyond it is read.
    const query = `SELECT * FROM files WHERE ${from} AND key < ? || char(0x10ffff) ORDER BY key LIMIT ?`;
    const rows = this.#sql.exec<FileRow>(query, cursor || prefix, prefix, limit + 1).toArray();
    const objects = rows.slice(0, limit).map((row) => toHead(row));
    const truncated = rows.length > limit;
    return { objects, truncated, ...(truncated && { cursor: objects.at(-1)?.key }) };
  }

  delete(keys: string | string[]): void {
    this.#storage.transactionSync(() => {
      for (const key of [keys].flat()) this.#remove(key);
    });
  }

  #remove(key: string): void {
    this.#sql.exec("DELETE FROM files WHERE key = ?", key);
    this.#sql.exec("DELETE FROM parts WHERE key = ?", key);
  }
}

/** Returns a binding for the files in the place of R2's. */
export function createBucket(namespace: DurableObjectNamespace<Files>): R2Bucket {
  // After an error a stub may be broken, so each call gets a new one.
  const files = () => namespace.getByName("files");
  const bucket = {
    head: async (key: string) => files().head(key),
    get: async (key: string, options?: GetOptions) => {
      const found = await files().get(key, options);
      return found && "content" in found ? { ...found, body: new Response(found.content).body } : found;
    },
    put: async (key: string, value: Blob, options?: { httpMetadata?: R2HTTPMetadata }) =>
      files().put(key, await value.arrayBuffer(), options?.httpMetadata?.contentType ?? null),
    list: async (options?: R2ListOptions) => files().list(options),
    delete: async (keys: string | string[]) => files().delete(keys),
  };
  // R2's types are classes with more methods and options.
  return bucket as unknown as R2Bucket;
}

const toHead = ({ key, etag, size, uploaded, contentType }: FileRow) => ({
  key,
  etag,
  httpEtag: `"${etag}"`,
  size,
  uploaded: new Date(uploaded),
  httpMetadata: contentType === null ? {} : { contentType },
});

/** Evaluates the condition of a request (RFC 9110, section 13.2.2). Its times are whole seconds. */
function holds(onlyIf: Headers, { httpEtag, uploaded }: FileHead): boolean {
  const tags = onlyIf.get("If-None-Match");
  if (tags !== null) return tags !== "*" && !tags.split(/, *(?:W\/)?|^W\//).includes(httpEtag);
  const since = onlyIf.get("If-Modified-Since");
  return since === null || Math.floor(uploaded.getTime() / 1000) * 1000 > Date.parse(since);
}
