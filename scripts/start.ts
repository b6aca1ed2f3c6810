// `npm start`: serves the local store with `wrangler dev`. Before the first answer, it applies new migrations, and
// fills an empty store with the classic data. `-- --empty` leaves it empty. Other arguments go to `wrangler dev`.
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
    // The child process sends a message with its address.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: {
      ...process.env,
      CLOUDFLARE_ENV: "local",
      // wrangler spends most of its start reading its own code.
      NODE_COMPILE_CACHE: join(import.meta.dirname, "..", "node_modules", ".cache", "compiled"),
      // wrangler needs no answers from a terminal and no other network.
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
  // The address is known before the Worker is ready.
  await fetch(`${origin}/docs/`, { method: "HEAD" }).catch(() => undefined);
  console.log(`
The pet store is at ${origin}/v2${isFilled ? ", filled with the data of the classic Petstore" : ""}.
Try it in a browser:   ${origin}/docs/
or in a terminal:      curl ${origin}/v2/store/inventory
`);
}
