// Whether a change of the schema without its migration is noticed.
import { deepEqual, equal, match } from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Program, copyOfProject, run } from "./server.ts";

const GENERATE = ["node", "scripts/generate.ts"];

/** A copy of the project whose users have another name for a column. */
function renamed(): string {
  const cwd = copyOfProject();
  const file = join(cwd, "src/db/schema.ts");
  writeFileSync(file, readFileSync(file, "utf8").replace("phone: text()", "telephone: text()"));
  return cwd;
}

test("the check passes if the schema is that of the last migration", async () => {
  const { status, output } = await run([...GENERATE, "--check"]);
  equal(status, 0, output);
});

test("the check fails after a column was renamed, or added, and writes nothing", async () => {
  const added = copyOfProject();
  const file = join(added, "src/db/schema.ts");
  writeFileSync(file, readFileSync(file, "utf8").replace("phone: text(),", "phone: text(), fax: text(),"));
  for (const cwd of [renamed(), added]) {
    const { status, output } = await run([...GENERATE, "--check"], { cwd });
    equal(status, 1);
    match(output, /differs from the last migration.*npm run generate/s);
    deepEqual(readdirSync(join(cwd, "migrations")), readdirSync("migrations"));
  }
});

test("without a terminal, a migration that needs input fails", async () => {
  const { status, output } = await run(GENERATE, { cwd: renamed() });
  equal(status, 1);
  match(output, /in a terminal/);
});

test("in a terminal, a migration that needs input asks for it", async () => {
  const program = new Program(["script", "--quiet", "--command", GENERATE.join(" "), "/dev/null"], { cwd: renamed() });
  await program.prints(/telephone.*column.*(?:created|renamed)/s);
  await program.stop();
});
