// Reads PASSWORD_KEY from standard input, and prints the id of each of its keys: docs/security.md.
import { hkdfSync } from "node:crypto";
import { text } from "node:stream/consumers";

const ID_BYTES = 8;

for (const key of (await text(process.stdin)).split(",")) {
  // This repeats how src/keys.ts derives the id, because only workerd can run that file.
  const id = hkdfSync("sha256", Buffer.from(key, "base64"), "", "key id", ID_BYTES);
  console.log(Buffer.from(id).toString("hex"));
}
