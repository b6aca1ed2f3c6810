// `npm run openapi`: generates the documents of the interface from the operations, for an open deployment such as that
// of `npm start`. With --check it only fails if they are out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { located } from "../src/site/documents.ts";
import { documentsOf } from "./openapi/documents.ts";
import { unusedFacts } from "./openapi/facts.ts";

/** Where `npm start` serves. */
const LOCAL = new URL("http://localhost:8787");

/** The documents in the repository, each by the path of the served one. */
const FILES = {
  "openapi.json": "v2/openapi.json",
  "swagger.json": "v2/swagger.json",
  "petstore3.json": "api/v3/openapi.json",
};

const documents = documentsOf("open");
documentsOf("protected");
const unused = unusedFacts();
if (unused.length > 0) throw new Error(`in scripts/openapi, but not used: ${unused.join(", ")}`);

for (const [file, path] of Object.entries(FILES)) {
  const text = located(documents[path] ?? "", LOCAL);
  if (!process.argv.includes("--check")) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    console.error(`${file} is out of date: run \`npm run openapi\``);
    process.exitCode = 1;
  }
}
