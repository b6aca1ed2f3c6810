// Builds the static assets: our pages, Swagger UI and the documents for one kind of access. The argument is the ACCESS
// of the environment that is built. To read it from wrangler.toml, the script would have to load wrangler, which adds a
// second to every `npm start`.
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { documentsOf } from "./openapi/documents.ts";

const SITE = "dist/site";

const [access] = process.argv.slice(2);
if (access !== "open" && access !== "protected") {
  throw new Error('ACCESS is neither "open" nor "protected"');
}

rmSync(SITE, { recursive: true, force: true });
mkdirSync(`${SITE}/v2`, { recursive: true });
cpSync("site", SITE, { recursive: true });
for (const file of ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png", "LICENSE"]) {
  cpSync(`node_modules/swagger-ui-dist/${file}`, `${SITE}/docs/vendor/${file}`);
}
const write = (folder: string, documents: Record<string, string>) => {
  for (const [file, text] of Object.entries(documents))
    writeFileSync(`${SITE}/${folder}/${file}`, text);
};
write("v2", documentsOf(access));
write("stores", documentsOf("own store"));
