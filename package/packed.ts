// The Worker and its site, compressed as one file: separate files would be a third larger.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { ServerOptions } from "./server.ts";

const decompress = promisify(brotliDecompress);

/** Files by path, as Latin-1: one character for each byte. */
type Files = Readonly<Record<string, string>>;

/** The content of the compressed file. */
export interface Packed {
  readonly worker: Files;
  /** The files of the site. */
  readonly files: Files;
  /** The documents of the store at `/v2`, for each kind of access. */
  readonly documents: Readonly<Record<"open" | "protected", Files>>;
}

/** The Worker's configuration, `worker.json` beside its modules. */
export interface WorkerConfiguration {
  readonly compatibilityDate: string;
  readonly bindings: Readonly<Record<string, string>>;
  readonly durableObjects: Readonly<
    Record<string, { className: string; useSQLite: boolean; unsafePreventEviction: boolean }>
  >;
  readonly kvNamespaces: string[];
  readonly r2Buckets: string[];
  /** The names of the rate limiters. */
  readonly ratelimits: string[];
  readonly assets: { readonly run_worker_first: string[]; readonly binding: string };
}

/**
 * Writes the folders `worker` and `site` into `folder`.
 * @param basePath what the documents of `/v2` name instead
 */
export async function unpack(
  packed: string,
  folder: string,
  { access, basePath }: Pick<ServerOptions, "access" | "basePath">,
): Promise<void> {
  const text = (await decompress(readFileSync(packed))).toString("latin1");
  const { worker, files, documents } = JSON.parse(text) as Packed;
  write(join(folder, "worker"), worker);
  const named = Object.entries(documents[access]).map(([path, document]) => [
    path,
    document.replaceAll("/v2", basePath ?? "/v2"),
  ]);
  write(join(folder, "site"), { ...files, ...Object.fromEntries(named) });
}

function write(folder: string, files: Files): void {
  for (const [path, bytes] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes, "latin1");
  }
}
