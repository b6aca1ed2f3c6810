// Tests `npm start`: it creates the classic data once, keeps data, leaves no process running, and reports errors in one line.
import { deepEqual, doesNotMatch, equal, match } from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Program, leavesNothing, run, send, succeed, temporaryFolder, withServer } from "./server.ts";

const folder = temporaryFolder();
const EMPTY = { available: 0, pending: 0, sold: 0 };
const CLASSIC = { available: 7, pending: 2, sold: 1 };

const inventory = async (origin: string) => (await fetch(`${origin}/v2/store/inventory`)).json();

await withServer(
  async (origin) => {
    deepEqual(await inventory(origin), CLASSIC);
    console.log("ok  the first start creates the classic data");

    const home = await fetch(`${origin}/`, { redirect: "manual" });
    match(home.headers.get("Location") ?? "", /\/docs\/$/);
    for (const path of ["/docs/", "/sandboxes/", "/health", "/v2/openapi.json"]) {
      equal((await fetch(origin + path, { headers: { Accept: "text/html" } })).status, 200, path);
    }
    console.log("ok  / redirects to the documentation");

    // wrangler's explorer would let pages from any origin read and change the data.
    for (const path of ["/cdn-cgi/explorer", "/cdn-cgi/explorer/api/d1/database"]) {
      equal((await fetch(origin + path)).status, 404, path);
    }
    console.log("ok  the Local Explorer is off");

    equal((await send("DELETE", `${origin}/v2/pet/10`)).status, 200);
  },
  { folder },
);

await withServer(
  async (origin) => {
    equal((await fetch(`${origin}/v2/pet/10`)).status, 404);
    equal((await fetch(`${origin}/v2/pet/9`)).status, 200);
    console.log("ok  the second start keeps the data");
  },
  { folder },
);

await withServer(
  async (origin) => {
    deepEqual(await inventory(origin), EMPTY);
    await succeed(["node", "scripts/seed.ts", "--url", origin]);
    deepEqual(await inventory(origin), CLASSIC);
    await succeed(["node", "scripts/seed.ts", "--url", origin]);
    deepEqual(await inventory(origin), CLASSIC);
    console.log("ok  --empty creates no data, and npm run seed creates the classic data once");
  },
  { args: ["--empty"] },
);

/** Runs `npm start` with the folder. Its child processes inherit the variable. */
const npmStart = (port: number) =>
  new Program(["npm", "start", "--", "--port", String(port), "--persist-to", folder], {
    env: { STARTED_BY_THIS_TEST: folder },
  });

{
  const npm = npmStart(0);
  await npm.prints(/^Starting the pet store/m);
  await npm.prints(/^The pet store is at /m);
  npm.child.kill("SIGTERM");
  await npm.ended;
  await leavesNothing(`STARTED_BY_THIS_TEST=${folder}`);
  console.log("ok  it exits when npm exits");
}

{
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const npm = npmStart(port);
  equal(await npm.ended, 1);
  match(npm.output, new RegExp(`^Port ${port} cannot be used .*npm start -- --port 8788$`, "m"));
  doesNotMatch(npm.output, /Binding/);
  other.close();
  console.log("ok  a port in use is reported in one line");
}

for (const [status, message, ...options] of [
  [0, /^Usage: npm start/, "--help"],
  [0, /^Usage: npm start/, "-h"],
  [2, /^Unknown option '--colour'\n\nUsage: npm start/, "--colour"],
  [2, /^--port takes a number from 0 to 65535\n\nUsage: npm start/, "-p", "x"],
] as const) {
  const result = await run(["node", "scripts/start.ts", ...options]);
  equal(result.status, status);
  match(result.output, message);
}
console.log("ok  --help and wrong options print the usage");

{
  const d1 = join(folder, "v3", "d1", "miniflare-D1DatabaseObject");
  const file = readdirSync(d1).find((name) => /^[\da-f]{64}\.sqlite$/.test(name)) ?? "";
  const database = new DatabaseSync(join(d1, file));
  database.exec("UPDATE d1_migrations SET name = '0000_store.sql'");
  database.close();
  rmSync(join(folder, "migrations.sha256"));
  const { status, output } = await run(["node", "scripts/start.ts", "--port", "0", "--persist-to", folder]);
  equal(status, 1);
  match(output, /^.*: The store is of another version\. Delete its folder to start anew\.$/m);
  doesNotMatch(output, /^ +at /m);
  console.log("ok  data from another version is rejected with one line");
}
