// `npm run generate`: writes the types of the bindings in wrangler.toml, and a migration if the schema has changed. With
// `--check`, writes nothing, and fails if there is something to write.
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";

const isCheck = process.argv.includes("--check");
/** drizzle-kit can only write, so let it write to a copy. */
const COPY = "dist/migrations";

function run(command: string, args: readonly string[]): boolean {
  const env = { ...process.env, WRANGLER_HIDE_BANNER: "true", WRANGLER_SEND_METRICS: "false" };
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env });
  if (status !== 0) console.error(stdout, stderr);
  return status === 0;
}

const types = ["types", "--include-runtime=false", "--strict-vars=false"];
if (isCheck) {
  rmSync(COPY, { recursive: true, force: true });
  cpSync("migrations", COPY, { recursive: true });
  const schema = ["--dialect", "sqlite", "--schema", "./src/db/schema.ts", "--out", COPY];
  const isCurrent =
    run("wrangler", [...types, "--check"]) &&
    run("drizzle-kit", ["generate", ...schema]) &&
    readdirSync(COPY).length === readdirSync("migrations").length;
  if (!isCurrent) {
    console.error("Generated files are out of date: run `npm run generate`.");
    process.exitCode = 1;
  }
} else if (!run("wrangler", types) || !run("drizzle-kit", ["generate"])) {
  process.exitCode = 1;
}
