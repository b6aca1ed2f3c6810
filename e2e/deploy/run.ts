// `npm run test:deploy`: runs `npm run deploy` with the real wrangler against an account in memory, whose Worker workerd
// serves: on an account that has nothing; again, with a defect; on a machine of CI; and where the credentials are wrong.
// Ends with exit status 1 at the first difference.
import { deepStrictEqual, match, ok, strictEqual } from "node:assert";
import { randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, outputOf, run, runNode } from "../../scripts/programs.ts";
import type { Ended } from "../../scripts/programs.ts";
import { freePort } from "../server.ts";
import { Account } from "./cloudflare.ts";
import type { Binding } from "./cloudflare.ts";
import { Edge } from "./edge.ts";

const URL_OF_WORKER = "https://pet-store.pets.workers.dev";

/** What of the package a deployment reads. */
const PARTS = "e2e migrations scripts site src package.json tsconfig.json wrangler.toml".split(" ");

const filter = (path: string) => !path.endsWith("node_modules");

/** A clone of the package without the secrets that it may have, and an account to deploy it to. */
class Deployment {
  readonly folder = fs.mkdtempSync(join(tmpdir(), "pet-store-deploy-"));
  readonly account = new Account();
  readonly edge = new Edge();
  /** Without its assets, the Worker has a defect. */
  hasAssets = true;
  /** Where the Worker is served. */
  readonly #origin: string;

  constructor(port: number) {
    this.#origin = `http://127.0.0.1:${port}`;
    for (const part of PARTS)
      fs.cpSync(join(ROOT, part), join(this.folder, part), { recursive: true, filter });
    fs.symlinkSync(join(ROOT, "node_modules"), join(this.folder, "node_modules"));
    this.account.uploaded = async (worker) => {
      const assets = this.hasAssets ? join(this.folder, "dist/site") : undefined;
      const database = this.account.databases.get("pet-store")?.db;
      if (database) await this.edge.serve({ worker, database, port, assets });
    };
  }

