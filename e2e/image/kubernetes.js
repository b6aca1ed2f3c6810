// `node kubernetes.js <file>`: checks each object of a manifest against the schema of its kind, and against the type, which
// also rejects unknown members.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";

const TYPED = "manifest.typed.ts";

const objects = parseAllDocuments(readFileSync(process.argv[2], "utf8")).map((it) => it.toJS());
const lines = [];
for (const object of objects) {
  const { apiVersion, kind } = object;
  const kinds = await import(`kubernetes-models/${apiVersion}`);
  new kinds[kind](object).validate();
  const type = `import("kubernetes-models/${apiVersion}").I${kind}`;
  lines.push(`export const ${kind}: ${type} = ${JSON.stringify(object)};`);
}
writeFileSync(TYPED, lines.join("\n"));
const tsc = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--types", ""];
const { status } = spawnSync("tsc", [...tsc, "--ignoreConfig", TYPED], { stdio: "inherit" });
rmSync(TYPED);
process.exit(status ?? 1);
