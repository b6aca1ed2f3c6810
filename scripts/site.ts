// Builds the static assets in dist/site: the pages, what they load, the documents of the APIs, and the tools for MCP.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { documents } from "../openapi/documents.ts";
import { toolsets } from "../openapi/tools.ts";
import { VENDOR } from "./vendor.ts";

const SITE = "dist/site";

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const site = new Map<string, Buffer>();
for (const file of filesIn("site")) site.set(file.replace("site", SITE), readFileSync(file));
for (const file of VENDOR) {
  // Without the package's name, but with its folders, because the files import each other.
  site.set(join(SITE, "docs/vendor", file.slice(file.indexOf("/"))), readFileSync(join("node_modules", file)));
}
for (const [path, text] of Object.entries(documents())) {
  site.set(join(SITE, "documents", path), Buffer.from(text));
}
for (const [path, text] of Object.entries(toolsets())) site.set(join(SITE, "mcp", path), Buffer.from(text));

// A server may be serving these files, so write only those that change.
mkdirSync(SITE, { recursive: true });
for (const file of filesIn(SITE)) if (!site.has(file)) rmSync(file);
for (const [file, content] of site) {
  if (existsSync(file) && readFileSync(file).equals(content)) continue;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
