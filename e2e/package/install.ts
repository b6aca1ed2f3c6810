// Builds the package, and installs it as anyone else would.
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../wrangler.ts";

const PACKAGE = join(ROOT, "dist", "package");

/** Runs a command. @returns what it printed @throws Error where it fails */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed\n${stdout}${stderr}`);
  return stdout;
}

/** Builds and packs the package. @returns the tarball, and its size in bytes */
export function pack(folder: string): { readonly tarball: string; readonly bytes: number } {
  run(process.execPath, ["scripts/package.ts"], ROOT);
  const packed = run("npm", ["pack", "--json", "--pack-destination", folder], PACKAGE);
  const [entry] = JSON.parse(packed) as [{ readonly filename: string; readonly size: number }];
  return { tarball: join(folder, entry.filename), bytes: entry.size };
}

/** Installs packages into a folder, with those that its package.json names. @returns what they take, in bytes */
export function install(folder: string, ...packages: readonly string[]): number {
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) writeFileSync(manifest, `{"private":true,"type":"module"}`);
  run("npm", ["install", "--no-audit", "--no-fund", ...packages], folder);
  const [kilobytes] = run("du", ["-sk", "node_modules"], folder).split("\t");
  return Number(kilobytes) * 1024;
}
