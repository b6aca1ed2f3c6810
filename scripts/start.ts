// `npm start`: serves the local store with `wrangler dev`. A new store gets the classic data; `-- --empty` leaves it out.
// `-- --port <number>` chooses the port, and `-- --persist-to <folder>` where the store is kept.
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { whenToEnd } from "../package/ending.ts";
import { isPrepared } from "../package/migrations.ts";

const ending = whenToEnd();
const { values } = parseArgs({
  options: {
    port: { type: "string", default: "8787" },
    empty: { type: "boolean", default: false },
    "persist-to": { type: "string", default: ".wrangler/state" },
  },
});
const folder = values["persist-to"];
const env = {
  ...process.env,
  // The edge's metadata of a request, which needs the network.
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  // Saves 0.4 of 2.6 seconds of CPU, because wrangler is one file of 15 MB.
  NODE_COMPILE_CACHE: "node_modules/.cache/node",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
  // Wrangler's explorer would let web pages of every origin read and change the store.
  X_LOCAL_EXPLORER: "false",
};

if (!isPrepared(folder, "migrations")) {
  // In a process of its own, because its workerd prints warnings about bindings that it does not use.
  const args = ["scripts/prepare.ts", folder, ...(values.empty ? ["--empty"] : [])];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { ...env, WRANGLER_LOG: "error" },
    encoding: "utf8",
  });
  if (status !== 0) {
    console.error((stdout || stderr).trim());
    process.exit(1);
  }
}

const wrangler = spawn(
  process.execPath,
  [
    "--no-warnings",
    fileURLToPath(import.meta.resolve("wrangler")),
    "dev",
    "--env=local",
    `--port=${values.port}`,
    // Any free port: two servers that start at once would choose the same.
    "--inspector-port=0",
    `--persist-to=${folder}`,
  ],
  { stdio: ["ignore", "pipe", "inherit"], env },
);

/** What wrangler prints before it serves. Shown only if it never does. */
let early = "";
let isReady = false;
wrangler.stdout.setEncoding("utf8").on("data", (text: string) => {
  if (isReady) process.stdout.write(text);
  else early += text;
  const [, origin] = (!isReady && /Ready on (\S+)/.exec(early)) || [];
  if (origin === undefined) return;
  isReady = true;
  console.log(`The pet store is at ${origin}/v2. Try it at ${origin}/docs/`);
});
wrangler.on("close", (status) => {
  if (!isReady) process.stdout.write(early);
  process.exitCode = status ?? 1;
});

// Ctrl-C in a terminal reaches wrangler too. A second signal does no harm.
void ending.then(() => wrangler.kill("SIGTERM"));
