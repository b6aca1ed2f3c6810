// `npm run openapi`: writes the documents of the interface, made from the operations. With --check it
// only fails where they are out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { openApiDocument } from "./openapi/document.ts";
import { swaggerDocument } from "./openapi/swagger.ts";

const openApi = openApiDocument();
const documents = { "openapi.json": openApi, "swagger.json": swaggerDocument(openApi) };

for (const [file, document] of Object.entries(documents)) {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (!process.argv.includes("--check")) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    console.error(`${file} is out of date: run \`npm run openapi\``);
    process.exitCode = 1;
  }
}
