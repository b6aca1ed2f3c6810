// `npm run session`: puts into the README and docs/session.md what their commands print on a new store. Random values
// stay as they are. With --check it only compares.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withServer } from "../e2e/server.ts";
import { SESSIONS, documentWith } from "../e2e/session.ts";
import { emptyDatabase, fillWhereEmpty, withDatabase } from "./local-store.ts";

const isCheck = process.argv.includes("--check");
const folder = mkdtempSync(join(tmpdir(), "pet-store-session-"));

async function write(document: string, origin: string): Promise<void> {
  withDatabase(folder, (db) => {
    emptyDatabase(db);
    fillWhereEmpty(db);
  });
  const text = await documentWith(document, origin);
  if (text === readFileSync(document, "utf8")) return;
  if (isCheck) {
    console.error(`npm run session: ${document} does not show what the service answers`);
    process.exitCode = 1;
  } else {
    writeFileSync(document, text);
  }
}

try {
  await withServer(
    async (origin) => {
      for (const document of SESSIONS) await write(document, origin);
    },
    { folder },
  );
} finally {
  rmSync(folder, { recursive: true });
}
