// `npm run generate`: writes the types of the bindings in wrangler.toml, and a migration if the schema has changed. With
// `--check`, writes nothing, and fails if there is something to write.
import { cpSync, readdirSync, rmSync } from "node:fs";
import { run } from "./run.ts";

/** drizzle-kit can only write, so a check lets it write to a copy. */
const COPY = "dist/migrations";

const types = ["types", "--include-runtime=false", "--strict-vars=false"];
if (process.argv.includes("--check")) {
  rmSync(COPY, { recursive: true, force: true });
  cpSync("migrations", COPY, { recursive: true });
  try {
    run("wrangler", ...types, "--check");
    run("drizzle-kit", "generate", "--dialect", "sqlite", "--schema", "./src/db/schema.ts", "--out", COPY);
    if (readdirSync(COPY).length !== readdirSync("migrations").length) throw new Error("The schema has changed.");
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error("Generated files are out of date: run `npm run generate`.");
    process.exitCode = 1;
  }
} else {
  run("wrangler", ...types);
  run("drizzle-kit", "generate");
}
