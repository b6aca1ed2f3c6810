// `bash .ci/run start`: tests what newcomers do: `npm start` on a new and on an existing store, the steps of the README and
// of docs/session.md, and `npm run seed`, `smoke` and `reset`. Ends with exit status 1 at the first fault.
import { deepStrictEqual, doesNotMatch, match, ok, rejects, strictEqual } from "node:assert";
import { appendFileSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CLASSIC } from "../src/sandbox/classic.ts";
import { ROOT, run, runNode } from "../scripts/programs.ts";
import { send } from "./http.ts";
import { Program } from "./process.ts";
import { processesWith } from "./processes.ts";
import { freePort, withServer } from "./server.ts";
import { walkSession } from "./session.ts";
import { arrivesSlowly } from "./slow.ts";
import { wrangler } from "./wrangler.ts";

const API_KEY = "the key of this test";
/** How long processes may take to end. Long, because machines may be busy. */
const END_MS = 120_000;
const NOTHING = { available: 0, pending: 0, sold: 0 };

async function get(origin: string, path: string): Promise<unknown> {
  return (await send(`${origin}/v2`, `GET ${path}`)).json;
}

const seed = async (...args: readonly string[]) => runNode(["scripts/seed.ts", "--url", ...args]);
const reset = async (folder: string) => runNode(["scripts/reset.ts", "--persist-to", folder]);

const folder = mkdtempSync(join(tmpdir(), "pet-store-start-"));

/** Waits for the greeting, which may come after the first answer. */
async function greeted(log: () => string): Promise<void> {
  while (!log().includes("/docs/\n")) await sleep(50);
}

async function checkNewStore(origin: string, log: () => string): Promise<void> {
  await greeted(log);
  match(log(), /Applied to the local database: 0000_store\.sql/);
  match(log(), /Loading .* …\n[^]*Building .* …\n[^]*Bundling .* …\n[^]*Starting .* …\n/);
  match(log(), /Filled with the data of the classic Petstore\./);
  const shown = log().replaceAll("localhost", "127.0.0.1");
  ok(shown.includes(`${origin}/docs/`) && shown.includes(`curl ${origin}/v2/store/inventory`));
  const pets = await get(origin, "/pet/findByStatus?status=available,pending,sold");
  deepStrictEqual(pets, CLASSIC.pets);
  // Seeding would fail if anything differed, passwords included.
  strictEqual((await seed(origin)).stdout, "10 pets\n3 orders\n10 users\n");
  console.log("a new store has the classic data");

  const count = await walkSession(origin);
  await walkSession(origin);
  console.log(`${count} steps of the README and of docs/session.md, twice`);
}

async function checkLog(origin: string, log: () => string): Promise<void> {
  const before = log().length;
  await send(`${origin}/v2`, "POST /pet", { json: { name: "" } });
  while (!log().includes("must not be empty", before)) await sleep(50);
  const line =
    /^ {2}POST {4}\/v2\/pet {2}405 {2}\d+ ms {2}name must not be empty; photoUrls is required$/m;
  match(log().slice(before), line);
  doesNotMatch(log(), /wrangler|bindings|requestId/i);
  console.log("the log has a line for each request, with its errors");

  const sandbox = `${origin}/stores/${crypto.randomUUID()}`;
  const body = JSON.stringify([{ break: "body" }]);
  const headers = { "Content-Type": "application/json" };
  await fetch(`${sandbox}/faults`, { method: "PUT", headers, body });
  await rejects(fetch(`${sandbox}/v2/pet/1`).then(async (answer) => answer.text()));
  await send(`${origin}/v2`, "GET /pet/404");
  while (!log().includes("/v2/pet/404")) await sleep(50);
  doesNotMatch(log(), /error/i);
  console.log("the log has no error where a rule breaks an answer off");
}

