// Builds the Workers to compare, with wrangler and minified, as in production.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { bundle } from "../e2e/wrangler.ts";
import { ROOT } from "../scripts/programs.ts";

export type Bundle = "floor" | "ours";

const COMPATIBILITY = ["--compatibility-date", "2026-10-01"];

/** Arguments of wrangler: the service has its own configuration, the floor is one file. */
const BUILDS: Readonly<Record<Bundle, readonly string[]>> = {
  ours: ["--env", ""],
  floor: ["bench/floor.ts", "--config", "bench/wrangler.toml", ...COMPATIBILITY, "--minify"],
};

/** Bundles a Worker. @returns the path of its one module */
export function build(name: Bundle): string {
  const outdir = join(ROOT, "dist", "bench", name);
  bundle(outdir, ...BUILDS[name]);
  return join(outdir, name === "ours" ? "index.js" : `${name}.js`);
}

/** The gzipped size of a bundled Worker in bytes. */
export const gzippedSize = (script: string): number => gzipSync(readFileSync(script)).byteLength;
