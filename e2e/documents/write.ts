// Writes every document that a deployment may serve into a folder, for the linters.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { documentsOf } from "../../scripts/openapi/documents.ts";
import { located } from "../../src/assets/documents.ts";

const [folder = ""] = process.argv.slice(2);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const kind of ["open", "protected", "sandbox"] as const) {
  for (const [path, text] of Object.entries(documentsOf(kind))) {
    const file = `${kind}/${path}`.replaceAll(/[ /]/g, "-");
    const here = new URL("https://pets.example");
    writeFileSync(join(folder, file), located(text, here, "a-store-of-my-own"));
  }
}
