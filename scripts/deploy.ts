// `npm run deploy`: deploys production, even to an account that has nothing yet. Wrangler makes the KV namespace and
// the R2 bucket itself. The database must exist before it is migrated, and the Worker needs a key for passwords from
// its first version on. Arguments go to `wrangler deploy`.
import { randomBytes } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { unstable_readConfig as readConfig } from "wrangler";
import { runSync } from "./programs.ts";
import type { Ended } from "./programs.ts";

/** Secrets for the first version. Git ignores it. */
const SECRETS = ".secrets";

const CLI = fileURLToPath(import.meta.resolve("wrangler"));

interface Run {
  /** Whether to return what it prints, instead of showing it. */
  readonly capture?: boolean;
  /** Whether it may ask questions. */
  readonly ask?: boolean;
}

const run = (args: readonly string[], { capture = false, ask = false }: Run = {}): Ended =>
  runSync(process.execPath, ["--no-warnings", CLI, ...args, "--env="], {
    shows: !capture,
    env: {
      ...(!ask && { CI: "true" }),
      WRANGLER_HIDE_BANNER: "true",
      WRANGLER_SEND_METRICS: "false",
    },
  });

/** @returns what it printed, if that is wanted. If wrangler fails, this process ends. */
function wrangler(args: readonly string[], options?: Run): string {
  const ended = run(args, options);
  return ended.status === 0 ? ended.stdout : end(ended);
}

function end({ stdout, stderr }: Ended): never {
  process.stderr.write(stdout + stderr);
  process.exit(1);
}

/** Makes the database, if the configuration names it and it does not exist. */
function provideDatabase(): void {
  const [{ database_id: id, database_name: name = "" } = {}] = readConfig({
    config: "wrangler.toml",
  }).d1_databases;
  if (id !== undefined) return;
  const listed = JSON.parse(wrangler(["d1", "list", "--json"], { capture: true })) as {
    readonly name: string;
  }[];
  if (listed.some((database) => database.name === name)) return;
  wrangler(["d1", "create", name], { capture: true });
  console.log(`Made the database ${name}.`);
}

/** @returns the options that give the first version its key */
function provideKey(): string[] {
  const listed = run(["secret", "list", "--format", "json"], { capture: true });
  const isDone = listed.status === 0;
  if (!isDone && !/Worker ".*" not found/.test(listed.stdout + listed.stderr)) end(listed);
  const secrets = (isDone ? JSON.parse(listed.stdout) : []) as { readonly name: string }[];
  if (secrets.some(({ name }) => name === "PASSWORD_KEY")) return [];
  if (!existsSync(SECRETS)) {
    const given = process.env["PASSWORD_KEY"];
    // On a CI machine, nobody could keep a copy of a generated key. Wrangler says that the key is missing.
    if (given === undefined && process.env["CI"] !== undefined) {
      return [];
    }
    const key = given ?? randomBytes(32).toString("base64");
    writeFileSync(SECRETS, `PASSWORD_KEY=${key}\n`, { mode: 0o600, flag: "wx" });
    console.log(`PASSWORD_KEY is in ${SECRETS}. Keep a copy: no other key can read the passwords.`);
  }
  return ["--secrets-file", SECRETS];
}

provideDatabase();
const secrets = provideKey();
wrangler(["d1", "migrations", "apply", "DB", "--remote"]);
wrangler(["deploy", ...secrets, ...process.argv.slice(2)], { ask: true });
