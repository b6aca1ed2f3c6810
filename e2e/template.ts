// Applies the commands of "Make it yours" in docs/architecture.md to a copy of the project. What is left must compile, pass
// its tests, build and start.
import { equal } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, copyOfProject, succeed, withServer } from "./server.ts";

const page = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");
const [, section = ""] = page.split("\n## Make it yours\n");
const [, commands = ""] = /^```sh\n([^]*?)^```$/m.exec(section.split("\n## ")[0] ?? "") ?? [];
const lines = commands.trim().split("\n");
equal(lines.length > 1 && lines.length <= 10, true, `"Make it yours" has ${lines.length} lines`);

const cwd = copyOfProject();
for (const command of [
  ["bash", "-euo", "pipefail", "-c", commands],
  ["tsc"],
  ["npm", "test"],
  ["npm", "run", "build"],
]) {
  await succeed(command, { cwd });
  console.log(`ok  ${command.at(-1)}`);
}
await withServer(
  async (origin) => {
    equal((await fetch(`${origin}/health`)).status, 200);
    console.log("ok  npm start");
  },
  { cwd },
);
