// `npm start`: `wrangler dev` with the tables and, in a new store, the classic data.
import { execFile, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { exitSoon, print } from "../package/output.ts";
import { waitForShutdown } from "../package/shutdown.ts";

const HELP = `Usage: npm start -- [options of wrangler dev]

Serves the pet store at http://localhost:8787/v2. The first start creates the classic data. Data persists.

  --port <number>         the port; 0 means any free port
  --persist-to <folder>   the folder with the data. Default: .wrangler/state
  --var <name>:<value>    a setting of wrangler.toml

For all options, run npx wrangler dev --help. To start without data, run:
  npx wrangler d1 migrations apply DB --local && npm run dev
`;

const args = process.argv.slice(2);
const { values } = parseArgs({
  args,
  options: {
    help: { type: "boolean", short: "h" },
    "persist-to": { type: "string", default: ".wrangler/state" },
    var: { type: "string", multiple: true, default: [] },
  },
  // wrangler checks its options itself.
  strict: false,
  allowPositionals: true,
});
if (values.help) {
  console.log(HELP);
  process.exit();
}

const folder = String(values["persist-to"]);

/** Says whether the store has its data. Its time says which migrations were applied: to ask the database takes seconds. */
const mark = join(folder, "npm-start.txt");
const FILLING = "The next start creates the classic data.";
const FILLED = "Delete this folder to start anew.";

const shutdown = waitForShutdown();
const env = {
  ...process.env,
  // Saves 0.4 of 2.6 seconds of CPU time, because wrangler is one 15 MB file.
  NODE_COMPILE_CACHE: "node_modules/.cache/node",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
};
const wrangler = ["--no-warnings", fileURLToPath(import.meta.resolve("wrangler"))];

const isFilled = () => existsSync(mark) && readFileSync(mark, "utf8") === FILLED;

/** Whether a migration is newer than the store. */
const isOutdated = () =>
  readdirSync("migrations").some((file) => statSync(join("migrations", file)).mtimeMs > statSync(mark).mtimeMs);

/** Applies the migrations that the store lacks. Exits if one fails. */
function migrate(): void {
  const isNew = !existsSync(mark);
  mkdirSync(folder, { recursive: true });
  // If this process is killed, the next start continues.
  if (isNew) writeFileSync(mark, FILLING);
  const options = ["d1", "migrations", "apply", "DB", "--local", `--persist-to=${folder}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...wrangler, ...options], { env, encoding: "utf8" });
  if (status !== 0) {
    console.error(stdout + stderr);
    process.exit(1);
  }
  // The developer has created the store, and chooses its data.
  const isForeign = isNew && stdout.includes("No migrations to apply");
  if (isForeign || isFilled()) writeFileSync(mark, FILLED);
}

/** Creates the classic data, with the API key of the options if there is one. */
async function fill(origin: string): Promise<void> {
  const [, key] = values.var.map((setting) => /^API_KEY:(.*)$/s.exec(String(setting))).find(Boolean) ?? [];
  const options = ["scripts/seed.ts", "--url", origin, ...(key ? ["--api-key", key] : [])];
  await promisify(execFile)(process.execPath, options).then(
    () => writeFileSync(mark, FILLED),
    ({ stderr }: { readonly stderr: string }) => {
      print(process.stderr, `The store lacks its data: ${stderr.trim()}`);
      print(process.stderr, "If access is protected, start with --var API_KEY:<key>.");
    },
  );
}

print(process.stdout, "Starting the pet store. The first start takes a few seconds longer.");
if (!isFilled() || isOutdated()) migrate();
// Any free port for the inspector, because two servers that start at once would otherwise choose the same port.
const child = spawn(process.execPath, [...wrangler, "dev", "--inspector-port=0", ...args], {
  stdio: ["ignore", "pipe", "pipe"],
  env,
});
createInterface({ input: child.stderr }).on("line", (line) => print(process.stderr, line));

/** wrangler's output before the store is ready. Shown only if it never becomes ready. */
const early: string[] = [];
let isReady = false;
createInterface({ input: child.stdout }).on("line", async (line) => {
  if (isReady) print(process.stdout, line);
  else early.push(line);
  const [, origin] = /Ready on (\S+)/.exec(line) ?? [];
  if (isReady || origin === undefined) return;
  if (!isFilled()) await fill(origin);
  isReady = true;
  print(process.stdout, `The pet store is at ${origin}/v2. Try it at ${origin}/docs/`);
});
child.on("close", (status) => {
  if (!isReady) print(process.stdout, early.join("\n"));
  exitSoon(status ?? 1);
});

// Ctrl-C in a terminal also signals wrangler. A second signal is harmless.
void shutdown.then(() => child.kill("SIGTERM"));
