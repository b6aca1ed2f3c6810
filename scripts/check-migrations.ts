// Fails if src/db/schema.ts has a change that no migration makes yet.
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const copy = mkdtempSync(join(tmpdir(), "migrations-"));
try {
  cpSync("migrations", copy, { recursive: true });
  const { status, stdout, stderr } = spawnSync(
    "drizzle-kit",
    ["generate", "--dialect", "sqlite", "--schema", "./src/db/schema.ts", "--out", copy],
    { encoding: "utf8", shell: process.platform === "win32" },
  );
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
  if (readdirSync(copy).length !== readdirSync("migrations").length) {
    throw new Error("src/db/schema.ts has changed: run `npm run migration`");
  }
} finally {
  rmSync(copy, { recursive: true });
}
