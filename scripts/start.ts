// `npm start`: serves the local store with `wrangler dev`. Before its first answer the database has every migration,
// and an empty store has the classic data. `-- --empty` leaves it empty; other arguments go to `wrangler dev`.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fillWhereEmpty, isReady, migrate, storeFolder, withLocalStore } from "./local-store.ts";

// Reading the code of wrangler and Miniflare is most of the time that they take to start.
const COMPILED = join(import.meta.dirname, "..", "node_modules", ".cache", "compiled");
enableCompileCache(COMPILED);

const EMPTY = "--empty";
const given = process.argv.slice(2);
const args = given.filter((arg) => arg !== EMPTY);

// Beside the store: wrangler needs the database only when the first request asks for it.
const wrangler = spawn(
  process.execPath,
  ["--no-warnings", fileURLToPath(import.meta.resolve("wrangler")), "dev", ...args],
  {
    // It tells by a message when and where it serves.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: {
      ...process.env,
      CLOUDFLARE_ENV: "local",
      NODE_COMPILE_CACHE: COMPILED,
      // Neither a terminal's answers nor another network is needed.
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      WRANGLER_HIDE_BANNER: "true",
      WRANGLER_SEND_METRICS: "false",
    },
  },
);
const ready = new Promise<string>((resolve) => {
  wrangler.on("message", (message: string) => {
    const { event, ip, port } = JSON.parse(message) as {
      event: string;
      ip: string;
      port: number;
    };
    if (event === "DEV_SERVER_READY") resolve(`http://${ip}:${port}`);
  });
});
wrangler.on("exit", (status, signal) => {
  process.exit(status ?? (signal === null ? 1 : 128 + constants.signals[signal]));
});
// Ctrl-C in a terminal reaches both, and wrangler ends first.
process.on("SIGINT", () => undefined).on("SIGTERM", () => wrangler.kill("SIGTERM"));

/** Brings the store up to date. @returns what it did, for the one who started it */
async function prepareStore(): Promise<string> {
  const folder = storeFolder(args);
  if (isReady(folder)) return "";
  return withLocalStore(folder, async ({ db }) => {
    const applied = await migrate(db);
    if (applied.length > 0) console.log(`Applied to the local database: ${applied.join(", ")}`);
    const isFilled = !given.includes(EMPTY) && (await fillWhereEmpty(db));
    return isFilled ? ", filled with the data of the classic Petstore" : "";
  });
}

try {
  const [filled, origin] = await Promise.all([prepareStore(), ready]);
  // The address is there before the Worker.
  await fetch(`${origin}/docs/`, { method: "HEAD" });
  console.log(`
The pet store is at ${origin}/v2${filled}.
Try it in a browser:   ${origin}/docs/
or in a terminal:      curl ${origin}/v2/store/inventory
`);
} catch (error) {
  console.error(error);
  wrangler.kill("SIGTERM");
}