/** Kills npm, whose shell may not forward the signal. Before that, a request fails. */
async function checkKilled(): Promise<void> {
  const port = String(await freePort());
  const options = ["--port", port, "--inspector-port", "0", "--persist-to", folder];
  // All child processes inherit the variable.
  const env = { STORE_OF_THIS_TEST: folder };
  const npm = new Program(["npm", "start", "--", ...options, "--var", "PASSWORD_KEY:"], { env });
  try {
    const [, base = ""] = await npm.says(/The pet store is at (\S+)\.\n/);
    strictEqual((await send(base, "GET /pet/1")).status, 503);
    await npm.says(
      /GET {5}\/v2\/pet\/1 {2}503 {2}\d+ ms\n {4}Unavailable: PASSWORD_KEY is missing\n/,
    );
    npm.child.kill("SIGTERM");
    const deadline = Date.now() + END_MS;
    while (processesWith(folder).length > 0 && Date.now() < deadline) await sleep(50);
    deepStrictEqual(processesWith(folder), []);
  } finally {
    await npm.kill();
  }
  console.log("a fault is shown below its request, and killing npm leaves no process");
}

async function checkServed(origin: string): Promise<void> {
  const { status, stderr } = await reset(folder);
  match(stderr, /^Process \d+ serves the store in .*\. Stop it first\.\n$/);
  strictEqual(status, 1);
  deepStrictEqual(await get(origin, "/pet/10"), CLASSIC.pets.at(-1));
  console.log("reset leaves the store of a running server alone");

  for (const path of ["/cdn-cgi/explorer", "/cdn-cgi/explorer/api/d1/database"]) {
    strictEqual((await fetch(origin + path)).status, 404, path);
  }
  console.log("wrangler's explorer is off");

  const sandbox = `${origin}/stores/${crypto.randomUUID()}`;
  await send(sandbox, "PUT /data", { json: { data: "classic" } });
  await arrivesSlowly(sandbox);
  console.log("a slow answer arrives slowly for a client that takes compressed ones");
}

async function checkOtherVersion(): Promise<void> {
  const insert = "INSERT INTO d1_migrations (name) VALUES ('9999_other.sql')";
  wrangler([
    ..."d1 execute DB --local --env local --persist-to".split(" "),
    folder,
    "--command",
    insert,
  ]);
  forgetMigrations();
  const options = ["--port", String(await freePort()), "--persist-to", folder];
  const { status, stderr } = await runNode(["scripts/start.ts", ...options]);
  match(
    stderr,
    /^The store in .* is of another version: .* 9999_other\.sql\. .* `npm run reset`\.\n$/,
  );
  strictEqual(status, 1);
  console.log("the store of another version is refused with a sentence");
}

/** As if the first start had been killed after the transaction that fills the store. */
const forgetMigrations = () => rmSync(join(folder, "v3", "migrations.txt"));

async function checkProtected(origin: string, log: () => string): Promise<void> {
  const refused = await seed(origin);
  strictEqual(refused.stderr, "Access is protected: give an --api-key.\n");
  strictEqual(refused.status, 1);
  const seeded = await seed(origin, "--api-key", API_KEY);
  strictEqual(seeded.stdout, "10 pets\n3 orders\n10 users\n");
  const smoke = await runNode(["e2e/smoke.ts", origin, "--api-key", API_KEY]);
  strictEqual(smoke.status, 0, smoke.stderr);
  match(log(), /^\[wrangler:info\] POST \/v2\/pet 200/m);
  console.log("seed and smoke take an API key, and --verbose prints wrangler's log");
}

async function checkTakenPort(): Promise<void> {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const { status, stdout, stderr } = await runNode(["scripts/start.ts", "--port", String(port)]);
  const says = `Port ${port} is in use. Choose another one: npm start -- --port <number>\n`;
  deepStrictEqual([status, stdout, stderr], [1, "", says]);
  other.close();
  console.log("a port in use is refused with a sentence");
}

/** Without packages, or with an old Node, a script says what to do. */
async function checkInstalled(): Promise<void> {
  const script = join(ROOT, "scripts", "installed.js");
  const older = "Object.defineProperty(process.features, 'typescript', { value: undefined })";
  const { status, stderr } = await runNode([script], { folder });
  deepStrictEqual([status, stderr], [1, "The packages are not installed: run `npm install`.\n"]);
  const npm = await run("npm", ["start", "--silent"], {
    env: { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(older)}"` },
  });
  strictEqual(npm.status, 1);
  match(npm.stderr, /^The scripts need Node 22\.18 or newer, .* run `npm rebuild node`\.\n$/m);
  console.log("scripts say what is not installed");
}

