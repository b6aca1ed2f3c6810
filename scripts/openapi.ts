// `npm run openapi`: generates the documents of the interface from the operations, for an open deployment such as that
// of `npm start`. With --check it only fails if they are out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { unusedDescriptions } from "./openapi/descriptions.ts";
import { LOCAL, documentsOf } from "./openapi/documents.ts";

const files = documentsOf("open", LOCAL);
documentsOf("protected");
const unused = unusedDescriptions();
if (unused.length > 0) throw new Error(`described, but not there: ${unused.join(", ")}`);

for (const [file, text] of Object.entries(files)) {
  if (!process.argv.includes("--check")) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    console.error(`${file} is out of date: run \`npm run openapi\``);
    process.exitCode = 1;
  }
}
