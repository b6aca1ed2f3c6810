// Writes the documents into a folder, for linters and generators: node openapi/build.ts <folder> [origin]
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { documents } from "./documents.ts";

const [folder = "dist/documents", origin = "http://localhost:8787"] = process.argv.slice(2);
const { host, protocol } = new URL(origin);
const values: Record<string, string> = { origin, host, scheme: protocol.slice(0, -1), path: "" };

for (const [path, text] of Object.entries(documents())) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    text.replaceAll(/\{(origin|host|scheme|path)\}/g, (_, name: string) => values[name] ?? ""),
  );
}
