// `npm run deploy`: deploys to production, also to a new account, and runs the smoke test there. Wrangler creates the KV
// namespace and the bucket. This script creates the database, because migrations need it before the first deployment, and
// the first password key. Arguments are passed to `wrangler deploy`.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
// Wrangler has no stable way to read its configuration.
import { unstable_readConfig as readConfig } from "wrangler";

/** The file with the secrets of the first deployment. Git ignores it. */
const SECRETS = ".secrets";

/** The file in which wrangler reports a deployment: a line of JSON per step. */
const REPORT = ".wrangler/deployment.jsonl";

// GitHub sets an empty variable for a missing secret. Wrangler must not see it.
for (const [name, value] of Object.entries(process.env)) if (value === "") delete process.env[name];
const { API_KEY, CI, PASSWORD_KEY } = process.env;
const { d1_databases: databases, vars } = readConfig({ config: "wrangler.toml" });

/** Runs wrangler. Only `wrangler deploy` may prompt. */
function run(args: readonly string[], stdio: "pipe" | "inherit") {
  const env = {
    ...process.env,
    ...(args[0] !== "deploy" && { CI: "true" }),
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_OUTPUT_FILE_PATH: REPORT,
    WRANGLER_SEND_METRICS: "false",
  };
  const { status, stdout, stderr } = spawnSync("wrangler", args, { encoding: "utf8", env, stdio });
  return { succeeded: status === 0, stdout: stdout ?? "", output: [stdout, stderr].join("") };
}

/** Runs wrangler and exits if it fails. @returns its output, unless the output is inherited */
function wrangler(args: readonly string[], stdio: "pipe" | "inherit" = "pipe"): string {
  const { succeeded, stdout, output } = run(args, stdio);
  if (!succeeded) fail(output);
  return stdout;
}

function fail(output: string): never {
  console.error(output);
  process.exit(1);
}

/** Creates the database unless it exists. */
function ensureDatabase(): void {
  const listed = JSON.parse(wrangler(["d1", "list", "--json"])) as { readonly name: string }[];
  const [{ database_id: id, database_name: name = "" } = {}] = databases;
  if (id !== undefined || listed.some((database) => database.name === name)) return;
  wrangler(["d1", "create", name]);
  console.log(`Created the database ${name}.`);
}

/** Creates the password key unless the service has one. @returns the options for `wrangler deploy` */
function ensurePasswordKey(): string[] {
  const listed = run(["secret", "list", "--format", "json"], "pipe");
  const isNew = /Worker ".*" not found/.test(listed.output);
  if (!listed.succeeded && !isNew) fail(listed.output);
  const secrets = (isNew ? [] : JSON.parse(listed.stdout)) as { readonly name: string }[];
  if (secrets.some(({ name }) => name === "PASSWORD_KEY")) return [];
  if (!existsSync(SECRETS)) {
    // A key that CI generates could not be copied. Without a key, wrangler reports that it is missing.
    if (PASSWORD_KEY === undefined && CI !== undefined) return [];
    const key = PASSWORD_KEY ?? randomBytes(32).toString("base64");
    writeFileSync(SECRETS, `PASSWORD_KEY=${key}\n`, { mode: 0o600 });
    console.log(`PASSWORD_KEY is in ${SECRETS}. Keep a copy: without it, the passwords cannot be decrypted.`);
  }
  return ["--secrets-file", SECRETS];
}

/** Deploys the Worker. @returns its origin, if it has a public one */
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

/** Waits until the service can read its database. A new DNS name may take two minutes to resolve. */
async function becomesReady(origin: string): Promise<boolean> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const response = await fetch(`${origin}/v2/store/inventory`, { signal: AbortSignal.timeout(10_000) }).catch(String);
    if (typeof response !== "string" && response.ok) return true;
    if (Date.now() > deadline) {
      console.error(typeof response === "string" ? response : `${response.status} ${await response.text()}`);
      return false;
    }
    await sleep(2000);
  }
}

/** Runs the smoke test in a sandbox, if this script can create one. */
function passesSmoke(origin: string): boolean {
  const { ACCESS, SANDBOX_CREATION = ACCESS === "open" ? "anyone" : "key" } = vars;
  if (SANDBOX_CREATION === "nobody" || (SANDBOX_CREATION === "key" && API_KEY === undefined)) {
    console.log("The smoke test did not run: it needs a sandbox. Set API_KEY to let it create one.");
    return true;
  }
  const args = ["e2e/smoke.ts", origin, "--sandbox", ...(API_KEY === undefined ? [] : ["--api-key", API_KEY])];
  return spawnSync(process.execPath, args, { stdio: "inherit" }).status === 0;
}

ensureDatabase();
const secrets = ensurePasswordKey();
wrangler(["d1", "migrations", "apply", "DB", "--remote"], "inherit");
const origin = deploy([...secrets, ...process.argv.slice(2)]);
if (origin === undefined) {
  console.log("The deployment was not tested, because it has no public address.");
} else if (!((await becomesReady(origin)) && passesSmoke(origin))) {
  console.error(
    "\nThe new version is deployed, but its test failed. To restore the previous version: npx wrangler rollback",
  );
  console.error("A rollback does not change the data or its migrations. See docs/hosting.md.");
  process.exitCode = 1;
}
