// `npm start`: serves the local store with `wrangler dev`. Before its first answer the database has every migration,
// and an empty store has the classic data. `-- --empty` leaves it empty; other arguments go to `wrangler dev`.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fillWhereEmpty, migrate, storeFolder, withDatabase } from "./local-store.ts";

const EMPTY = "--empty";
const given = process.argv.slice(2);
const args = given.filter((arg) => arg !== EMPTY);

const { applied, isFilled } = withDatabase(storeFolder(args), (db) => ({
  applied: migrate(db),
  isFilled: !given.includes(EMPTY) && fillWhereEmpty(db),
}));
if (applied.length > 0) console.log(`Applied to the local database: ${applied.join(", ")}`);

const wrangler = spawn(
  process.execPath,
  ["--no-warnings", fileURLToPath(import.meta.resolve("wrangler")), "dev", ...args],
  {
    // It tells by a message where it serves.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: {
      ...process.env,
      CLOUDFLARE_ENV: "local",
      // Reading its code is most of the time that wrangler takes to start.
      NODE_COMPILE_CACHE: join(import.meta.dirname, "..", "node_modules", ".cache", "compiled"),
      // Neither a terminal's answers nor another network is needed.
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      WRANGLER_HIDE_BANNER: "true",
      WRANGLER_SEND_METRICS: "false",
    },
  },
);
wrangler.on("message", (message: string) => {
  const { event, ip, port } = JSON.parse(message) as { event: string; ip: string; port: number };
  if (event === "DEV_SERVER_READY") void greet(`http://${ip}:${port}`);
});
wrangler.on("exit", (status, signal) => {
  process.exit(status ?? (signal === null ? 1 : 128 + constants.signals[signal]));
});
// Ctrl-C in a terminal reaches both, and wrangler ends first.
process.on("SIGINT", () => undefined).on("SIGTERM", () => wrangler.kill("SIGTERM"));

async function greet(origin: string): Promise<void> {
  // The address is there before the Worker.
  await fetch(`${origin}/docs/`, { method: "HEAD" }).catch(() => undefined);
  console.log(`
The pet store is at ${origin}/v2${isFilled ? ", filled with the data of the classic Petstore" : ""}.
Try it in a browser:   ${origin}/docs/
or in a terminal:      curl ${origin}/v2/store/inventory
`);
}
