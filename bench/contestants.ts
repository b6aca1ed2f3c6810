// Builds the Workers that are compared, all with wrangler and minified as for production.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { textsBeside } from "../e2e/workerd.ts";
import { bundle } from "../e2e/wrangler.ts";
import { ROOT } from "../scripts/programs.ts";

/** The folder for everything that the benchmark makes. */
export const OUT = join(ROOT, "dist", "bench");

export type Contestant = "floor" | "ours" | "control";
export type Bundle = Exclude<Contestant, "control">;

const COMPATIBILITY = ["--compatibility-date", "2026-10-01"];

/** How each is built: the service by its own configuration, the others from one file. */
const BUILDS: Readonly<Record<Bundle, readonly string[]>> = {
  ours: ["--env", ""],
  floor: ["bench/floor.ts", "--config", "bench/wrangler.toml", ...COMPATIBILITY, "--minify"],
};

/** Bundles a Worker. @returns the path of its one module */
export function build(name: Bundle): string {
  const outdir = join(OUT, name);
  bundle(outdir, ...BUILDS[name]);
  return join(outdir, name === "ours" ? "index.js" : `${name}.js`);
}

const sum = (lengths: readonly number[]) => lengths.reduce((total, length) => total + length, 0);

/** Bytes of a bundled Worker, plain and gzipped: its module, and the texts that it imports. */
export function sizeOf(script: string): { readonly bytes: number; readonly gzipped: number } {
  const modules = [script, ...textsBeside(script).map(({ path }) => path)].map((path) =>
    readFileSync(path),
  );
  return {
    bytes: sum(modules.map(({ byteLength }) => byteLength)),
    gzipped: sum(modules.map((bytes) => gzipSync(bytes).byteLength)),
  };
}
