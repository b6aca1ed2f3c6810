// What the image runs (Dockerfile): the command, on the port that the variable PORT names, with other variables checked.
import { printableLines } from "./terminal.ts";
import { unservedIn } from "./variables.ts";

const unserved = unservedIn(process.env);
if (unserved === undefined) {
  // The last of several wins, so options of the user override these.
  process.argv.splice(2, 0, "--host", "0.0.0.0", "--port", process.env["PORT"] ?? "");
  await import("./command.ts");
} else {
  process.stderr.write(`${printableLines(unserved)}\n`);
  process.exitCode = 1;
}
