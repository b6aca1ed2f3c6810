// Runs after `npm install`, on the Node 22 that it has installed.
//
// npm silently skips optional packages whose `engines` exclude the Node that npm itself runs on. The native parts of
// vitest, oxlint and oxfmt are such packages. If the machine's Node is too old for them, this runs npm again, on
// Node 22.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";

// 65 MB of headers. The binary is linked elsewhere.
rmSync("node_modules/node/node_modules", { recursive: true, force: true });

/** What runs the install: `npm/10.8.2 node/v18.20.8 linux x64`. */
const agent = process.env["npm_config_user_agent"] ?? "";
const npm = process.env["npm_execpath"];
const [, major, minor] = (/^npm\/.* node\/v(\d+)\.(\d+)/.exec(agent) ?? []).map(Number);

/** Their `engines`: ^20.19.0 || >=22.12.0. */
const suits = major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);

if (npm !== undefined && major !== undefined && !suits) {
  // Without install scripts, or this one would run again. The native parts have none.
  const { status } = spawnSync(
    process.execPath,
    [npm, "install", "--no-save", "--ignore-scripts"],
    {
      stdio: "inherit",
    },
  );
  process.exitCode = status ?? 1;
}
