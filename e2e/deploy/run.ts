// `npm run test:deploy`: runs `npm run deploy` with the real wrangler against an account in memory: on an account that has
// nothing, and again; on a machine of CI; and where the token is wrong. Ends with exit status 1 at the first difference.
import { deepStrictEqual, match, ok, strictEqual } from "node:assert";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, runNode } from "../../scripts/programs.ts";
import type { Ended } from "../../scripts/programs.ts";
import { Account } from "./cloudflare.ts";

const URL_OF_WORKER = "https://pet-store.pets.workers.dev";

/** What of the package a deployment reads. */
const PARTS = "migrations scripts site src package.json tsconfig.json wrangler.toml".split(" ");

/** A clone of the package without the secrets that it may have, and an account to deploy it to. */
class Deployment {
  readonly folder = fs.mkdtempSync(join(tmpdir(), "pet-store-deploy-"));
  readonly account = new Account();

  constructor() {
    for (const part of PARTS)
      fs.cpSync(join(ROOT, part), join(this.folder, part), { recursive: true });
    fs.symlinkSync(join(ROOT, "node_modules"), join(this.folder, "node_modules"));
  }

  get secrets(): string {
    return join(this.folder, ".secrets");
  }

  async deploy(env: Record<string, string> = {}): Promise<Ended> {
    const account = await this.account.address();
    // Without a terminal wrangler asks nothing, as with CI.
    return runNode(["scripts/deploy.ts"], {
      folder: this.folder,
      env: { CI: undefined, ...account, ...env },
    });
  }

  remove(): void {
    this.account.close();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

async function withDeployment(use: (deployment: Deployment) => Promise<void>): Promise<void> {
  const deployment = new Deployment();
  try {
    await use(deployment);
    deepStrictEqual(deployment.account.unknown, []);
  } finally {
    deployment.remove();
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
  const { account, secrets } = deployment;
  const first = succeeded(await deployment.deploy());
  ok(first.includes(URL_OF_WORKER), first);
  checkAccount(account);
  const key = /^PASSWORD_KEY=(.*)\n$/.exec(fs.readFileSync(secrets, "utf8"))?.[1] ?? "";
  strictEqual(Buffer.from(key, "base64").byteLength, 32);
  strictEqual(fs.statSync(secrets).mode & 0o777, 0o600);
  strictEqual(account.workers.get("pet-store")?.secrets.get("PASSWORD_KEY"), key);
  ok(!first.includes(key), "the key is printed");
  console.log("a new account has everything after one command");

  fs.rmSync(secrets);
  ok(succeeded(await deployment.deploy()).includes(URL_OF_WORKER));
  checkAccount(account);
  ok(!fs.existsSync(secrets), "a second key was made");
  strictEqual(account.workers.get("pet-store")?.secrets.get("PASSWORD_KEY"), key);
  strictEqual(account.workers.get("pet-store")?.versions, 2);
  const { databases, namespaces, buckets } = account;
  deepStrictEqual([databases.size, namespaces.size, buckets.size], [1, 1, 1]);
  console.log("a second deployment makes nothing twice, and keeps the key");
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

async function checkWrongToken(deployment: Deployment): Promise<void> {
  const refused = await deployment.deploy({ CLOUDFLARE_API_TOKEN: "another" });
  strictEqual(refused.status, 1);
  match(refused.stderr, /Authentication error/);
  deepStrictEqual([deployment.account.databases.size, deployment.account.workers.size], [0, 0]);
  console.log("a wrong token changes nothing, and is named");
}

await withDeployment(checkNewAccount);
await withDeployment(checkCi);
await withDeployment(checkWrongToken);
