// Installs the packed package into a copy of examples/, and tests its command, its library and the examples there. Needs
// Debian with pytest, Maven, JUnit and Chromium.
import { deepEqual, doesNotMatch, equal, match, rejects } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cpSync, globSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
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

test("a store has its data from the first answer on", async () => {
  const port = String(await freePort());
  const command = start([BIN, "--port", port, "--quiet"]);
  try {
    let found: Response | undefined;
    while (!found) {
      found = await fetch(`http://127.0.0.1:${port}/v2/store/inventory`).catch(() => undefined);
      await sleep(1);
    }
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

test("clients reach the service itself, and not the entry of Miniflare, which obeys headers", async () => {
  await serving([], async (origin) => {
    const text = async (path: string, headers?: Record<string, string>) =>
      (await fetch(origin + path, headers && { headers })).text();
    match(await text("/v2/pet/1", { "MF-Original-URL": `${origin}/health` }), /^\{"id":1,/);
    match(await text("/v2/pet/1", { "MF-CF-Blob": '{"colo":"XXX"}' }), /^\{"id":1,/);
    deepEqual(await serversOf(origin, { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "elsewhere.example" }), [
      { url: `${origin}/v2` },
    ]);
    const form = new FormData();
    form.set("file", new Blob(["a file"]), "rex.txt");
    equal((await fetch(`${origin}/v2/pet/1/uploadImage`, { method: "POST", body: form })).status, 200);
    const { photoUrls } = JSON.parse(await text("/v2/pet/1")) as { readonly photoUrls: readonly string[] };
    const file = new URL(photoUrls.at(-1) ?? "", origin).pathname;
    equal(await text(file), "a file");
    const key = `pets/1/${file.split("/").at(-1)}`;
    for (const path of [`/cdn-cgi/local/r2/public/IMAGES/${key}`, "/cdn-cgi/explorer", "/cdn-cgi/mf/scheduled"]) {
      match(await text(path), /^\{"code":404,/, path);
    }
    // What the socket must go on doing: pages, what they load, and the record as it happens.
    const page = await fetch(`${origin}/docs/`);
    match(page.headers.get("Content-Security-Policy") ?? "", /default-src 'none'/);
    match(await page.text(), /^<!doctype html>/i);
    match(await text("/sandboxes/page/page.css"), /\{/);
    match(await text("/docs/nothing"), /^\{"code":404,/);
    const { url, page: place } = (await (await send("POST", `${origin}/sandboxes`)).json()) as Record<string, string>;
    const socket = new WebSocket(`${place?.replace("http", "ws")}requests`);
    await once(socket, "open");
    const message = once(socket, "message") as Promise<[MessageEvent]>;
    await text(`${new URL(url ?? "").pathname}/store/inventory`);
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
    // The port is free once this server has ended.
    const quiet = start([BIN, "--port", "0", "--quiet"]);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    await quiet.stop();
    equal(quiet.output, "");
  });
});

test("wrong options are refused with one line", async () => {
  const wrong = write("wrong.json", { pets: [{ name: "" }] });
  for (const [status, sentence, ...options] of [
    [2, /^Unknown option '--colour'/, "--colour"],
    [2, /^--port takes a number/, "--port", "65536"],
    [2, /^--access takes open or protected/, "--access", "none"],
    [2, /^--api-key is for --access protected/, "--api-key", KEY],
    [2, /^--sandboxes takes anyone, key or nobody/, "--sandboxes", "all"],
    [2, /^--public-url .* takes an absolute http or https URL/, "--public-url", "pets.example"],
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
  match((await run([BIN, "-p", "x"], { cwd: app })).output, /^--port takes a number/);
  match(await succeed([BIN, "--version"], { cwd: app }), /^\d+\.\d+\.\d+\n$/);
});

test("nothing is left of a command that ends, however it ends", async () => {
  for (const [signal, command] of [
    ["SIGINT", [BIN]],
    ["SIGTERM", [BIN]],
    ["SIGKILL", [BIN]],
    ["SIGTERM", ["npx", "--no-install", "pet-store-service"]],
  ] as const) {
    const own = `e2e-${randomUUID()}`;
    const program = start([...command, "--port", "0", "--json"], { OWN: own });
    await program.prints(/^\{/m);
    program.child.kill(signal);
    await program.ended;
    await leavesNothing(own);
  }
});

/** The process that starts workerd. */
async function serverOf(own: string): Promise<number> {
  for (;;) {
    for (const pid of processesWith(own)) {
      if (readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("serve.js")) return Number(pid);
    }
    await sleep(20);
  }
}

test("a start ends at once with SIGTERM, and with an error if it hangs", async () => {
  for (const [signal, status, says] of [
    ["SIGTERM", 0, /^$/],
    [undefined, 1, /^The server did not start: it took longer than 60 seconds\n$/],
  ] as const) {
    const own = `e2e-${randomUUID()}`;
    const program = start([BIN, "--port", "0"], { OWN: own });
    // The start cannot go on.
    process.kill(await serverOf(own), "SIGSTOP");
    if (signal) program.child.kill(signal);
    equal(await program.ended, status);
    match(program.output, says);
    await leavesNothing(own);
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
  killed.child.kill("SIGKILL");
  await killed.ended;
  await leavesNothing(own);
});

for (const example of ["node", "vitest", "jest", "playwright", "pytest", "jvm"]) {
  test(`the example of ${example} passes`, async () => {
    // Maven works offline with Debian's packages.
    const offline = ["--", "--offline", "-Dmaven.repo.local=/usr/share/maven-repo"];
    const more = example === "jvm" ? offline : [];
    await succeed(["npm", "run", `test:${example}`, ...more], { cwd: app, env });
  });
}
