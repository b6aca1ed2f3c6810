// `npm start`: brings the local database up to date and serves it. Arguments go to `wrangler dev`.
import { spawnSync } from "node:child_process";

const env = {
  ...process.env,
  CLOUDFLARE_ENV: "local",
  // Neither a terminal's answers nor another network is needed.
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
};

function wrangler(args: string[], options: { env: NodeJS.ProcessEnv }): void {
  const { status } = spawnSync("wrangler", args, {
    stdio: "inherit",
    shell: process.platform === "win32",
    ...options,
  });
  if (status !== 0) process.exit(status ?? 1);
}

const args = process.argv.slice(2);
const at = args.findIndex((arg) => arg.startsWith("--persist-to"));
const persistence = at < 0 ? [] : args.slice(at, args[at] === "--persist-to" ? at + 2 : at + 1);

// CI=true: applies without asking.
wrangler(["d1", "migrations", "apply", "DB", "--local", ...persistence], {
  env: { ...env, CI: "true" },
});
wrangler(["dev", ...args], { env });
