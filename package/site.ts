// The site as one compressed file. Compressed file by file, it would be a third larger.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

const decompress = promisify(brotliDecompress);

/** The bytes of each file by its path, one character for each byte. */
type Files = Readonly<Record<string, string>>;

/** The content of the compressed file. */
export interface PackedSite {
  readonly files: Files;
  /** The documents in `/v2`, which depend on the access. */
  readonly documents: Readonly<Record<"open" | "protected", Files>>;
}

/** Writes the site into an empty folder. */
export async function unpack(
  packed: string,
  folder: string,
  access: "open" | "protected",
): Promise<void> {
  const text = (await decompress(readFileSync(packed))).toString("latin1");
  const { files, documents } = JSON.parse(text) as PackedSite;
  for (const [path, bytes] of Object.entries({ ...files, ...documents[access] })) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes, "latin1");
  }
}
