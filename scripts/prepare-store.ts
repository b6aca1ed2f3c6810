// `node scripts/prepare-store.ts <folder>`: applies the migrations that a store lacks, and fills a new one with the
// classic data unless you pass `--empty`. One transaction does both, so no store is ever half filled.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { getPlatformProxy } from "wrangler";
// Before the modules that need it.
import "./node-22.ts";
import { MIGRATIONS } from "../src/db/migrations.ts";
import { insertionsOf } from "../src/sandbox/data.ts";
import { stateIn } from "./local-store.ts";
import { ROOT } from "./programs.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { empty: { type: "boolean", default: false } },
});
const [folder = ""] = positionals;

/** The table in which wrangler records applied migrations: https://developers.cloudflare.com/d1/reference/migrations/ */
const RECORD = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

const { env, dispose } = await getPlatformProxy<Env>({
  configPath: join(ROOT, "wrangler.toml"),
  environment: "local",
  persist: { path: stateIn(folder) },
});
try {
  await prepare(env);
} finally {
  await dispose();
}

async function prepare({ DB, PASSWORD_KEY }: Env): Promise<void> {
  await DB.prepare(RECORD).run();
  const { results } = await DB.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  // Wrangler names a migration by its file.
  const migrations = MIGRATIONS.map(({ name, sql }) => ({ file: `${name}.sql`, sql }));
  const unknown = [...applied].find((name) => !migrations.some(({ file }) => file === name));
  if (unknown !== undefined) {
    console.log(
      `The store in ${folder} is of another version: it has the migration ${unknown}. Delete it with \`npm run reset\`.`,
    );
    process.exitCode = 1;
    return;
  }
  const lacking = migrations.filter(({ file }) => !applied.has(file));
  if (lacking.length === 0) return;
  const isFilled = applied.size === 0 && !values.empty;
  const data = isFilled ? await insertionsOf({ data: "classic" }, [PASSWORD_KEY]) : [];
  await DB.batch([
    ...lacking.flatMap(({ file, sql }) => [
      ...sql.split("\n").map((statement) => DB.prepare(statement)),
      DB.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(file),
    ]),
    ...data.map(({ sql, values: bound }) => DB.prepare(sql).bind(...bound)),
  ]);
  console.log(`Applied to the local database: ${lacking.map(({ file }) => file).join(", ")}`);
  if (isFilled) console.log("Filled with the data of the classic Petstore.");
}
