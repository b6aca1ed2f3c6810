// `bash .ci/run deploy`: runs `npm run deploy` with the real wrangler against a stand-in for Cloudflare's API. workerd
// serves the Worker with the settings of production. Ends with exit status 1 at the first fault.
import { deepStrictEqual, match, ok, strictEqual } from "node:assert";
import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { unstable_getMiniflareWorkerOptions as workerOptionsOf } from "wrangler";
import { parse } from "yaml";
import { prepareStore } from "../../scripts/local-store.ts";
import { ROOT, WRANGLER_ENV, outputOf, run, runNode } from "../../scripts/programs.ts";
import type { Ended } from "../../scripts/programs.ts";
import { send } from "../http.ts";
import { modulesIn, startWorkerd } from "../workerd.ts";
import { wrangler } from "../wrangler.ts";
import { Account } from "./cloudflare.ts";
import type { Binding } from "./cloudflare.ts";

const URL_OF_WORKER = "https://pet-store.pets.workers.dev";
const KEY = Buffer.alloc(32, 7).toString("base64");
/** Wrangler gives it to the Worker that is served here. */
process.env["PASSWORD_KEY"] = KEY;
const API_KEY = "the API key of the Worker";

/** What a deployment reads. */
const PARTS = "e2e migrations scripts site src package.json tsconfig.json wrangler.toml".split(" ");

/** A clone of the project, which has no secrets yet. */
const folder = fs.mkdtempSync(join(tmpdir(), "pet-store-deploy-"));
const secrets = join(folder, ".secrets");
const toml = join(folder, "wrangler.toml");

interface Served {
  readonly origin: string;
  /** The lines that the Worker logged as errors. */
  readonly faults: readonly string[];
}

/** Serves the built Worker while `use` runs. Without its assets, it answers 500 for pages and documents. */
async function withWorker(
  { hasAssets }: { readonly hasAssets: boolean },
  use: (served: Served) => Promise<void>,
): Promise<void> {
  const { assets, ...worker } = workerOptionsOf(toml).workerOptions;
  const store = join(folder, "store");
  await prepareStore(store, { empty: true });
  const faults: string[] = [];
  const { miniflare, port } = await startWorkerd({
    ...worker,
    rootPath: "/",
    bindings: { ...(worker["bindings"] as object), API_KEY },
    modules: modulesIn(join(folder, "dist")),
    resourcePersistencePath: join(store, "v3"),
    ...(hasAssets && {
      assets: { ...(assets as object), directory: join(folder, "dist", "site") },
    }),
    handleStructuredLogs: ({ level, message }) => {
      if (level === "error") faults.push(message);
    },
  });
  try {
    await use({ origin: `http://127.0.0.1:${port}`, faults });
  } finally {
    await miniflare.dispose();
  }
}

