// `npm run deploy`: deploys production, even to an empty account, and runs the smoke test there. Wrangler creates
// the KV namespace and the R2 bucket. This script creates what wrangler does not: the database, before its
// migrations, and the password key, for the first version. Arguments go to `wrangler deploy`.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
// As in package.ts.
import { unstable_readConfig as readConfig } from "wrangler";
import { runSync } from "./programs.ts";
import type { Ended } from "./programs.ts";

// GitHub sets an empty variable for a secret that does not exist. Wrangler must not see it either.
for (const [name, value] of Object.entries(process.env)) if (value === "") delete process.env[name];

/** Secrets for the first version. Git ignores it. */
const SECRETS = ".secrets";

/** Wrangler's report of a deployment: a line of JSON for each step. Git ignores it. */
const REPORT = ".wrangler/deployment.jsonl";

const CLI = fileURLToPath(import.meta.resolve("wrangler"));

/** How long to wait until the address of a new Worker answers. */
const ANSWERS_MS = 120_000;

/** What to do about wrangler's errors, by a part of their text. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /necessary to set a CLOUDFLARE_API_TOKEN/,
    "You are not logged in to Cloudflare. Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.",
  ],
  [
    /More than one account available/,
    "Your login has several accounts. Set CLOUDFLARE_ACCOUNT_ID to the id of one of them.",
  ],
  [
    /Authentication error|Invalid access token|Invalid request headers|code: (?:9106|9109|10000)/,
    `Cloudflare refuses ${process.env["CLOUDFLARE_API_TOKEN"] === undefined ? "your login" : "CLOUDFLARE_API_TOKEN"}: it ` +
      "is wrong or has expired, is for another account than CLOUDFLARE_ACCOUNT_ID, or lacks a permission.\n" +
      'A token needs the template "Edit Cloudflare Workers", with "D1: Edit" as well: docs/hosting.md.',
  ],
];

const ROLL_BACK = `
The new version is deployed, and it failed. To go back to the previous version:

    npx wrangler rollback

Data and migrations stay as they are: docs/operating.md#roll-back. There is nothing to go back to if this was the first
version: correct the error, and deploy again.`;

const config = readConfig({ config: "wrangler.toml" });

interface Run {
  /** Return the output instead of showing it. */
  readonly capture?: boolean;
  /** Let wrangler ask questions. */
  readonly ask?: boolean;
}

const run = (args: readonly string[], { capture = false, ask = false }: Run = {}): Ended =>
  runSync(process.execPath, ["--no-warnings", CLI, ...args, "--env="], {
    shows: !capture,
    env: {
      ...(!ask && { CI: "true" }),
      WRANGLER_HIDE_BANNER: "true",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_OUTPUT_FILE_PATH: REPORT,
    },
  });

/** @returns the captured output. Ends this process if wrangler fails */
function wrangler(args: readonly string[], options?: Run): string {
  const ended = run(args, options);
  return ended.status === 0 ? ended.stdout : end(ended);
}

function end({ stdout, stderr }: Ended): never {
  const said = stdout + stderr;
  const [, remedy] = REMEDIES.find(([pattern]) => pattern.test(said)) ?? [];
  process.stderr.write(remedy === undefined ? said : `${remedy}\n\nWrangler says:\n${said}`);
  process.exit(1);
}

/**
 * Creates the database, unless it exists or the configuration has its id. As the first call, it checks the
 * credentials.
 */
function provideDatabase(): void {
  const listed = JSON.parse(wrangler(["d1", "list", "--json"], { capture: true })) as {
    readonly name: string;
  }[];
  const [{ database_id: id, database_name: name = "" } = {}] = config.d1_databases;
  if (id !== undefined || listed.some((database) => database.name === name)) return;
  wrangler(["d1", "create", name], { capture: true });
  console.log(`Made the database ${name}.`);
}

