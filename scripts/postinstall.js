// Runs after `npm install`, on the Node that the package brings. That Node comes in its own package, with 65 MB of
// headers. Only its binary is used, and that is linked elsewhere.
//
// npm leaves out optional packages whose `engines` exclude the Node that npm itself runs on, without a word, and the
// native parts of vitest, oxlint and oxfmt are such packages. Where the machine's Node is too old for them, npm runs
// once more on this one.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";

rmSync("node_modules/node/node_modules", { recursive: true, force: true });

/** What runs the install, such as `npm/10.8.2 node/v18.20.8 linux x64`. */
const agent = process.env["npm_config_user_agent"] ?? "";
const npm = process.env["npm_execpath"];
const [, major, minor] = (/^npm\/.* node\/v(\d+)\.(\d+)/.exec(agent) ?? []).map(Number);

/** Their `engines`: ^20.19.0 || >=22.12.0. */
const suits = major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19);

if (npm !== undefined && major !== undefined && !suits) {
  // Without scripts, this one among them: the native parts have none, and what has was installed before.
  const { status } = spawnSync(
    process.execPath,
    [npm, "install", "--no-save", "--ignore-scripts"],
    {
      stdio: "inherit",
    },
  );
  process.exitCode = status ?? 1;
}
