// Tests `npm start` and `wrangler dev`: the classic data is created once, data is kept, and no process is left running.
import { deepEqual, equal, match } from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
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

/** The environment of all processes that this test starts from here on. */
const MARK = { STARTED_BY_THIS_TEST: folder };

/** Runs `npm start`. Its child processes inherit the mark. */
const npmStart = (store: string, ...options: readonly string[]) =>
  new Program(["npm", "start", "--", "--port", "0", "--persist-to", store, ...options], { env: MARK });

/** Stops npm only, which does not forward the signal, and waits for the other processes. */
async function stop(npm: Program, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  npm.child.kill(signal);
  await npm.ended;
  await leavesNothing(`STARTED_BY_THIS_TEST=${folder}`);
}

const READY = /^The pet store is at (\S+)\/v2\. /m;

{
  const store = temporaryFolder();
  const wrangler = async () => {
    const program = new Program(["wrangler", "dev", "--port", "0", "--inspector-port", "0", "--persist-to", store]);
    const [, origin = ""] = await program.prints(/Ready on (\S+)/);
    return { program, origin };
  };
  const bare = await wrangler();
  equal((await fetch(`${bare.origin}/v2/pet/1`)).status, 500);
  await bare.program.prints(/"hint":"Run npx wrangler d1 migrations apply DB --local/);
  await bare.program.stop();
  console.log("ok  without tables, wrangler dev says what to run");

  await succeed(["wrangler", "d1", "migrations", "apply", "DB", "--local", "--persist-to", store]);
  const { program, origin } = await wrangler();
  const pet = { name: "Rex", photoUrls: [], status: "available" };
  equal((await send("POST", `${origin}/v2/pet`, pet)).status, 200);
  await program.stop();
  await withServer(
    async (again) => {
      deepEqual(await inventory(again), { available: 1, pending: 0, sold: 0 });
      const wrong = await run(["node", "scripts/seed.ts", "--url", `${again}/v2`]);
      equal(wrong.status, 2);
      match(wrong.output, /^--url must be the URL of the service without \/v2/);
      await succeed(["node", "scripts/seed.ts", "--url", again]);
      await succeed(["node", "scripts/seed.ts", "--url", `${again}/`]);
      deepEqual(await inventory(again), { available: 7, pending: 2, sold: 1 });
    },
    { folder: store },
  );
  console.log(
    "ok  the migrations and wrangler dev are enough; npm start adds no data then, and npm run seed adds it once",
  );
}

{
  const store = temporaryFolder();
  const npm = npmStart(store, "--var", "ACCESS:protected");
  const [, origin = ""] = await npm.prints(READY);
  match(npm.output, /^The store lacks its data: POST \/pet: 401 .*\nIf access is protected, start with --var API_KEY/m);
  deepEqual(await inventory(origin), EMPTY);
  await stop(npm);
  const vars = ["ACCESS:protected", "API_KEY:a key for this test"].flatMap((setting) => ["--var", setting]);
  const second = npmStart(store, ...vars);
  const [, again = ""] = await second.prints(READY);
  deepEqual(await inventory(again), CLASSIC);
  equal((await send("DELETE", `${again}/v2/pet/1`)).status, 401);
  await stop(second);
  console.log("ok  with protected access, creating the data needs the API key");
}

for (const [moment, file] of [
  ["before the migrations are applied", "npm-start.txt"],
  ["after that", "v3/d1"],
] as const) {
  const store = temporaryFolder();
  const npm = npmStart(store);
  await npm.prints(/^Starting the pet store/m);
  while (!existsSync(join(store, file))) await sleep(10);
  npm.signal("SIGKILL");
  await npm.ended;
  await leavesNothing(`STARTED_BY_THIS_TEST=${folder}`);
  const second = npmStart(store);
  const [, origin = ""] = await second.prints(READY);
  deepEqual(await inventory(origin), CLASSIC);
  await stop(second);
  console.log(`ok  if a first start is killed ${moment}, the second creates the data`);
}

for (const signal of ["SIGTERM", "SIGHUP", "SIGKILL"] as const) {
  const npm = npmStart(folder);
  await npm.prints(READY);
  await stop(npm, signal);
  console.log(`ok  nothing is left when npm gets ${signal}`);
}

{
  const npm = npmStart(folder);
  const [, origin = ""] = await npm.prints(READY);
  for (const output of [npm.child.stdout, npm.child.stderr]) output.destroy();
  for (let count = 1; count <= 20; count++) equal((await fetch(`${origin}/v2/pet/1`)).status, 200);
  await stop(npm);
  console.log("ok  a closed output does not end it, and keeps no process");
}

{
  const other = createServer().listen(0, "localhost");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const { status, output } = await run(["node", "scripts/start.ts", "--port", String(port), "--persist-to", folder]);
  equal(status, 1);
  match(output, /Address already in use/);
  other.close();
  console.log("ok  a port in use is reported");
}

{
  const { status, output } = await run(["node", "scripts/start.ts", "--help"]);
  equal(status, 0);
  match(output, /^Usage: npm start/);
  const wrong = await run(["node", "scripts/start.ts", "--colour", "--persist-to", folder]);
  equal(wrong.status, 1);
  match(wrong.output, /Unknown argument: colour/);
  console.log("ok  --help prints the usage, and wrangler checks its options");
}
