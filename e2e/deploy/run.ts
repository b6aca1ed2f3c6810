// Runs `npm run deploy` with the real wrangler against a fake of Cloudflare's API, in a copy of the project. The smoke test
// then runs against the Worker on this machine, with production settings.
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Program, copyOfProject, run, succeed, temporaryFolder } from "../server.ts";
import { Account } from "./cloudflare.ts";

const WORKER_URL = "https://pet-store.pets.workers.dev";
const API_KEY = randomUUID();

const project = copyOfProject();
const secrets = join(project, ".secrets");

/** Runs the command without a terminal, so that wrangler does not prompt. */
const deploy = async (cloudflare: Record<string, string>, env: Record<string, string>) =>
  run(["node", "scripts/deploy.ts"], {
    cwd: project,
    env: {
      CI: "",
      PASSWORD_KEY: "",
      API_KEY: "",
      // wrangler is not logged in there.
      HOME: project,
      NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${import.meta.resolve("./domain.ts")}`,
      WORKER_URL,
      ...cloudflare,
      ...env,
    },
  });

/** Serves the Worker with production settings. */
async function serve() {
  const store = temporaryFolder();
  await succeed(["wrangler", "d1", "migrations", "apply", "DB", "--local", "--persist-to", store], { cwd: project });
  const key = Buffer.alloc(32, 7).toString("base64");
  const vars = ["--var", `PASSWORD_KEY:${key}`, "--var", `API_KEY:${API_KEY}`];
  // Without .dev.vars.
  const options = ["--env-file", "/dev/null", "--port", "0", "--inspector-port", "0", "--persist-to", store];
  const program = new Program(["wrangler", "dev", ...options, ...vars], {
    cwd: project,
  });
  const [, origin = ""] = await program.prints(/Ready on (\S+)/);
  return { program, origin };
}

/** Checks that each resource exists once, and that the Worker is bound to it. */
function checkAccount({ databases, namespaces, buckets, bindings = [] }: Account): void {
  deepEqual(
    databases.map(({ name }) => name),
    ["pet-store"],
  );
  const [database] = databases;
  const tables = database?.db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const names = new Set(tables?.map((table) => table["name"]));
  ok(names.isSupersetOf(new Set(["pets", "orders", "users", "d1_migrations"])));
  const bound = (wanted: string) => bindings.find(({ name }) => name === wanted);
  equal(bound("DB")?.["id"], database?.uuid);
  deepEqual([...buckets], [bound("IMAGES")?.["bucket_name"]]);
  deepEqual([...namespaces.values()], [bound("SESSIONS")?.["namespace_id"]]);
  equal(bound("SANDBOXES")?.["class_name"], "Sandbox");
  equal(bound("ACCESS")?.["text"], "protected");
  equal(bound("ENVIRONMENT")?.["text"], "production");
  equal(bound("RATE_LIMITS")?.["text"], "on");
  deepEqual(bound("REQUESTS")?.["simple"], { limit: 600, period: 60 });
}

const account = new Account();
const cloudflare = await account.listen();

for (const [wrong, message] of [
  [{ CLOUDFLARE_API_TOKEN: "another" }, /Authentication error/],
  [{ CLOUDFLARE_API_TOKEN: "" }, /CLOUDFLARE_API_TOKEN/],
] as const) {
  const { status, output } = await deploy({ ...cloudflare, ...wrong }, {});
  equal(status, 1);
  match(output, message);
  deepEqual([account.databases.length, account.bindings], [0, undefined]);
}
console.log("ok  wrong credentials change nothing");

const inCi = await deploy(cloudflare, { CI: "true" });
equal(inCi.status, 1);
match(inCi.output, /PASSWORD_KEY/);
ok(!existsSync(secrets));
equal(account.bindings, undefined);
console.log("ok  CI does not generate a key, because it could not be copied");

const { program, origin } = await serve();
try {
  const first = await deploy(cloudflare, { SERVED_AT: origin, API_KEY });
  equal(first.status, 0, first.output);
  match(first.output, /all responses are correct/);
  checkAccount(account);
  const [, key = ""] = /^PASSWORD_KEY=(.*)\n$/.exec(readFileSync(secrets, "utf8")) ?? [];
  equal(Buffer.from(key, "base64").byteLength, 32);
  equal(statSync(secrets).mode & 0o777, 0o600);
  equal(account.secrets.get("PASSWORD_KEY"), key);
  ok(!first.output.includes(key), "the key was printed");
  console.log("ok  one command sets up a new account and tests the Worker");

  rmSync(secrets);
  const second = await deploy(cloudflare, { SERVED_AT: origin });
  equal(second.status, 0, second.output);
  match(second.output, /API_KEY/);
  checkAccount(account);
  ok(!existsSync(secrets), "a second key was generated");
  equal(account.secrets.get("PASSWORD_KEY"), key);
  console.log("ok  a second deployment creates nothing twice, and says that its test needs the API key");
} catch (error) {
  console.error(program.output.slice(-5000));
  throw error;
} finally {
  await program.stop();
}

// A version that can read its database, but fails in all other operations.
const faulty = createServer((request, response) => {
  response.writeHead(request.url === "/v2/store/inventory" ? 200 : 500).end("{}");
});
await once(faulty.listen(0, "127.0.0.1"), "listening");
const { port } = faulty.address() as AddressInfo;
const third = await deploy(cloudflare, { SERVED_AT: `http://127.0.0.1:${port}`, API_KEY });
faulty.close();
equal(third.status, 1);
match(third.output, /npx wrangler rollback/);
doesNotMatch(third.output, /all responses are correct/);
console.log("ok  if the test of a new version fails, the command fails and says how to roll back");
account.close();
