// Installs the packed package into a copy of examples/, and tests its command, its library and the examples there. Needs
// Debian with pytest, Maven, JUnit and Chromium.
import { deepEqual, doesNotMatch, equal, match, rejects } from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  closeSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { Writable } from "node:stream";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openKeptFolder } from "../../package/folders.ts";
import { print } from "../../package/output.ts";
import {
  Program,
  ROOT,
  buildPackage,
  freePort,
  leavesNothing,
  processesWith,
  run,
  send,
  succeed,
  temporaryFolder,
} from "../server.ts";

/** The largest tarball, in bytes. */
const MAX_PACKED = 700_000;

const folder = temporaryFolder();
const app = join(folder, "app");
/** Every process below inherits it. */
const MARK = `e2e-${randomUUID()}`;
const env = { MARK, CHROMIUM: process.env["CHROMIUM"] ?? "/usr/bin/chromium", NO_COLOR: "1" };
const BIN = "node_modules/.bin/pet-store-service";
const KEY = randomUUID();

const start = (command: readonly string[], more: Record<string, string> = {}) =>
  new Program(command, { cwd: app, env: { ...env, ...more } });

/** Runs the command with `--json` while something uses it. */
async function serving(
  options: readonly string[],
  use: (origin: string) => Promise<void>,
  more: Record<string, string> = {},
): Promise<void> {
  const command = start([BIN, "--json", ...options], { PORT: "0", ...more });
  try {
    const [line] = await command.prints(/^\{.*\}$/m);
    const { url, petstore3Url, sandboxes } = JSON.parse(line) as Record<string, string>;
    const { origin } = new URL(url ?? "");
    deepEqual([petstore3Url, sandboxes], [`${origin}/api/v3`, `${origin}/sandboxes`]);
    await use(origin);
  } finally {
    await command.stop();
  }
}

const statusOf = async (method: string, url: string, headers?: Record<string, string>) =>
  (await send(method, url, method === "POST" ? {} : undefined, headers)).status;

const petsOf = async (origin: string) => {
  const all = await fetch(`${origin}/v2/pet/findByStatus?status=available,pending,sold`);
  return ((await all.json()) as { readonly id: number }[]).map(({ id }) => id);
};

const serversOf = async (origin: string, headers: Record<string, string> = {}) =>
  ((await (await fetch(`${origin}/v2/openapi.json`, { headers })).json()) as { readonly servers: object[] }).servers;

function write(name: string, content: unknown): string {
  writeFileSync(join(app, name), JSON.stringify(content));
  return name;
}

/** A start that takes a minute, while other tests run. */
let timeout: Promise<void>;

before(async () => {
  await buildPackage();
  const [tarball = ""] = globSync("dist/*.tgz", { cwd: ROOT });
  const { size } = statSync(join(ROOT, tarball));
  equal(size <= MAX_PACKED, true, `${size} bytes packed`);
  cpSync(join(ROOT, "examples"), app, {
    recursive: true,
    filter: (path) => !path.endsWith("node_modules"),
  });
  await succeed(["npm", "install", join(ROOT, tarball)], { cwd: app });
  timeout = hangs(undefined, 1, /^The server did not start: it took longer than 60 seconds\n$/);
  // The test that awaits it reports the error.
  timeout.catch(() => undefined);
});

after(async () => leavesNothing(MARK));