async function checkLocate(): Promise<void> {
  const { status, stdout, stderr } = await runNode(["scripts/operate.ts", "locate"]);
  const says = "Give it lines of the log: npm run --silent operate -- locate < line.json\n";
  deepStrictEqual([status, stdout, stderr], [1, "", says]);
  console.log("locate says how to use it");
}

/** Adds an import to a file of a copy of src/. @returns what the check of imports says */
async function saidOf(file: string, line: string): Promise<string> {
  const copy = join(folder, "src");
  cpSync(join(ROOT, "src"), copy, { recursive: true });
  appendFileSync(join(copy, file), line);
  const { status, stderr } = await runNode(["scripts/walls.ts", copy]);
  rmSync(copy, { recursive: true });
  strictEqual(status, stderr === "" ? 0 : 1);
  return stderr;
}

async function checkWalls(): Promise<void> {
  strictEqual(await saidOf("db/d1.ts", ""), "");
  const up = "src/db/d1.ts may not import http/errors.ts: db does not know http\n";
  strictEqual(await saidOf("db/d1.ts", 'import "../http/errors.ts";'), up);
  strictEqual(await saidOf("db/d1.ts", 'import type { A } from "../http/errors.ts";'), up);
  const handlers =
    "src/pet/handlers.ts may not import store/handlers.ts: handlers does not know handlers\n";
  strictEqual(await saidOf("pet/handlers.ts", 'export * from "../store/handlers.ts";'), handlers);
  console.log("imports that run up are refused");
}

/** Runs the command of docs/security.md. */
const keyId = async (keys: string) =>
  run("bash", ["-c", 'printf %s "$keys" | npm run --silent operate -- key-id'], { env: { keys } });

async function checkKeyId(): Promise<void> {
  const [one, other] = [
    Buffer.alloc(32, 1).toString("base64"),
    Buffer.alloc(32, 2).toString("base64"),
  ];
  match((await keyId(`${one},${other}\n`)).stdout, /^[\da-f]{16}\n[\da-f]{16}\n$/);
  for (const keys of ["", "secret", `${one},`, `${one}${other}`, one.slice(4)]) {
    const { status, stdout, stderr } = await keyId(keys);
    deepStrictEqual([status, stdout], [1, ""], keys);
    match(stderr, /^A key is 32 bytes in base64\..*\n$/m);
  }
  console.log("key-id refuses anything but keys");
}

async function checkWithoutServer(): Promise<void> {
  const origin = `http://127.0.0.1:${await freePort()}`;
  for (const { status, stderr } of [await seed(origin), await runNode(["e2e/smoke.ts", origin])]) {
    const told = "start one with `npm start`, or name another.";
    strictEqual(stderr, `No server answers at ${origin}: ${told}\n`);
    strictEqual(status, 1);
  }
  console.log("seed and smoke say that there is no server");
}

try {
  await withServer(
    async (origin, log) => {
      await checkNewStore(origin, log);
      await checkLog(origin, log);
      await checkServed(origin);
    },
    { folder, args: [] },
  );
  const list = "d1 migrations list DB --local --env local --persist-to".split(" ");
  match(wrangler([...list, folder]), /No migrations to apply/);

  forgetMigrations();
  await withServer(
    async (origin, log) => {
      await greeted(log);
      deepStrictEqual(await get(origin, "/pet/10"), CLASSIC.pets.at(-1));
      doesNotMatch(log(), /Applied|Filled/);
    },
    { folder, args: [] },
  );
  console.log("a store is migrated and filled once");
  await checkOtherVersion();

  strictEqual((await reset(folder)).stdout, "The local store is deleted.\n");
  await withServer(
    async (origin, log) => {
      await greeted(log);
      deepStrictEqual(await get(origin, "/store/inventory"), NOTHING);
      match(log(), /Applied/);
      doesNotMatch(log(), /Filled/);
    },
    { folder, args: ["--empty"] },
  );
  console.log("reset deletes the store, and --empty fills none");

  await withServer(checkProtected, {
    args: ["--empty", "--verbose", "--var", "ACCESS:protected", "--var", `API_KEY:${API_KEY}`],
  });
  await checkKilled();
  await checkWithoutServer();
  await checkTakenPort();
  await checkLocate();
  await checkKeyId();
  await checkInstalled();
  await checkWalls();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
