// `npm run test:openapi-typescript`: openapi-typescript makes types of openapi.json that compile and say what they should.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

/** What a client written with the types does, and what they must not let pass. */
const CLIENT = `import type { components, operations, paths } from "./types.ts";
type Schemas = components["schemas"];

export const pet: Schemas["NewPet"] = { name: "Rex", photoUrls: ["rex.png"], status: "sold", tags: null };
export const classic: Schemas["NewPet"] = { name: "Rex", photoUrls: "rex.png" };
// @ts-expect-error photoUrls is required
export const bare: Schemas["NewPet"] = { name: "Rex" };
// @ts-expect-error there is no such status
export const lost: Schemas["Pet"]["status"] = "lost";
export const path: keyof paths = "/pet/{petId}";
export const id: operations["getPetById"]["parameters"]["path"]["petId"] = 1;
export type Found = operations["getPetById"]["responses"][200]["content"]["application/json"];
export const found: Found = { id, name: "Rex", photoUrls: [] };
export type Missing = operations["getPetById"]["responses"][404]["content"]["application/json"];
export const missing: Missing = { code: 404, type: "error", message: "Pet not found" };
`;

const folder = mkdtempSync(join(tmpdir(), "pet-store-types-"));
try {
  const types = astToString(await openapiTS(pathToFileURL("openapi.json")));
  writeFileSync(join(folder, "types.ts"), types);
  writeFileSync(join(folder, "client.ts"), CLIENT);
  const flags = ["--strict", "--noEmit", "--ignoreConfig", "--allowImportingTsExtensions"];
  const modules = ["--module", "esnext", "--moduleResolution", "bundler", "--types", ""];
  const { status } = spawnSync("tsc", [...flags, ...modules, join(folder, "client.ts")], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error("the types do not compile");
  const { paths } = JSON.parse(readFileSync("openapi.json", "utf8")) as { paths: object };
  const missing = Object.keys(paths).filter((path) => !types.includes(JSON.stringify(path)));
  if (missing.length > 0) throw new Error(`no types of ${missing.join(", ")}`);
  console.log(`${types.split("\n").length} lines of types, which compile`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
