// `npm run key-id`: reads PASSWORD_KEY from standard input and prints the id of each of its keys (docs/security.md).
import { hkdfSync } from "node:crypto";
import { text } from "node:stream/consumers";

const ID_BYTES = 8;
/** 32 bytes in base64, with or without the padding. */
const KEY = /^[A-Za-z\d+/]{43}=?$/;

// Repeats how src/platform/keys.ts reads a key and derives its id, because only workerd can run that file.
const keys = (await text(process.stdin)).replaceAll(/\s/g, "").split(",");
if (keys.every((key) => KEY.test(key))) {
  for (const key of keys) {
    const id = hkdfSync("sha256", Buffer.from(key, "base64"), "", "key id", ID_BYTES);
    console.log(Buffer.from(id).toString("hex"));
  }
} else {
  console.error("A key is 32 bytes in base64. Give one on standard input, or several with commas.");
  process.exitCode = 1;
}
