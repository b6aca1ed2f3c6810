// `npm run deploy`: deploys production, even to an empty account, and runs the smoke test there. Wrangler creates the KV
// namespace and the bucket; this script creates the database, before its migrations, and the password key of the first
// version. Arguments go to `wrangler deploy`.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
// Wrangler has no stable way to read its configuration.
import { unstable_readConfig as readConfig } from "wrangler";

/** The secrets of the first version. Git ignores it. */
const SECRETS = ".secrets";

/** Wrangler's report of a deployment: a line of JSON for each step. */
const REPORT = ".wrangler/deployment.jsonl";

// GitHub sets an empty variable for a secret that does not exist. Wrangler must not see it either.
for (const [name, value] of Object.entries(process.env)) if (value === "") delete process.env[name];
const { API_KEY, CI, PASSWORD_KEY } = process.env;
const { d1_databases: databases, vars } = readConfig({ config: "wrangler.toml" });

/** Runs wrangler. Only `wrangler deploy` may ask questions. */
function run(args: readonly string[], stdio: "pipe" | "inherit") {
  const env = {
    ...process.env,
    ...(args[0] !== "deploy" && { CI: "true" }),
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_OUTPUT_FILE_PATH: REPORT,
    WRANGLER_SEND_METRICS: "false",
  };
  const { status, stdout, stderr } = spawnSync("wrangler", [...args, "--env="], { encoding: "utf8", env, stdio });
  return { isDone: status === 0, stdout: stdout ?? "", output: [stdout, stderr].join("") };
}

/** @returns the output, unless it is inherited. Ends this process if wrangler fails */
function wrangler(args: readonly string[], stdio: "pipe" | "inherit" = "pipe"): string {
  const { isDone, stdout, output } = run(args, stdio);
  if (!isDone) end(output);
  return stdout;
}

function end(output: string): never {
  console.error(output);
  process.exit(1);
}

function provideDatabase(): void {
  const listed = JSON.parse(wrangler(["d1", "list", "--json"])) as { readonly name: string }[];
  const [{ database_id: id, database_name: name = "" } = {}] = databases;
  if (id !== undefined || listed.some((database) => database.name === name)) return;
  wrangler(["d1", "create", name]);
  console.log(`Made the database ${name}.`);
}

/** @returns options for `wrangler deploy`, if the service has no password key yet */
function provideKey(): string[] {
  const listed = run(["secret", "list", "--format", "json"], "pipe");
  const isNew = /Worker ".*" not found/.test(listed.output);
  if (!listed.isDone && !isNew) end(listed.output);
  const secrets = (isNew ? [] : JSON.parse(listed.stdout)) as { readonly name: string }[];
  if (secrets.some(({ name }) => name === "PASSWORD_KEY")) return [];
  if (!existsSync(SECRETS)) {
    // Nobody could keep a copy of a key that CI makes. Without one, wrangler reports that it is missing.
    if (PASSWORD_KEY === undefined && CI !== undefined) return [];
    const key = PASSWORD_KEY ?? randomBytes(32).toString("base64");
    writeFileSync(SECRETS, `PASSWORD_KEY=${key}\n`, { mode: 0o600 });
    console.log(`PASSWORD_KEY is in ${SECRETS}. Keep a copy: no other key can read the passwords.`);
  }
  return ["--secrets-file", SECRETS];
}

/** @returns the origin of the deployed Worker, if it has a public one */
function deploy(args: readonly string[]): string | undefined {
  rmSync(REPORT, { force: true });
  wrangler(["deploy", ...args], "inherit");
  // A dry run reports nothing.
  const steps = existsSync(REPORT) ? readFileSync(REPORT, "utf8").trim().split("\n") : [];
  const [host] = steps
    .flatMap((step) => (JSON.parse(step) as { readonly targets?: readonly string[] }).targets ?? [])
    .flatMap((target) => /^(?:https:\/\/)?([^\s/]+)(?:$| \(custom domain\))/.exec(target)?.[1] ?? []);
  return host === undefined ? undefined : `https://${host}`;
}

/** Waits until the service answers a read of its database. DNS may need two minutes to know a new name. */
async function answers(origin: string): Promise<boolean> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const answer = await fetch(`${origin}/v2/store/inventory`, { signal: AbortSignal.timeout(10_000) }).catch(String);
    if (typeof answer !== "string" && answer.ok) return true;
    if (Date.now() > deadline) {
      console.error(typeof answer === "string" ? answer : `${answer.status} ${await answer.text()}`);
      return false;
    }
    await sleep(2000);
  }
}

/** Runs the smoke test in a sandbox, if this script may create one. */
function passesSmoke(origin: string): boolean {
  const { ACCESS, SANDBOX_CREATION = ACCESS === "open" ? "anyone" : "key" } = vars;
  if (SANDBOX_CREATION === "nobody" || (SANDBOX_CREATION === "key" && API_KEY === undefined)) {
    console.log("The smoke test did not run: it needs a sandbox. Set API_KEY to let it create one.");
    return true;
  }
  const args = ["e2e/smoke.ts", origin, "--sandbox", ...(API_KEY === undefined ? [] : ["--api-key", API_KEY])];
  return spawnSync(process.execPath, args, { stdio: "inherit" }).status === 0;
}

provideDatabase();
const secrets = provideKey();
wrangler(["d1", "migrations", "apply", "DB", "--remote"], "inherit");
const origin = deploy([...secrets, ...process.argv.slice(2)]);
if (origin === undefined) {
  console.log("The deployment was not tested: it has no public address.");
} else if (!((await answers(origin)) && passesSmoke(origin))) {
  console.error("\nThe new version is deployed, and failed. To go back to the previous one: npx wrangler rollback");
  console.error("The data and its migrations stay as they are: docs/operating.md.");
  process.exitCode = 1;
}