/** @returns the options of `wrangler deploy` that give the first version its password key */
function provideKey(): string[] {
  const listed = run(["secret", "list", "--format", "json"], { capture: true });
  const isDone = listed.status === 0;
  if (!isDone && !/Worker ".*" not found/.test(listed.stdout + listed.stderr)) end(listed);
  const secrets = (isDone ? JSON.parse(listed.stdout) : []) as { readonly name: string }[];
  if (secrets.some(({ name }) => name === "PASSWORD_KEY")) return [];
  if (!existsSync(SECRETS)) {
    const given = process.env["PASSWORD_KEY"];
    // In CI, nobody could keep a copy of a generated key. Without one, wrangler reports that it is missing.
    if (given === undefined && process.env["CI"] !== undefined) return [];
    const key = given ?? randomBytes(32).toString("base64");
    writeFileSync(SECRETS, `PASSWORD_KEY=${key}\n`, { mode: 0o600, flag: "wx" });
    console.log(`PASSWORD_KEY is in ${SECRETS}. Keep a copy: no other key can read the passwords.`);
  }
  return ["--secrets-file", SECRETS];
}

/** Deploys the Worker. @returns its origin, if it has a public one */
function deploy(args: readonly string[]): string | undefined {
  rmSync(REPORT, { force: true });
  wrangler(["deploy", ...args], { ask: true });
  // A dry run reports nothing.
  const steps = existsSync(REPORT) ? readFileSync(REPORT, "utf8").trim().split("\n") : [];
  const targets = steps.flatMap(
    (step) => (JSON.parse(step) as { readonly targets?: readonly string[] | null }).targets ?? [],
  );
  const [host] = targets.flatMap(
    (target) => /^(?:https:\/\/)?([^\s/]+)(?:$| \(custom domain\))/.exec(target)?.[1] ?? [],
  );
  return host === undefined ? undefined : `https://${host}`;
}

/** Who may create a sandbox there (docs/hosting.md). */
function creation(): unknown {
  const { ACCESS, STORE_CREATION } = config.vars;
  return STORE_CREATION ?? (ACCESS === "open" ? "anyone" : "key");
}

/**
 * Reads the inventory of the shared store, and runs the smoke test in a new sandbox if this script may create one.
 * @returns whether every answer was right
 */
async function tryOut(origin: string): Promise<boolean> {
  const deadline = Date.now() + ANSWERS_MS;
  for (;;) {
    // DNS takes a while to know the name of a new Worker.
    const signal = AbortSignal.timeout(10_000);
    const answer = await fetch(`${origin}/v2/store/inventory`, { signal }).catch(String);
    if (typeof answer !== "string" && answer.ok) break;
    if (Date.now() > deadline) {
      const said = typeof answer === "string" ? answer : `${answer.status} ${await answer.text()}`;
      console.error(`not ok  GET /v2/store/inventory\nwas answered: ${said}`);
      return false;
    }
    await sleep(2000);
  }
  const key = process.env["API_KEY"];
  if (creation() === "nobody" || (creation() === "key" && key === undefined)) {
    console.log(
      "GET /v2/store/inventory was answered. The smoke test did not run, because this service makes no sandbox for it. " +
        "If only the holder of the API key creates them, set API_KEY to run it.",
    );
    return true;
  }
  const withKey = key === undefined ? [] : ["--api-key", key];
  const walk = runSync(process.execPath, ["e2e/smoke.ts", origin, "--own", ...withKey], {
    shows: true,
  });
  return walk.status === 0;
}

provideDatabase();
const secrets = provideKey();
wrangler(["d1", "migrations", "apply", "DB", "--remote"]);
const origin = deploy([...secrets, ...process.argv.slice(2)]);
if (origin === undefined) {
  console.log("The deployment was not tested: it has no public address.");
} else if (!(await tryOut(origin))) {
  console.error(ROLL_BACK);
  process.exitCode = 1;
}