/** Runs `npm run deploy` without a terminal, so that wrangler asks no questions. */
async function deploy(
  account: Account,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Ended> {
  return runNode(["scripts/deploy.ts"], {
    folder,
    env: {
      CI: undefined,
      PASSWORD_KEY: undefined,
      API_KEY,
      // Nobody is logged in there.
      HOME: folder,
      NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${import.meta.resolve("./domain.ts")}`,
      WORKER_URL: URL_OF_WORKER,
      ...(await account.listen()),
      ...env,
    },
  });
}

function succeeded({ status, stdout, stderr }: Ended): string {
  strictEqual(status, 0, `${stdout}${stderr}`);
  return stdout;
}

/** The resources exist once, and the Worker is bound to them. */
function checkAccount({ databases, namespaces, buckets, bindings = [], crons }: Account): void {
  const [database, ...others] = databases;
  deepStrictEqual([database?.name, others], ["pet-store", []]);
  const tables = database?.db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const names = new Set(tables?.map((table) => table["name"]));
  ok(names.isSupersetOf(new Set(["pets", "orders", "users", "d1_migrations"])));
  const bound = (wanted: string) => bindings.find((binding) => binding.name === wanted);
  strictEqual(bound("DB")?.["id"], database?.uuid);
  deepStrictEqual([...buckets], [bound("IMAGES")?.["bucket_name"]]);
  deepStrictEqual([...namespaces.values()], [bound("SESSIONS")?.["namespace_id"]]);
  strictEqual(bound("ACCESS")?.["text"], "protected");
  strictEqual(bound("ENVIRONMENT")?.["text"], "production");
  deepStrictEqual(bound("REQUESTS")?.["simple"], { limit: 600, period: 60 });
  deepStrictEqual(crons, [{ cron: "17 * * * *" }]);
}

async function checkNewAccount(account: Account): Promise<void> {
  await withWorker({ hasAssets: true }, async ({ origin }) => {
    const printed = succeeded(await deploy(account, { SERVED_AT: origin }));
    ok(printed.includes(URL_OF_WORKER), printed);
    match(printed, /\d+ steps, all right/);
    checkAccount(account);
    const [, key = ""] = /^PASSWORD_KEY=(.*)\n$/.exec(fs.readFileSync(secrets, "utf8")) ?? [];
    strictEqual(Buffer.from(key, "base64").byteLength, 32);
    strictEqual(fs.statSync(secrets).mode & 0o777, 0o600);
    strictEqual(account.secrets.get("PASSWORD_KEY"), key);
    ok(!printed.includes(key), "the key is printed");
  });
  const counted =
    "SELECT (SELECT count(*) FROM pets) + (SELECT count(*) FROM orders) + (SELECT count(*) FROM users) AS n";
  const options = ["--local", "--env", "local", "--json", "--persist-to", join(folder, "store")];
  const found = wrangler(["d1", "execute", "DB", ...options, "--command", counted]);
  match(found, /"n": 0\n/);
  console.log("ok  one command sets up a new account, tries the Worker and leaves no data");
}

async function checkFaultyVersion(account: Account): Promise<void> {
  const key = account.secrets.get("PASSWORD_KEY");
  fs.rmSync(secrets);
  await withWorker({ hasAssets: false }, async ({ origin, faults }) => {
    const { status, stderr } = await deploy(account, { SERVED_AT: origin });
    strictEqual(status, 1);
    match(stderr, /^not ok {2}GET \/v2\/openapi.json [^]*npx wrangler rollback/m);
    console.log("ok  a version with a fault fails the command, which says how to roll back");

    checkAccount(account);
    ok(!fs.existsSync(secrets), "a second key was made");
    strictEqual(account.secrets.get("PASSWORD_KEY"), key);
    console.log("ok  a second deployment creates nothing twice and keeps the key");

    const headers = { Accept: "text/html" };
    const page = await send(origin, `GET /stores/${randomUUID()}/`, { headers });
    strictEqual(page.status, 500);
    // The log comes a moment after the answer.
    const ofPage = () => faults.find((fault) => fault.includes('"route":"/stores/:store"'));
    while (!ofPage()) await sleep(20);
    const input = ofPage() ?? "";
    const located = outputOf(process.execPath, ["scripts/operate.ts", "locate"], { folder, input });
    const source = fs.readFileSync(join(folder, "src/assets/pages.ts"), "utf8").split("\n");
    const line = source.findIndex((text) => text.includes("await assets.fetch(")) + 1;
    match(located, new RegExp(`TypeError[^]* at .*src/assets/pages\\.ts:${line}:\\d+`));
    console.log("ok  locate finds the line of the source for an error in the log");
  });
}

const resources = (bindings: readonly Binding[]) =>
  new Set(
    bindings.flatMap((binding) =>
      ["id", "database_id", "namespace_id", "bucket_name"].flatMap((name) => binding[name] ?? []),
    ),
  );
const kinds = (bindings: readonly Binding[]) =>
  bindings.map(({ name, type }) => `${type} ${name}`).toSorted();

async function checkPreview(account: Account): Promise<void> {
  let previews = 0;
  const text = fs.readFileSync(toml, "utf8");
  fs.writeFileSync(
    toml,
    text.replaceAll("<REPLACE_ME>", () => `of-previews-${++previews}`),
  );
  const cli = ["--no-warnings", "node_modules/wrangler/bin/wrangler.js"];
  const env = { ...(await account.listen()), CI: "true", HOME: folder };
  const made = await run(process.execPath, [...cli, "preview", "--name", "try"], {
    folder,
    env,
  });
  match(succeeded(made), /try-pet-store\.pets\.workers\.dev/);
  const { bindings = [], preview } = account;
  // The secret is set once for all previews.
  const secret = { type: "secret_text", name: "PASSWORD_KEY" };
  deepStrictEqual(kinds([...preview, secret]), kinds(bindings));
  ok(resources(preview).isDisjointFrom(resources(bindings)));
  console.log("ok  a preview has every binding of production and shares no resource with it");
}

async function checkCi(account: Account): Promise<void> {
  // GitHub gives an empty value for a secret that does not exist.
  for (const PASSWORD_KEY of [undefined, ""]) {
    const refused = await deploy(account, { CI: "true", PASSWORD_KEY });
    strictEqual(refused.status, 1);
    match(refused.stderr, /required secrets have not been set: PASSWORD_KEY/);
    ok(!fs.existsSync(secrets));
  }
  await withWorker({ hasAssets: true }, async ({ origin }) => {
    const env = { CI: "true", PASSWORD_KEY: KEY, API_KEY: undefined, SERVED_AT: origin };
    match(
      succeeded(await deploy(account, env)),
      /^GET \/v2\/store\/inventory was answered[^]*API_KEY/m,
    );
  });
  strictEqual(account.secrets.get("PASSWORD_KEY"), KEY);
  console.log("ok  CI generates no key, and uses the one that it is given");
  console.log("ok  without the API key, the command says that it tried no sandbox");
}

async function checkCredentials(account: Account): Promise<void> {
  const cases = [
    [{ CLOUDFLARE_API_TOKEN: "another" }, /^Cloudflare refuses CLOUDFLARE_API_TOKEN/],
    [{ CLOUDFLARE_API_TOKEN: undefined }, /^You are not logged in to Cloudflare/],
    [{ CLOUDFLARE_API_TOKEN: "" }, /^You are not logged in to Cloudflare/],
    [{ CLOUDFLARE_ACCOUNT_ID: undefined }, /^Your login has several accounts/],
    [{ CLOUDFLARE_ACCOUNT_ID: "" }, /^Your login has several accounts/],
  ] as const;
  for (const [env, remedy] of cases) {
    const { status, stdout, stderr } = await deploy(account, env);
    deepStrictEqual([status, stdout], [1, ""]);
    match(stderr, remedy);
    deepStrictEqual([account.databases.length, account.bindings], [0, undefined]);
  }
  console.log("ok  wrong credentials change nothing, and the first line says what to do");
}

/** Runs the commands of the workflow in a checkout of main, with an npm that only prints its arguments. */
function checkTip(): void {
  interface Job {
    readonly needs?: string;
    readonly if?: string;
    readonly concurrency?: string;
    readonly steps: readonly { readonly run?: string }[];
  }
  interface Workflow {
    readonly concurrency?: string;
    readonly jobs: { readonly deploy: Job };
  }
  const text = fs.readFileSync(join(ROOT, ".github", "workflows", "deploy.yml"), "utf8");
  const { concurrency, jobs } = parse(text) as Workflow;
  const { steps, ...deploys } = jobs.deploy;
  // GitHub cancels a run that waits if another one comes, so only a run of the tip may wait.
  strictEqual(concurrency, undefined);
  strictEqual(deploys.concurrency, "deploy");
  strictEqual(deploys.needs, "tip");
  strictEqual(deploys.if, "needs.tip.outputs.commit == github.event.workflow_run.head_sha");
  const checkout = fs.mkdtempSync(join(folder, "checkout-"));
  const bin = join(checkout, "bin");
  fs.mkdirSync(bin);
  fs.writeFileSync(join(bin, "npm"), '#!/bin/sh\necho "npm $*"\n', { mode: 0o755 });
  const git = (...args: readonly string[]) => outputOf("git", args, { folder: checkout });
  git("init", "--quiet");
  const commits = ["older", "newer"].map((message) => {
    const author = ["-c", "user.name=Author", "-c", "user.email=author@example.com"];
    git(...author, "commit", "--quiet", "--allow-empty", "--no-gpg-sign", `--message=${message}`);
    return git("rev-parse", "HEAD").trim();
  });
  const [olderSays, newerSays] = commits.map((COMMIT) =>
    steps
      .flatMap(({ run: command }) => command ?? [])
      .map((command) =>
        outputOf("sh", ["-e", "-c", command], {
          folder: checkout,
          env: { COMMIT, PATH: `${bin}:${process.env["PATH"]}` },
        }),
      )
      .join(""),
  );
  strictEqual(olderSays, `Not deployed: main is at ${commits[1]} now.\n`);
  strictEqual(newerSays, `npm ci\nnpm run deploy -- --message ${commits[1]}\n`);
  console.log("ok  the workflow deploys only the tip of main");
}

async function withAccount(...checks: readonly ((account: Account) => Promise<void>)[]) {
  const account = new Account();
  try {
    for (const check of checks) await check(account);
  } finally {
    account.close();
  }
}

try {
  for (const part of PARTS) {
    fs.cpSync(join(ROOT, part), join(folder, part), {
      recursive: true,
      filter: (path) => !path.endsWith("node_modules"),
    });
  }
  fs.symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  outputOf("npm", ["run", "build"], { folder, env: WRANGLER_ENV });
  checkTip();
  await withAccount(checkCredentials);
  await withAccount(checkNewAccount, checkFaultyVersion, checkPreview);
  await withAccount(checkCi);
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
