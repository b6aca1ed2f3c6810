// Puts together what the Worker serves as static assets: our pages, Swagger UI and the documents.
import { cpSync, mkdirSync, rmSync } from "node:fs";

const SITE = "dist/site";

rmSync(SITE, { recursive: true, force: true });
mkdirSync(SITE, { recursive: true });
cpSync("site", SITE, { recursive: true });
for (const file of ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png", "LICENSE"]) {
  cpSync(`node_modules/swagger-ui-dist/${file}`, `${SITE}/docs/vendor/${file}`);
}
for (const file of ["openapi.json", "swagger.json"]) cpSync(file, `${SITE}/v2/${file}`);
