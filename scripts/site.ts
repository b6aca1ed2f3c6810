// Puts together what the Worker serves as static assets: our pages, Swagger UI and the documents, which are true for
// one environment of wrangler.toml. Its name is the argument; without one it is the local one.
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { unstable_readConfig as readConfig } from "wrangler";
import { documentsOf } from "./openapi/documents.ts";

const SITE = "dist/site";

const [env] = process.argv.slice(2);
const { ACCESS } = readConfig({ config: "wrangler.toml", ...(env !== undefined && { env }) }).vars;
if (ACCESS !== "open" && ACCESS !== "protected") {
  throw new Error(
    `ACCESS is neither "open" nor "protected" in the environment ${env ?? "at the top"}`,
  );
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
write("v2", documentsOf(ACCESS));
write("stores", documentsOf("own store"));
