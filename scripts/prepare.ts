// `node scripts/prepare.ts <folder>`: applies migrations to the local data in a folder. If the folder is new, creates the
// classic data, unless `--empty` is passed.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { getPlatformProxy } from "wrangler";
import { prepareStore } from "./local-store.ts";
import { isMarked, mark } from "./migrations.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { empty: { type: "boolean", default: false } },
});
const [folder = ".wrangler/state"] = positionals;

const { env, dispose } = await getPlatformProxy<Env>({
  environment: "local",
  // Where `wrangler dev --persist-to` keeps its state, as wrangler documents.
  persist: { path: join(folder, "v3") },
});
try {
  const data = { data: values.empty ? "empty" : "classic" } as const;
  await prepareStore(env, { data, isNew: !isMarked(folder) });
  mark(folder);
} catch (error) {
  console.log(`${folder}: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await dispose();
}
