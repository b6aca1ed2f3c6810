// On a Node version that `engines` excludes, npm silently skips the native packages of the test runner and the linter.
const { npm_config_user_agent: agent = "" } = process.env;
const [, major, minor] = (/node\/v(\d+)\.(\d+)/.exec(agent) ?? []).map(Number);
const isOld = major < 20 || major === 21 || (major === 20 && minor < 19) || (major === 22 && minor < 12);
if (isOld) {
  console.error("This version of Node cannot install all packages. Run npm with Node 20.19, or with 22.12 or newer.");
  process.exitCode = 1;
}
