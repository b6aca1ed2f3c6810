// Runs wrangler without questions.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** The folder of the package. */
export const ROOT = join(import.meta.dirname, "..");

/**
 * Runs a command of wrangler.
 * @param folder where its configuration is
 * @returns what it printed
 * @throws Error where it fails, with all that it printed
 */
export function wrangler(args: readonly string[], folder = ROOT): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, "node_modules/wrangler/bin/wrangler.js"), ...args],
    {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 1 << 28,
      env: {
        ...process.env,
        CI: "true",
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
        WRANGLER_SEND_METRICS: "false",
      },
    },
  );
  if (status !== 0) throw new Error(`wrangler ${args.join(" ")} failed\n${stdout}${stderr}`);
  return stdout;
}
