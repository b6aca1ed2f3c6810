// Runs wrangler without questions.
import { join } from "node:path";
import { ROOT, outputOf } from "../scripts/programs.ts";

const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");

/**
 * Runs a command of wrangler.
 * @param folder where its configuration is
 * @returns what it printed
 * @throws Error where it fails, with all that it printed
 */
export const wrangler = (args: readonly string[], folder = ROOT): string =>
  outputOf(process.execPath, [WRANGLER, ...args], {
    folder,
    env: { CI: "true", CLOUDFLARE_CF_FETCH_ENABLED: "false", WRANGLER_SEND_METRICS: "false" },
  });

/** Bundles a Worker into a folder. @param args what is bundled, and how */
export function bundle(folder: string, ...args: readonly string[]): void {
  wrangler(["deploy", ...args, "--dry-run", "--outdir", folder]);
}