  /** Sends a request to the Worker. */
  readonly ask = async (path: string, headers: Record<string, string>): Promise<Response> =>
    fetch(this.#origin + path, { headers });

  get secrets(): string {
    return join(this.folder, ".secrets");
  }

  async deploy(env: Record<string, string | undefined> = {}): Promise<Ended> {
    const account = await this.account.address();
    // Without a terminal wrangler asks nothing, as with CI.
    return runNode(["scripts/deploy.ts"], {
      folder: this.folder,
      env: {
        CI: undefined,
        // No login of the person who runs this.
        HOME: this.folder,
        NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${import.meta.resolve("./domain.ts")}`,
        WORKER_URL: URL_OF_WORKER,
        SERVED_AT: this.#origin,
        ...account,
        ...env,
      },
    });
  }

  async remove(): Promise<void> {
    await this.edge.stop();
    this.account.close();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

async function withDeployment(use: (deployment: Deployment) => Promise<void>): Promise<void> {
  const deployment = new Deployment(await freePort());
  try {
    await use(deployment);
    deepStrictEqual(deployment.account.unknown, []);
  } finally {
    await deployment.remove();
  }
}

function succeeded({ status, stdout, stderr }: Ended): string {
  strictEqual(status, 0, `${stdout}${stderr}`);
  return stdout;
}

/** What the service needs at run time is there, and bound. */
function checkAccount({ databases, namespaces, buckets, workers, files, crons }: Account): void {
  const database = databases.get("pet-store");
  const tables = database?.db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const names = new Set(tables?.map(({ name }) => name));
  for (const name of ["pets", "orders", "users", "d1_migrations"]) ok(names.has(name), name);
  const worker = workers.get("pet-store");
  const bound = (name: string) => worker?.bindings.find((binding) => binding.name === name);
  strictEqual(bound("DB")?.["id"], database?.uuid);
  strictEqual(bound("IMAGES")?.["bucket_name"], [...buckets][0]);
  strictEqual(bound("ACCESS")?.["text"], "protected");
  strictEqual(bound("ENVIRONMENT")?.["text"], "production");
  deepStrictEqual(bound("REQUESTS")?.["simple"], { limit: 600, period: 60 });
  deepStrictEqual([...namespaces], [["pet-store-sessions", bound("SESSIONS")?.["namespace_id"]]]);
  deepStrictEqual(crons, ["17 * * * *"]);
  ok(files.size > 0);
}

async function checkNewAccount(deployment: Deployment): Promise<void> {
  const { account, edge, secrets } = deployment;
  const first = succeeded(await deployment.deploy());
  ok(first.includes(URL_OF_WORKER), first);
  checkAccount(account);
  const key = /^PASSWORD_KEY=(.*)\n$/.exec(fs.readFileSync(secrets, "utf8"))?.[1] ?? "";
  strictEqual(Buffer.from(key, "base64").byteLength, 32);
  strictEqual(fs.statSync(secrets).mode & 0o777, 0o600);
  strictEqual(account.workers.get("pet-store")?.secrets.get("PASSWORD_KEY"), key);
  ok(!first.includes(key), "the key is printed");
  match(first, /\d+ steps, all right/);
  const { before, after } = await edge.changes();
  deepStrictEqual(after, before);
  console.log("a new account has everything after one command, which tries it and leaves no data");

  fs.rmSync(secrets);
  deployment.hasAssets = false;
  const second = await deployment.deploy();
  checkAccount(account);
  ok(!fs.existsSync(secrets), "a second key was made");
  strictEqual(account.workers.get("pet-store")?.secrets.get("PASSWORD_KEY"), key);
  strictEqual(account.workers.get("pet-store")?.versions, 2);
  const { databases, namespaces, buckets } = account;
  deepStrictEqual([databases.size, namespaces.size, buckets.size], [1, 1, 1]);
  console.log("a second deployment makes nothing twice, and keeps the key");
  strictEqual(second.status, 1);
  match(second.stderr, /^not ok {2}GET \/v2\/openapi.json [^]*npx wrangler rollback/m);
  console.log("a version that answers wrong fails the command, which says how to roll back");
}

/** A 500 of the minified Worker is located by its line of the log, and a build of what was deployed. */
async function checkDefect({ edge, folder, ask }: Deployment): Promise<void> {
  edge.faults.length = 0;
  const answer = await ask(`/stores/${randomUUID()}/`, { Accept: "text/html" });
  strictEqual(answer.status, 500);
  ok(!/ at |TypeError|index\.js/.test(await answer.text()));
  const [line = ""] = edge.faults;
  outputOf("npm", ["run", "build"], { folder, env: { WRANGLER_SEND_METRICS: "false" } });
  const located = outputOf(process.execPath, ["scripts/locate.ts"], { folder, input: line });
  const source = fs.readFileSync(join(folder, "src/pages.ts"), "utf8").split("\n");
  const lineNumber = source.findIndex((text) => text.includes("await assets.fetch(")) + 1;
  match(located, new RegExp(`TypeError[^]* at .*src/pages\\.ts:${lineNumber}:\\d+`));
  match(located, /src\/worker\.ts:\d+:\d+/);
  console.log("the log says where a defect is in the source");
}

const kinds = (bindings: readonly Binding[]) =>
  bindings.map(({ name, type }) => `${type} ${name}`).toSorted();

/** What of a binding names a resource of the account. */
const IDENTIFIERS = ["id", "database_id", "namespace_id", "bucket_name"];

const resources = (bindings: readonly Binding[]) =>
  new Set(bindings.flatMap((binding) => IDENTIFIERS.flatMap((name) => binding[name] ?? [])));

/** A preview has everything that production has, and nothing that is production's. */
async function checkPreview({ account, folder }: Deployment): Promise<void> {
  const file = join(folder, "wrangler.toml");
  const [before = "", ...after] = fs.readFileSync(file, "utf8").split("<REPLACE_ME>");
  fs.writeFileSync(
    file,
    before + after.map((text, index) => `of-previews-${index}${text}`).join(""),
  );
  const made = await run(
    process.execPath,
    ["--no-warnings", "node_modules/wrangler/bin/wrangler.js", "preview", "--name", "try"],
    { folder, env: { ...(await account.address()), CI: "true", HOME: folder } },
  );
  match(succeeded(made), /try-pet-store\.pets\.workers\.dev/);
  const bindings = account.workers.get("pet-store")?.bindings ?? [];
  // The secret is set once for all previews.
  const secret = { type: "secret_text", name: "PASSWORD_KEY" };
  deepStrictEqual(kinds([...account.preview, secret]), kinds(bindings));
  ok(resources(account.preview).isDisjointFrom(resources(bindings)));
  console.log("a preview has what production has, and shares nothing with it");
}

async function checkCi(deployment: Deployment): Promise<void> {
  const refused = await deployment.deploy({ CI: "true" });
  strictEqual(refused.status, 1);
  match(refused.stderr, /required secrets have not been set: PASSWORD_KEY/);
  ok(!fs.existsSync(deployment.secrets));
  const key = Buffer.alloc(32, 7).toString("base64");
  succeeded(await deployment.deploy({ CI: "true", PASSWORD_KEY: key }));
  strictEqual(deployment.account.workers.get("pet-store")?.secrets.get("PASSWORD_KEY"), key);
  console.log("a machine of CI makes no key, and takes the one that it is given");
}

async function checkCredentials(deployment: Deployment): Promise<void> {
  const { account } = deployment;
  const cases = [
    [{ CLOUDFLARE_API_TOKEN: "another" }, /^Cloudflare refuses CLOUDFLARE_API_TOKEN/],
    [{ CLOUDFLARE_API_TOKEN: undefined }, /^You are not logged in to Cloudflare/],
    [{ CLOUDFLARE_ACCOUNT_ID: undefined }, /^Your login has several accounts/],
  ] as const;
  for (const [env, words] of cases) {
    const { status, stdout, stderr } = await deployment.deploy(env);
    strictEqual(status, 1);
    strictEqual(stdout, "");
    match(stderr, words);
    deepStrictEqual([account.databases.size, account.workers.size], [0, 0]);
  }
  console.log("wrong credentials change nothing, and are told first");
}

await withDeployment(async (deployment) => {
  await checkNewAccount(deployment);
  await checkDefect(deployment);
  await checkPreview(deployment);
});
await withDeployment(checkCi);
await withDeployment(checkCredentials);
