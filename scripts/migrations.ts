// After `npm run migration`: writes src/db/migrations.ts. With --check it only fails if that file lacks a migration, or
// if src/db/schema.ts has a change that no migration makes yet.
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outputOf } from "./programs.ts";

const FILE = "src/db/migrations.ts";

const files = readdirSync("migrations")
  .filter((name) => name.endsWith(".sql"))
  .toSorted();
const nameOf = (file: string) => `sql${file.slice(0, 4)}`;
const text = `${files.map((file) => `import ${nameOf(file)} from "../../migrations/${file}";\n`).join("")}
/**
 * The migrations in order, for stores that apply them themselves; wrangler applies the same files to D1. \`npm run
 * migration\` writes this file.
 */
export const MIGRATIONS: readonly string[] = [${files.map(nameOf).join(", ")}];
`;

function isUpToDate(): boolean {
  const copy = mkdtempSync(join(tmpdir(), "migrations-"));
  try {
    cpSync("migrations", copy, { recursive: true });
    const schema = ["--dialect", "sqlite", "--schema", "./src/db/schema.ts"];
    outputOf("drizzle-kit", ["generate", ...schema, "--out", copy]);
    const isComplete = readdirSync(copy).length === readdirSync("migrations").length;
    const imported = readFileSync(FILE, "utf8").matchAll(/migrations\/(.+\.sql)/g);
    return isComplete && Array.from(imported, ([, file]) => file).join() === files.join();
  } finally {
    rmSync(copy, { recursive: true });
  }
}

if (!process.argv.includes("--check")) {
  writeFileSync(FILE, text);
  outputOf("oxfmt", [FILE]);
} else if (!isUpToDate()) {
  throw new Error("src/db/schema.ts has changed, or a migration is new: run `npm run migration`");
}
