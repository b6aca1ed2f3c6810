// `npm start`: serves the pet store on this machine with `wrangler dev`.
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { whenToEnd } from "../package/ending.ts";
import { claim } from "../package/port.ts";
import { isPrepared } from "./migrations.ts";

const HELP = `Usage: npm start -- [options]

Serves the pet store at http://localhost:8787/v2. The first start creates the classic data. Data persists.

  -p, --port <number>     the port. Default: 8787; 0 means any free port
  --empty                 do not create the classic data
  --persist-to <folder>   the folder with the data. Default: .wrangler/state
  -h, --help              print this help
`;

/** Prints a message and exits. */
function fail(message: string, status: number): never {
  console.error(message);
  process.exit(status);
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        port: { type: "string", short: "p", default: "8787" },
        empty: { type: "boolean", default: false },
        "persist-to": { type: "string", default: ".wrangler/state" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    const [sentence = ""] = (error as Error).message.split(". ");
    return fail(`${sentence}\n\n${HELP}`, 2);
  }
}

const ending = whenToEnd();
const { port, empty, help, "persist-to": folder } = readOptions();
if (help) {
  console.log(HELP);
  process.exit();
}
if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) fail(`--port takes a number from 0 to 65535\n\n${HELP}`, 2);
// wrangler's own message would be long.
await claim(Number(port), "localhost").catch(({ message }: Error) =>
  fail(`Port ${port} cannot be used (${message}). Try npm start -- --port 8788`, 1),
);
console.log("Starting the pet store. The first start takes a few seconds longer.");

const env = {
  ...process.env,
  // Do not fetch sample metadata (`request.cf`), which needs the network.
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  // Saves 0.4 of 2.6 seconds of CPU time, because wrangler is one 15 MB file.
  NODE_COMPILE_CACHE: "node_modules/.cache/node",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
  // wrangler's explorer would let pages from any origin read and change the data.
  X_LOCAL_EXPLORER: "false",
};

if (!isPrepared(folder)) {
  // A separate process, because its workerd prints warnings about bindings that it does not use.
  const args = ["scripts/prepare.ts", folder, ...(empty ? ["--empty"] : [])];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { ...env, WRANGLER_LOG: "error" },
    encoding: "utf8",
  });
  if (status !== 0) {
    fail((stdout || stderr).trim(), 1);
  }
}

const wrangler = spawn(
  process.execPath,
  [
    "--no-warnings",
    fileURLToPath(import.meta.resolve("wrangler")),
    "dev",
    "--env=local",
    `--port=${port}`,
    // Any free port, because two servers that start at once would otherwise choose the same port.
    "--inspector-port=0",
    `--persist-to=${folder}`,
  ],
  { stdio: ["ignore", "pipe", "inherit"], env },
);

/** wrangler's output before it is ready. Shown only if it never becomes ready. */
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

// Ctrl-C in a terminal also signals wrangler. A second signal is harmless.
void ending.then(() => wrangler.kill("SIGTERM"));
