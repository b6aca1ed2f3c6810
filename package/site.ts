// The site as one file: compressed as a whole it is a quarter smaller than file by file.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

const decompress = promisify(brotliDecompress);

/** Bytes of the files, one character each, by their paths. */
type Files = Readonly<Record<string, string>>;

/** What is packed. */
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
