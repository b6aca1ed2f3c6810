// `npm run bench`: the command beside those of others, and the CPU time of the bundle. Writes both into docs/benchmarks.md.
// `-- --rounds 1` is a quick look, `-- --only commands` or `-- --only bundle` one of both.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { measureBundle } from "./bundle.ts";
import { measureCommands } from "./commands.ts";

const PAGE = "docs/benchmarks.md";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "3" }, only: { type: "string" } } });
const rounds = Number(values.rounds);
const conditions = `Measured ${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores, medians of ${rounds} rounds.`;

for (const [name, measure] of [
  ["commands", measureCommands],
  ["bundle", measureBundle],
] as const) {
  if (values.only !== undefined && values.only !== name) continue;
  const results = `${conditions}\n\n${await measure(rounds)}`;
  console.log(results);
  const text = readFileSync(PAGE, "utf8");
  const between = new RegExp(`(?<=<!-- ${name}: begin -->)[^]*(?=<!-- ${name}: end -->)`);
  writeFileSync(
    PAGE,
    text.replace(between, () => `\n\n${results}\n\n`),
  );
}
