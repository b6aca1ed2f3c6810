// Prints the id of each key in PASSWORD_KEY, which comes in on standard input: docs/security.md.
import { hkdfSync } from "node:crypto";
import { text } from "node:stream/consumers";

const ID_BYTES = 8;

for (const key of (await text(process.stdin)).split(",")) {
  // As src/keys.ts derives it, which only workerd can run.
  const id = hkdfSync("sha256", Buffer.from(key, "base64"), "", "key id", ID_BYTES);
  console.log(Buffer.from(id).toString("hex"));
}
