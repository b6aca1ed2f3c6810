// Builds the static assets: our pages, Swagger UI and the documents for one kind of access. The argument repeats the
// ACCESS of the environment, because loading wrangler to read it would add a second to every `npm start`.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { transformSync } from "rolldown/utils";
import { documentsOf } from "./openapi/documents.ts";

const SITE = "dist/site";
/** The page says what rules do in the words of the service. */
const EXPLAIN = "src/sandbox/faults/explain.ts";
/** The dependencies of the pages, by their paths in node_modules. */
const VENDOR = [
  "swagger-ui-dist/swagger-ui.css",
  "swagger-ui-dist/swagger-ui-bundle.js",
  "swagger-ui-dist/LICENSE",
  "lit-html/lit-html.js",
];

const [access] = process.argv.slice(2);
if (access !== "open" && access !== "protected") {
  throw new Error('ACCESS is neither "open" nor "protected"');
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  );
const withoutTypes = (file: string) => transformSync(file, readFileSync(file, "utf8")).code;
const documents = (folder: string, texts: Record<string, string>) =>
  Object.entries(texts).map(([path, text]) => [join(folder, path), Buffer.from(text)] as const);

const site = new Map([
  ...filesIn("site").map((file) => [file, readFileSync(join("site", file))] as const),
  ...VENDOR.map((file) => {
    const content = readFileSync(join("node_modules", file));
    return [join("docs", "vendor", basename(file)), content] as const;
  }),
  ["stores/page/explain.js", Buffer.from(withoutTypes(EXPLAIN))],
  ...documents("", documentsOf(access)),
  ...documents("stores", documentsOf("sandbox")),
]);

// A server may be serving these files, so write only those that change.
mkdirSync(SITE, { recursive: true });
for (const file of filesIn(SITE)) if (!site.has(file)) rmSync(join(SITE, file));
for (const [file, content] of site) {
  const path = join(SITE, file);
  if (existsSync(path) && readFileSync(path).equals(content)) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