test("the command passes the smoke walk, and prints a line for each request", async () => {
  const command = start([BIN, "--port", "0", "--empty"]);
  try {
    const [, origin = ""] = await command.prints(/^The pet store is at (\S+)\/v2/m);
    await succeed(["node", join(ROOT, "e2e/smoke.ts"), origin]);
    await command.prints(/POST .*\/v2\/pet.* 405 /);
    doesNotMatch(command.output, /password=|^\{/m);
  } finally {
    await command.stop();
  }
  equal(await command.ended, 0);
});

test("the data is classic, empty or a file's", async () => {
  await serving([], async (origin) => equal((await petsOf(origin)).length, 10));
  await serving(["--empty"], async (origin) => deepEqual(await petsOf(origin), []));
  const pets = [{ id: 7, name: "Rex", photoUrls: [], status: "sold" }];
  await serving(["--data", write("data.json", { pets })], async (origin) => {
    deepEqual(await petsOf(origin), [7]);
  });
});

/** Waits for the first response of a server that starts. */
async function firstResponse(url: string): Promise<Response> {
  for (;;) {
    const found = await fetch(url).catch(() => undefined);
    if (found) return found;
    await sleep(1);
  }
}

test("a store has its data from the first response on", async () => {
  const port = String(await freePort());
  const command = start([BIN, "--port", port, "--quiet"]);
  try {
    const found = await firstResponse(`http://127.0.0.1:${port}/v2/store/inventory`);
    deepEqual(await found.json(), { available: 7, pending: 2, sold: 1 });
  } finally {
    await command.stop();
  }
});

test("--access, --api-key and --sandboxes say who may do what", async () => {
  const header = { "X-API-Key": KEY };
  const locked = ["--access", "protected", "--api-key", KEY];
  await serving(locked, async (origin) => {
    equal(await statusOf("DELETE", `${origin}/v2/pet/1`), 401);
    equal(await statusOf("DELETE", `${origin}/v2/pet/1`, header), 200);
    equal(await statusOf("POST", `${origin}/sandboxes`), 401);
    equal(await statusOf("POST", `${origin}/sandboxes`, header), 201);
  });
  await serving([...locked, "--sandboxes", "anyone"], async (origin) => {
    equal(await statusOf("POST", `${origin}/sandboxes`), 201);
  });
  await serving(["--sandboxes", "nobody"], async (origin) => {
    equal(await statusOf("POST", `${origin}/sandboxes`), 404);
    equal(await statusOf("GET", `${origin}/sandboxes/${randomUUID()}/v2/pet/1`), 404);
  });
});

test("--keep keeps everything, for its owner's eyes only", async () => {
  const options = ["--keep", "kept"];
  const sandbox = `/sandboxes/${randomUUID()}`;
  await serving(options, async (origin) => {
    equal(await statusOf("DELETE", `${origin}/v2/pet/10`), 200);
    const ada = { username: "ada", password: "a secret of this test" };
    equal((await send("POST", `${origin}${sandbox}/v2/user`, ada)).status, 200);
  });
  await serving(options, async (origin) => {
    equal((await petsOf(origin)).length, 9);
    equal(await statusOf("GET", `${origin}${sandbox}/v2/user/ada`), 200);
  });
  for (const path of readdirSync(join(app, "kept"), { recursive: true, encoding: "utf8" })) {
    const file = join(app, "kept", path);
    const found = statSync(file);
    equal(found.mode & 0o077, 0, path);
    if (found.isFile()) doesNotMatch(readFileSync(file, "latin1"), /a secret of this test/, path);
  }
});

test("headers of clients change neither the URL nor the scheme, and files are served only as images of pets", async () => {
  await serving([], async (origin) => {
    const text = async (path: string, headers?: Record<string, string>) =>
      (await fetch(origin + path, headers && { headers })).text();
    match(await text("/v2/pet/1", { "MF-Original-URL": `${origin}/health` }), /^\{"id":1,/);
    match(await text("/v2/pet/1", { "MF-CF-Blob": "{" }), /^\{"id":1,/);
    deepEqual(await serversOf(origin, { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "elsewhere.example" }), [
      { url: `${origin}/v2` },
    ]);
    const form = new FormData();
    form.set("file", new Blob(["a file"]), "rex.txt");
    equal((await fetch(`${origin}/v2/pet/1/uploadImage`, { method: "POST", body: form })).status, 200);
    const { photoUrls } = JSON.parse(await text("/v2/pet/1")) as { readonly photoUrls: readonly string[] };
    const file = new URL(photoUrls.at(-1) ?? "", origin).pathname;
    equal(await text(file), "a file");
    const key = `1/${file.split("/").at(-1)}`;
    for (const path of [`/cdn-cgi/local/r2/public/IMAGES/${key}`, `/${key}`, "/cdn-cgi/explorer", "/config.capnp"]) {
      match(await text(path), /^\{"code":404,/, path);
    }
  });
});

test("pages and their parts are served, with Allow for other methods", async () => {
  await serving([], async (origin) => {
    const page = await fetch(`${origin}/docs/`);
    match(page.headers.get("Content-Security-Policy") ?? "", /default-src 'none'/);
    match(await page.text(), /^<!doctype html>/i);
    match(page.headers.get("Date") ?? "", / GMT$/);
    const etag = page.headers.get("ETag") ?? "";
    equal(await statusOf("GET", `${origin}/docs/`, { "If-None-Match": etag }), 304);
    match(await (await fetch(`${origin}/sandboxes/page/page.css`)).text(), /\{/);
    for (const path of ["/docs/nothing", "/docs/%2e%2e/_headers", "/docs/..%2f..%2fconfig.capnp"]) {
      equal(await statusOf("GET", origin + path), 404, path);
    }
    for (const [type, path] of [
      ["text/yaml", "/v2/openapi.yaml"],
      ["text/css", "/docs/page.css"],
      ["text/javascript", "/docs/docs.js"],
      ["image/svg+xml", "/docs/icon.svg"],
      ["text/html", "/sandboxes/page/"],
    ] as const) {
      const { headers } = await fetch(origin + path);
      match(headers.get("Content-Type") ?? "", new RegExp(`^${type.replace("+", "\\+")}(;|$)`), path);
    }
    for (const path of ["/docs/", "/docs/page.css", "/sandboxes/page/"]) {
      for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const response = await send(method, origin + path, method === "OPTIONS" ? undefined : {});
        equal(response.status, method === "OPTIONS" ? 204 : 405, `${method} ${path}`);
        equal(response.headers.get("Allow"), "GET, HEAD, OPTIONS");
      }
    }
    equal((await send("POST", `${origin}/docs/nothing`, {})).status, 404);
    // It is a valid host, but not a valid name in Punycode. `fetch` cannot set it.
    const [response] = (await once(get(`${origin}/docs/`, { headers: { Host: "xn--a" } }), "response")) as [
      IncomingMessage,
    ];
    equal(response.resume().statusCode, 200);
  });
});

test("a WebSocket shows the requests of a sandbox", async () => {
  await serving([], async (origin) => {
    const { url, page } = (await (await send("POST", `${origin}/sandboxes`)).json()) as Record<string, string>;
    const socket = new WebSocket(`${page?.replace("http", "ws")}requests`);
    await once(socket, "open");
    const message = once(socket, "message") as Promise<[MessageEvent]>;
    equal(await statusOf("GET", `${url}/store/inventory`), 200);
    match(String((await message)[0].data), /"path":"\/v2\/store\/inventory"/);
    socket.close();
  });
});

/** Attempts at a password, with another address each time. @returns the statuses */
async function guess(origin: string): Promise<Set<number>> {
  const url = `${origin}/v2/user/login?username=ada&password=wrong`;
  const statuses = new Set<number>();
  for (let time = 1; time <= 12; time++) {
    statuses.add(await statusOf("GET", url, { "CF-Connecting-IP": `192.0.2.${time}` }));
  }
  return statuses;
}

test("with protected access, attempts at a password are limited, whatever address the client states", async () => {
  await serving(["--access", "protected", "--api-key", KEY], async (origin) => {
    deepEqual(await guess(origin), new Set([400, 429]));
  });
  await serving([], async (origin) => deepEqual(await guess(origin), new Set([400])));
});

/** Another address of this machine, which the default does not listen at. */
const elsewhere = (origin: string) => `${origin.replace("127.0.0.1", "127.0.0.2")}/health`;

test("--host and --public-url change the addresses", async () => {
  await serving([], async (origin) => rejects(statusOf("GET", elsewhere(origin))));
  await serving(["--host", "127.0.0.2"], async (origin) => {
    equal(new URL(origin).hostname, "127.0.0.2");
    equal(await statusOf("GET", `${origin}/health`), 200);
  });
  await serving(["--host", "0.0.0.0"], async (origin) => equal(await statusOf("GET", elsewhere(origin)), 200));
  const PUBLIC_URL = "https://pets.example/store";
  const expected = [{ url: `${PUBLIC_URL}/v2` }];
  await serving(["--public-url", PUBLIC_URL], async (origin) => {
    deepEqual(await serversOf(origin), expected);
  });
  await serving([], async (origin) => deepEqual(await serversOf(origin), expected), { PUBLIC_URL });
});

test("--quiet prints nothing", async () => {
  await serving([], async (origin) => {
    const { port } = new URL(origin);
    const { status, output } = await run([BIN, "--port", port], { cwd: app, env });
    equal(status, 1);
    match(output, new RegExp(`^Port ${port} is in use\\. .*\n$`));
  });
  const port = String(await freePort());
  const quiet = start([BIN, "--port", port, "--quiet"]);
  const sandbox = `http://127.0.0.1:${port}/sandboxes/${randomUUID()}`;
  await firstResponse(`http://127.0.0.1:${port}/health`);
  equal((await send("PUT", `${sandbox}/faults`, [{ break: "connection" }])).status, 204);
  for (const method of ["GET", "HEAD"]) await rejects(statusOf(method, `${sandbox}/v2/pet/1`));
  await send("DELETE", sandbox);
  await quiet.stop();
  equal(quiet.output, "");
});

test("invalid options are rejected with one line", async () => {
  const wrong = write("wrong.json", { pets: [{ name: "" }] });
  for (const [status, sentence, ...options] of [
    [2, /^Unknown option '--colour'/, "--colour"],
    [2, /^--port \(or PORT\) takes a number/, "--port", "65536"],
    [2, /^--port \(or PORT\) takes a number/, "--port", "x"],
    [2, /^Option '--port' argument is ambiguous/, "--port", "-1"],
    [2, /^--host takes an address/, "--host", ""],
    [2, /^--keep takes a folder/, "--keep", ""],
    [2, /^--access takes open or protected/, "--access", "none"],
    [2, /^--api-key is for protected access/, "--api-key", KEY],
    [2, /^--api-key must have at least 16 characters/, "--access", "protected", "--api-key", "short"],
    [2, /^--api-key must be printable ASCII/, "--access", "protected", "--api-key", ` ${KEY}`],
    [2, /^--sandboxes takes anyone, key or nobody/, "--sandboxes", "all"],
    [2, /^--public-url \(or PUBLIC_URL\) must be an absolute http or https URL/, "--public-url", "pets.example"],
    [2, /^--data and --empty/, "--data", wrong, "--empty"],
    [2, /^--data: none\.json cannot be read/, "--data", "none.json"],
    [1, /pets\.0\.name must not be empty/, "--data", wrong],
    [1, /^192\.0\.2\.1 is not an address of this machine/, "--host", "192.0.2.1"],
    // Node's recursive mkdir never returns there.
    [1, /\/proc\/x cannot keep the data/, "--keep", "/proc/x"],
    [1, /wrong\.json cannot keep the data/, "--keep", wrong],
    [1, /wrong\.json\/x cannot keep the data/, "--keep", `${wrong}/x`],
  ] as const) {
    const ended = await run([BIN, ...options], { cwd: app, env: { ...env, PORT: "0" } });
    match(ended.output, sentence);
    match(ended.output, /^.*\n$/);
    equal(ended.status, status, options.join(" "));
  }
});

test("--help and --version, -h and -p", async () => {
  for (const option of ["--help", "-h"]) match(await succeed([BIN, option], { cwd: app }), /^Usage: pet-store-service/);
  match((await run([BIN, "-p", "x"], { cwd: app })).output, /^--port \(or PORT\) takes a number/);
  match(await succeed([BIN, "--version"], { cwd: app }), /^\d+\.\d+\.\d+\n$/);
});

/** The temporary folders of commands. A folder's name contains the process ID. */
const foldersOf = (pid: number | undefined) =>
  [...new Set(["/dev/shm", tmpdir()])].flatMap((parent) =>
    readdirSync(parent).flatMap((name) => (name.includes(`-${pid}-`) ? join(parent, name) : [])),
  );

/** Waits until nothing is left of a command: no process with its mark, and no temporary folder. */
async function isGone(own: string, pid: number | undefined): Promise<void> {
  await leavesNothing(own);
  deepEqual(foldersOf(pid), []);
}

/** The processes with a mark by their names: the command, workerd, and the watcher. */
function processesOf(own: string): Record<string, number> {
  const names = { "config.capnp": "workerd", "read -r end": "watcher", "pet-store-service\0--port": "command" };
  const found: Record<string, number> = {};
  for (const pid of processesWith(own)) {
    const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    for (const [part, name] of Object.entries(names)) if (line.includes(part)) found[name] = Number(pid);
  }
  return found;
}

/** Starts the command with a mark of its own. */
async function startMarked(options: readonly string[] = [], command: readonly string[] = [BIN]) {
  const own = `e2e-${randomUUID()}`;
  const program = start([...command, "--port", "0", "--json", ...options], { OWN: own });
  await program.prints(/^\{/m);
  return { own, program, pids: processesOf(own) };
}

/** The exit status of the command by the process that gets a signal, and by the signal. */
const ENDS = [
  ["command", "SIGINT", 0],
  ["command", "SIGTERM", 0],
  ["command", "SIGHUP", 0],
  ["command", "SIGKILL", null],
  ["workerd", "SIGTERM", 1],
  ["workerd", "SIGKILL", 1],
  ["watcher", "SIGTERM", "runs on"],
  ["watcher", "SIGKILL", 1],
  ["all three", "SIGTERM", 0],
] as const;

for (const [who, signal, status] of ENDS) {
  for (const keep of [false, true]) {
    test(`${signal} to ${who} leaves nothing behind${keep ? ", and the kept folder can be used again" : ""}`, async () => {
      const options = keep ? ["--keep", `kept by ${who} ${signal}`] : [];
      const { own, program, pids } = await startMarked(options);
      const { pid } = program.child;
      deepEqual(Object.keys(pids).toSorted(), ["command", "watcher", "workerd"]);
      equal(foldersOf(pid).length, 1);
      // What the folder contained for the start has been deleted.
      deepEqual(readdirSync(foldersOf(pid)[0] ?? ""), keep ? [] : ["data"]);
      for (const [name, each] of Object.entries(pids))
        if (who === name || who === "all three") process.kill(each, signal);
      if (status === "runs on") {
        await sleep(200);
        deepEqual(processesOf(own), pids);
        process.kill(pids["command"] ?? 0, "SIGTERM");
        equal(await program.ended, 0);
      } else {
        equal(await program.ended, status);
      }
      if (status === 1) match(program.output, /^The server has ended unexpectedly\.$/m);
      await isGone(own, pid);
      if (keep) await serving(options, async (origin) => equal((await petsOf(origin)).length, 10));
      console.log(`ok  ${signal} to ${who}: exit status ${status}, no process and no folder left`);
    });
  }
}

/** The ways in which npm starts the command, each in a shell. `npm run` runs two commands, so that no shell replaces itself. */
const LAUNCHES = [
  ["npx", "--no-install", "pet-store-service"],
  ["npm", "exec", "--no", "--", "pet-store-service"],
  ["npm", "run", "pets", "--"],
];

for (const signal of ["SIGTERM", "SIGHUP", "SIGKILL"] as const) {
  test(`nothing is left when npx, npm exec, or npm run gets ${signal}`, async () => {
    await succeed(["npm", "pkg", "set", "scripts.pets=true && pet-store-service"], { cwd: app });
    await Promise.all(
      LAUNCHES.map(async (command) => {
        const { own, program, pids } = await startMarked([], command);
        program.child.kill(signal);
        await program.ended;
        await isGone(own, pids["command"]);
      }),
    );
  });
}

test("a closed output does not end the command", async () => {
  const command = start([BIN, "--port", "0"]);
  try {
    const [, origin = ""] = await command.prints(/^The pet store is at (\S+)\/v2/m);
    for (const output of [command.child.stdout, command.child.stderr]) output.destroy();
    for (let count = 1; count <= 20; count++) equal(await statusOf("GET", `${origin}/v2/pet/1`), 200);
  } finally {
    await command.stop();
  }
  equal(await command.ended, 0);
});

test("lines that nobody reads do not fill the memory", () => {
  const unread = new Writable({ highWaterMark: 1000, write: () => undefined });
  for (let count = 1; count <= 100; count++) print(unread, "x".repeat(100));
  equal(unread.writableLength < 2000, true);
});

test("an output that nobody reads does not keep the command from exiting", async () => {
  const command = start([BIN, "--port", "0"]);
  try {
    const [, origin = ""] = await command.prints(/^The pet store is at (\S+)\/v2/m);
    command.child.stdout.pause();
    // More lines than a pipe can hold.
    const url = `${origin}/v2/pet/1/images/${randomUUID()}`;
    for (let count = 1; count <= 18; count++) {
      await Promise.all(Array.from({ length: 100 }, async () => statusOf("GET", url)));
    }
    command.signal("SIGTERM");
    const [status] = (await once(command.child, "exit")) as [number | null];
    equal(status, 0);
  } finally {
    command.child.stdout.resume();
    await command.stop();
  }
});

test("a start removes the folders that dead processes left behind, and no others", async () => {
  const living = await startMarked();
  const killed = await startMarked();
  // All at once, so that nothing can clean up.
  for (const pid of Object.values(killed.pids)) process.kill(pid, "SIGSTOP");
  for (const name of ["watcher", "command", "workerd"]) process.kill(killed.pids[name] ?? 0, "SIGKILL");
  await killed.program.ended;
  await leavesNothing(killed.own);
  equal(foldersOf(killed.program.child.pid).length, 1);
  await serving([], async () => {
    deepEqual(foldersOf(killed.program.child.pid), []);
    equal(foldersOf(living.program.child.pid).length, 1);
  });
  await living.program.stop();
});

/** Installs the package with a stand-in for workerd. @returns the path of the command */
function installWith(standIn: string): string {
  const modules = join(temporaryFolder(), "node_modules");
  cpSync(join(app, "node_modules/pet-store-service"), join(modules, "pet-store-service"), { recursive: true });
  mkdirSync(join(modules, "workerd"));
  const script = join(modules, "workerd/stand-in");
  writeFileSync(script, `#!/bin/sh\n${standIn}\n`, { mode: 0o755 });
  writeFileSync(join(modules, "workerd/index.js"), `exports.default = ${JSON.stringify(script)};`);
  return join(modules, "pet-store-service/command.js");
}

/** Starts the command with a workerd that hangs, and checks how it ends. @param signal undefined waits for the timeout */
async function hangs(signal: NodeJS.Signals | undefined, status: number | null, says: RegExp): Promise<void> {
  const own = `e2e-${randomUUID()}`;
  const command = installWith("exec sleep 1000");
  const program = start([command, "--port", "0", "--access", "protected", "--api-key", KEY], { OWN: own });
  const { pid } = program.child;
  while (processesWith(own).length < 3) await sleep(20);
  const [settings = ""] = foldersOf(pid).map((path) => join(path, "settings.json"));
  match(readFileSync(settings, "utf8"), new RegExp(KEY));
  equal(statSync(settings).mode & 0o777, 0o600);
  if (signal) program.child.kill(signal);
  equal(await program.ended, status);
  match(program.output, says);
  await isGone(own, pid);
}

test("a start that hangs ends at once with SIGTERM or SIGKILL, and with an error after a minute", async () => {
  await hangs("SIGTERM", 0, /^$/);
  await hangs("SIGKILL", null, /^$/);
  await timeout;
});

test("if workerd cannot run, or is not installed, one line says why", async () => {
  const command = installWith("echo no such library >&2; exit 1");
  const { status, output } = await run([command, "--port", "0"], { env });
  equal(status, 1);
  equal(output, "The server did not start: no such library\n");
  rmSync(join(command, "../../workerd"), { recursive: true });
  const missing = await run([command, "--port", "0"], { env });
  equal(missing.status, 1);
  match(missing.output, /^The server did not start: workerd is not installed: .*\n$/);
});

test("a temporary folder that is not needed may be unusable", async () => {
  const TMPDIR = join(app, write("no-folder", ""));
  await serving([], async (origin) => equal(await statusOf("GET", `${origin}/v2/pet/1`), 200), { TMPDIR });
});

test("the notices name every package that the package contains parts of", () => {
  const installed = join(app, "node_modules/pet-store-service");
  const notices = readFileSync(join(installed, "THIRD_PARTY_NOTICES"), "utf8");
  const named = Array.from(notices.matchAll(/^(\S+) \d+\.\d+\.\d+ \(/gm), ([, name = ""]) => name);
  const metafile = readFileSync(join(ROOT, "dist/package-worker/metafile.json"), "utf8");
  const { inputs } = JSON.parse(metafile) as { readonly inputs: object };
  const bundled = Object.keys(inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  equal(bundled.includes("hono"), true);
  deepEqual(new Set(bundled).difference(new Set(named)), new Set());
  const vendor = join(installed, "site/docs/vendor");
  for (const entry of readdirSync(vendor, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const origins = named.map((name) => join(ROOT, "node_modules", name, relative(vendor, file)));
    const content = readFileSync(file);
    equal(
      origins.some((origin) => existsSync(origin) && readFileSync(origin).equals(content)),
      true,
      file,
    );
  }
});

test("a folder of --keep is used by one process at a time", async () => {
  const options = ["--port", "0", "--keep", "shared"];
  const first = await startMarked(["--keep", "shared"]);
  const second = await run([BIN, ...options], { cwd: app, env });
  match(second.output, /^The server did not start: .*shared is in use by another process\.\n$/);
  equal(second.status, 1);
  for (const name of ["watcher", "command", "workerd"]) process.kill(first.pids[name] ?? 0, "SIGKILL");
  await first.program.ended;
  await leavesNothing(first.own);
});

test("of several commands that start at once with a new folder, one runs", async () => {
  const several = Array.from({ length: 4 }, () => start([BIN, "--port", "0", "--keep", "new/shared", "--json"]));
  try {
    const says = await Promise.all(several.map(async (each) => (await each.prints(/^\{|^The server.*$/m))[0]));
    const [first, ...others] = says.toSorted().toReversed();
    equal(first, "{");
    for (const other of others) match(other, /^The server did not start: .*shared is in use by another process\.$/);
  } finally {
    await Promise.all(several.map(async (each) => each.stop()));
  }
});

test("of any number that want a folder at the same moment, one gets it, whatever was there before", async () => {
  const shared = join(temporaryFolder(), "shared");
  for (let round = 1; round <= 5; round++) {
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, async () => openKeptFolder(shared)));
    const [{ lock } = { lock: undefined }, ...others] = outcomes.flatMap((each) =>
      each.status === "fulfilled" ? each.value : [],
    );
    deepEqual(others, []);
    if (typeof lock !== "number") throw new Error("no process got the folder");
    await rejects(openKeptFolder(shared), /is in use by another process/);
    closeSync(lock);
    // As in a restored backup, and after a crash.
    for (const name of ["lock", "lock-1", "new-lock-1"]) writeFileSync(join(shared, name), "");
    await succeed(["mkfifo", join(shared, "lock-2")]);
  }
});

/** The databases of sandboxes in a folder of `--keep`, and the one of their alarms. */
const databasesIn = (kept: string) =>
  readdirSync(join(app, kept, "data/Sandbox")).filter((name) => name.endsWith(".sqlite"));

test("a start removes the databases of deleted sandboxes, and of unknown ones", async () => {
  const options = ["--keep", "emptied"];
  const sandboxes = Array.from({ length: 3 }, () => `/sandboxes/${randomUUID()}`);
  const [kept = "", deleted = "", unknown = ""] = sandboxes;
  await serving(options, async (origin) => {
    for (const sandbox of [kept, deleted]) {
      equal((await send("PUT", `${origin}${sandbox}/data`, { data: "classic" })).status, 204);
    }
    equal(await statusOf("DELETE", origin + deleted), 204);
    equal(await statusOf("GET", origin + unknown), 404);
  });
  equal(databasesIn("emptied").length, 4);
  await serving(options, async (origin) => {
    equal(databasesIn("emptied").length, 2);
    equal(await statusOf("GET", `${origin}${kept}/v2/pet/10`), 200);
    for (const sandbox of [deleted, unknown]) equal(await statusOf("GET", origin + sandbox), 404);
  });
});

test("if the data is damaged, one line names the folder", async () => {
  await serving(["--keep", "damaged"], async () => undefined);
  const damaged = join(app, "damaged/data/Store");
  for (const name of readdirSync(damaged)) writeFileSync(join(damaged, name), randomBytes(8192));
  const { status, output } = await run([BIN, "--port", "0", "--keep", "damaged"], { cwd: app, env });
  match(output, /^The server did not start: the data in .*damaged is damaged, or its disk is full\n$/);
  equal(status, 1);
});

test("--data next to existing data is validated, and a line says that it is not used", async () => {
  const data = write("unused.json", { pets: [{ id: 70, name: "Rex", photoUrls: [] }] });
  await serving(["--keep", "filled"], async () => undefined);
  const again = start([BIN, "--port", "0", "--keep", "filled", "--data", data]);
  const [, origin = ""] = await again.prints(/^The pet store is at (\S+)\/v2/m);
  equal((await petsOf(origin)).length, 10);
  await again.stop();
  equal(again.output.split("\n").filter((line) => line === UNUSED).length, 1);
  const wrong = write("unused.json", { pets: [{ id: 70, name: "" }] });
  const { status, output } = await run([BIN, "--port", "0", "--keep", "filled", "--data", wrong], { cwd: app, env });
  equal(status, 1);
  match(output, /^The server did not start: The data is invalid: pets\.0\.name must not be empty/);
});

const UNUSED = "--data is not used, because the folder of --keep already has data.";

test("a full folder is 503 without losses, and can still be read", async (context) => {
  const small = join(app, "small");
  mkdirSync(small);
  const mounted = await run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", small]);
  if (mounted.status !== 0) return context.skip("only root can mount a small folder");
  const pet = { name: "Rex", photoUrls: ["x".repeat(4000), "y".repeat(4000)] };
  const stored: number[] = [];
  try {
    // A new store does not fit.
    const rest = join(small, "rest");
    writeFileSync(rest, new Uint8Array(6 * 2 ** 20 - 100_000));
    const full = await run([BIN, "--port", "0", "--keep", "small"], { cwd: app, env });
    match(full.output, /^The server did not start: the data in .*small is damaged, or its disk is full\n$/);
    rmSync(rest);
    await serving(["--keep", "small"], async (origin) => {
      let failures = 0;
      while (failures < 5) {
        const response = await send("POST", `${origin}/v2/pet`, pet);
        const { id } = (await response.json()) as { readonly id: number };
        if (response.ok) stored.push(id);
        else failures += 1;
        if (response.ok) continue;
        equal(response.status, 503);
        equal(response.headers.get("Retry-After"), "1");
      }
      const form = new FormData();
      form.set("file", new Blob([new Uint8Array(3_000_000)]));
      const upload = await fetch(`${origin}/v2/pet/1/uploadImage`, { method: "POST", body: form });
      equal(upload.status, 503);
    });
    await serving(["--keep", "small"], async (origin) => {
      for (const id of stored) equal(await statusOf("GET", `${origin}/v2/pet/${id}`), 200);
      equal(await statusOf("GET", `${origin}/v2/pet/${(stored.at(-1) ?? 0) + 1}`), 404);
    });
  } finally {
    await succeed(["umount", small]);
  }
});

test("the library's tests compile, and pass", async () => {
  for (const name of ["library.test.ts", "forgotten.ts"]) {
    cpSync(join(import.meta.dirname, name), join(app, name));
  }
  const types = ["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
  const strict = "--noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2024";
  const files = ["library.test.ts", "forgotten.ts"];
  await succeed(["tsc", ...strict.split(" "), "--lib", "es2024", ...types, ...files], { cwd: app });
  await succeed(["node", "--test", "library.test.ts"], { cwd: app, env });
});

/** The version in `engines`, which the command checks. */
const LEAST_NODE = "20.19.0";

test(`the command and the library run on Node ${LEAST_NODE}`, async () => {
  const other = temporaryFolder();
  await succeed(["npm", "install", "--no-save", `node@${LEAST_NODE}`], { cwd: other });
  const node = join(other, "node_modules/node/bin/node");
  match(await succeed([node, "--version"]), new RegExp(`^v${LEAST_NODE}$`, "m"));
  const compiled = "--outDir compiled --module nodenext --target es2022 --lib es2024 --strict";
  const types = ["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
  await succeed(["tsc", ...compiled.split(" "), ...types, "library.test.ts"], { cwd: app });
  await succeed([node, "--test", "compiled/library.test.js"], { cwd: app, env });
  const command = start([node, BIN, "--port", "0", "--json"]);
  await command.prints(/^\{/m);
  await command.stop();
  const source = `require("pet-store-service").startPetStore().then((store) => store.stop())`;
  await succeed([node, "--input-type=commonjs", "--eval", source], { cwd: app, env });
});

test("the test in the package's README passes", async () => {
  const page = readFileSync(join(app, "node_modules/pet-store-service/README.md"), "utf8");
  const [, code = ""] = /```js\n([^]*?)```/.exec(page) ?? [];
  writeFileSync(join(app, "readme.test.mjs"), code);
  match(await succeed(["node", "--test", "readme.test.mjs"], { cwd: app, env }), /# pass [1-9]/);
});

test("CommonJS can require it", async () => {
  const source = `require("pet-store-service").startPetStore().then((store) => store.stop())`;
  await succeed(["node", "--input-type=commonjs", "--eval", source], { cwd: app, env });
});

test("a test run that forgets its store ends, and one that is killed leaves nothing", async () => {
  await succeed(["node", "forgotten.ts"], { cwd: app, env });
  const own = `e2e-${randomUUID()}`;
  const killed = start(["node", "forgotten.ts", "wait"], { OWN: own });
  await killed.prints(/^http:/m);
  equal(foldersOf(killed.child.pid).length, 1);
  killed.child.kill("SIGKILL");
  await killed.ended;
  await isGone(own, killed.child.pid);
});

for (const example of ["node", "vitest", "jest", "playwright", "pytest", "jvm"]) {
  test(`the example of ${example} passes`, async () => {
    // Maven works offline with Debian's packages.
    const offline = ["--", "--offline", "-Dmaven.repo.local=/usr/share/maven-repo"];
    const more = example === "jvm" ? offline : [];
    await succeed(["npm", "run", `test:${example}`, ...more], { cwd: app, env });
  });
}
