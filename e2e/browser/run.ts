// Runs the specs here on the pages of `npm start`, in Debian's Chromium, or the one that CHROMIUM names.
import { join } from "node:path";
import { succeed, withServer } from "../server.ts";

const cwd = import.meta.dirname;
await succeed(["tsc", "-p", cwd]);
await withServer(async (SERVICE) => {
  const playwright = join(cwd, "node_modules/.bin/playwright");
  const files = process.argv.slice(2);
  console.log(await succeed([playwright, "test", ...files], { cwd, env: { SERVICE } }));
});
