// Runs wrangler without prompts.
import { join } from "node:path";
import { ROOT, WRANGLER_ENV, outputOf } from "../scripts/programs.ts";

const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");

/**
 * Runs a command of wrangler.
 * @param folder with its configuration
 * @returns its output
 * @throws Error with its output if it fails
 */
export const wrangler = (args: readonly string[], folder = ROOT): string =>
  outputOf(process.execPath, [WRANGLER, ...args], {
    folder,
    env: { CI: "true", ...WRANGLER_ENV },
  });

/** Bundles a Worker into a folder. @param args further options of `wrangler deploy` */
export function bundle(folder: string, ...args: readonly string[]): void {
  wrangler(["deploy", ...args, "--dry-run", "--outdir", folder]);
}
