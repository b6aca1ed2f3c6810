// Builds the package, and installs it as a user would.
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputOf } from "../../scripts/programs.ts";

/** Builds and packs the package. @returns the tarball, and its size in bytes */
export function pack(folder: string): { readonly tarball: string; readonly bytes: number } {
  outputOf(process.execPath, ["scripts/package.ts", join(folder, "package")]);
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
  return { tarball, bytes: statSync(tarball).size };
}

/** Installs packages into a folder, and those in its package.json. @returns their size in bytes */
export function install(folder: string, ...packages: readonly string[]): number {
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) writeFileSync(manifest, `{"private":true,"type":"module"}`);
  outputOf("npm", ["install", "--no-audit", "--no-fund", ...packages], { folder });
  const [kilobytes] = outputOf("du", ["-sk", "node_modules"], { folder }).split("\t");
  return Number(kilobytes) * 1024;
}
