import { spawnSync } from "node:child_process";

/** Runs a command. @throws Error with the command's output if it fails */
export function run(command: string, ...args: readonly string[]): void {
  const env = { ...process.env, WRANGLER_HIDE_BANNER: "true", WRANGLER_SEND_METRICS: "false" };
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}\n${stdout}${stderr}`);
}
