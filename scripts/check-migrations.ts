// Fails if src/db/schema.ts has a change that no migration makes yet.
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outputOf } from "./programs.ts";

const copy = mkdtempSync(join(tmpdir(), "migrations-"));
try {
  cpSync("migrations", copy, { recursive: true });
  const schema = ["--dialect", "sqlite", "--schema", "./src/db/schema.ts"];
  outputOf("drizzle-kit", ["generate", ...schema, "--out", copy]);
  if (readdirSync(copy).length !== readdirSync("migrations").length) {
    throw new Error("src/db/schema.ts has changed: run `npm run migration`");
  }
} finally {
  rmSync(copy, { recursive: true });
}
