// `npm run generate`: writes the types of the bindings in wrangler.toml, and a migration if the schema has changed. If
// drizzle-kit cannot tell whether a column is new or renamed, it asks, which requires a terminal. With `--check`, writes
// nothing, and fails if there is something to write.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { generateSQLiteDrizzleJson } from "drizzle-kit/api";
import * as schema from "../src/db/schema.ts";
import { run } from "./run.ts";

const META = "migrations/meta";

const readJson = (file: string): unknown => JSON.parse(readFileSync(`${META}/${file}`, "utf8"));

/** Throws if the schema differs from the snapshot of the last migration. drizzle-kit can only write this comparison. */
async function checkSchema(): Promise<void> {
  const { entries } = readJson("_journal.json") as { entries: { idx: number }[] };
  const last = String(entries.at(-1)?.idx).padStart(4, "0");
  const { tables } = readJson(`${last}_snapshot.json`) as { tables: unknown };
  const current = await generateSQLiteDrizzleJson(schema);
  // Through JSON, which drops what is `undefined`.
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(current.tables)), tables)) {
    throw new Error("src/db/schema.ts differs from the last migration.");
  }
}

const types = ["types", "--include-runtime=false", "--strict-vars=false"];
const isCheck = process.argv.includes("--check");
try {
  if (isCheck) run("wrangler", ...types, "--check");
  else {
    run("wrangler", ...types);
    // drizzle-kit exits with 0 even if it could not ask.
    spawnSync("drizzle-kit", ["generate"], { stdio: "inherit" });
  }
  await checkSchema();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(
    isCheck
      ? "Generated files are out of date: run `npm run generate`."
      : "No migration was written. If a column is new or renamed, run `npm run generate` in a terminal.",
  );
  process.exitCode = 1;
}
