// npm installs the native parts of the test runner and the linter only on a Node that `engines` allows, and says nothing.
const { npm_config_user_agent: agent = "" } = process.env;
const [, major, minor] = (/node\/v(\d+)\.(\d+)/.exec(agent) ?? []).map(Number);
const isOld = major < 20 || major === 21 || (major === 20 && minor < 19) || (major === 22 && minor < 12);
if (isOld) {
  console.error("Run npm with Node 20.19, or with 22.12 or newer: this one cannot install everything.");
  process.exitCode = 1;
}
