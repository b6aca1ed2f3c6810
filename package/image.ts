// What the image runs (Dockerfile): the command, on the port that the variable PORT names, with the base path of the
// variables.
import { optionsOf, unknownIn } from "./variables.ts";

for (const name of unknownIn(process.env)) {
  process.stderr.write(`${name} is unknown, and changes nothing.\n`);
}
// The last of several wins, so options of the user override these.
const { PORT = "" } = process.env;
process.argv.splice(2, 0, "--host", "0.0.0.0", "--port", PORT, ...optionsOf(process.env));
await import("./command.ts");
