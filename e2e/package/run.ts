// `bash .ci/run package`: installs the package into an empty folder, and tests its command, its library and the examples.
// Needs Debian with pytest, Maven and JUnit, and Chromium: Debian's, or the one that CHROMIUM names.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { get } from "node:http";
import type { IncomingMessage } from "node:http";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { hostname, networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { check } from "../check.ts";
import { Isolated } from "./command.ts";
import type { Place } from "./command.ts";
import type { ProgramOptions } from "../process.ts";
import { childrenOf, processesWith } from "../processes.ts";
import { ROOT, outputOf } from "../../scripts/programs.ts";
import { testImage } from "./image.ts";
import { install, pack } from "./install.ts";
import { testReplay } from "./replay.ts";
import { freePort } from "../server.ts";
import { arrivesSlowly } from "../slow.ts";
import { lineOf, painter } from "../../package/terminal.ts";

/** Long, because machines may be busy. */
const REMOVE_MS = 60_000;
const MAX_PACKED_BYTES = 550_000;
/** Default: Debian's. */
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

const folder = mkdtempSync(join(tmpdir(), "pet-store-package-"));
const app = join(folder, "app");
const NPX = "npx pet-store-service";
const bin = join("node_modules", ".bin", "pet-store-service");
const running = new Set<Isolated>();

/** Paths of other stores, some only once they are resolved. */
const OTHER = "/stores/a-store-of-an-attacker";
const OTHERS = [
  "/stores",
  `${OTHER}/v2/pet/1`,
  `/${OTHER}/v2/pet/1`,
  `${OTHER}/v2/user/..%2f..%2f..%2f..%2fv2/x`,
  `/v2/..${OTHER}/v2/a%2f..%2f..%2f..%2f..%2fv2/x`,
  `/v2/%2e%2E${OTHER}/v2/a%2f..%2f..%2f..%2f..%2fv2/x`,
  `/v2/x\\..\\..${OTHER.replaceAll("/", "\\")}/v2/pet/1`,
];

/** Leads everything that uses a proxy to one that does not answer. */
const PROXIED = {
  NODE_USE_ENV_PROXY: "1",
  HTTP_PROXY: "http://127.0.0.1:1",
  NO_PROXY: undefined,
  no_proxy: undefined,
};

function start(command: readonly string[], env?: ProgramOptions["env"]): Isolated {
  const started = new Isolated(app, command, env);
  running.add(started);
  return started;
}

/** Runs the command while `use` runs. */
async function serving(
  options: readonly string[],
  use: (place: Place) => Promise<void>,
): Promise<void> {
  const command = start([bin, "--port", "0", "--json", ...options]);
  await use(await command.place());
  command.child.kill("SIGTERM");
  assert.equal((await command.ended()).status, 0);
  assert.deepEqual(await command.remains(), []);
}

/** Waits until a command ends by itself, and checks its status and output. */
async function ends(started: Isolated, status: number, sentence: RegExp): Promise<void> {
  const ended = await started.ended();
  assert.match(ended.log, sentence);
  assert.equal(ended.status, status);
}

const refuses = async (status: number, sentence: RegExp, ...options: readonly string[]) =>
  ends(start([bin, ...options]), status, sentence);

async function answers(url: string, init?: RequestInit): Promise<number> {
  const { status, body } = await fetch(url, init);
  await body?.cancel();
  return status;
}

/** Sends a path as it is. `fetch` would resolve it. */
async function rawStatus(
  origin: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  const { hostname: host, port } = new URL(origin);
  const call = get({ host, port, path, headers, agent: false });
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

function file(name: string, content: unknown): string {
  writeFileSync(join(app, name), JSON.stringify(content));
  return name;
}

async function testServing(): Promise<void> {
  await check("the command passes the smoke walk", async () =>
    serving(["--data", "empty"], async ({ url }) => {
      const origin = new URL(url).origin;
      outputOf(process.execPath, ["e2e/smoke.ts", origin]);
    }),
  );
  await check("the page, its files and the documents are served", async () =>
    serving([], async ({ url }) => {
      const { origin } = new URL(url);
      const paths = ["/docs/", "/docs/docs.js", "/docs/vendor/swagger-ui-bundle.js"];
      for (const path of [...paths, "/v2/openapi.json", "/v2/swagger.yaml"]) {
        assert.equal(await answers(`${origin}${path}`), 200, path);
      }
    }),
  );
  await check("a slow answer arrives slowly, also for a client that takes gzip", async () =>
    serving([], async ({ store }) => arrivesSlowly(store)),
  );
  await check("the record is served only under names of this machine", async () =>
    serving([], async ({ store }) => {
      const { origin, pathname } = new URL(store);
      const statusFor = async (host: string, path = "/requests") =>
        rawStatus(origin, pathname + path, { Host: host });
      for (const host of ["localhost", "127.0.0.1:80", "[::1]", hostname()]) {
        assert.equal(await statusFor(host), 200, host);
      }
      // The service resolves the dot segment.
      for (const path of ["/requests", "/v2\\..\\requests", "/v2/%2e./requests"]) {
        assert.equal(await statusFor("evil.example", path), 403, path);
      }
    }),
  );
  await check("protected access needs the API key, and the documents say so", async () =>
    serving(["--access", "protected", "--api-key", "a key"], async ({ url, store }) => {
      assert.equal(await answers(`${url}/pet/1`, { method: "DELETE" }), 401);
      const headers = { api_key: "a key" };
      assert.equal(await answers(`${url}/pet/1`, { method: "DELETE", headers }), 200);
      assert.match(await (await fetch(`${url}/openapi.json`)).text(), /"401"/);
      assert.doesNotMatch(store, /pet-store-service/);
    }),
  );
  await check(
    "a server that listens on all addresses prints those for other machines",
    async () => {
      for (const host of ["0.0.0.0", "::", "127.0.0.1"]) {
        const command = start([bin, "--port", "0", "--host", host]);
        const [, store = ""] = await command.says(/Page\s+(http:\S+)\/\n[^]*curl/);
        assert.equal(await answers(`${store}/`), 200);
        const others = [...command.log.matchAll(/Network\s+(\S+)/g)].map(([, url = ""]) => url);
        for (const url of others) assert.equal(await answers(`${url}/pet/1`), 200, url);
        const expected = Object.values(networkInterfaces())
          .flatMap((addresses = []) => addresses)
          .filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0)
          .filter(({ family }) => host === "::" || (host === "0.0.0.0" && family === "IPv4"));
        assert.equal(others.length, expected.length);
        command.child.kill("SIGTERM");
        await command.ended();
      }
    },
  );
  await check("a store may have a given name or a random one", async () => {
    await serving(["--store", "a-name_of_Its-own"], async ({ store }) =>
      assert.match(store, /\/stores\/a-name_of_Its-own$/),
    );
    await serving(["--store", "random"], async ({ store }) =>
      assert.match(store, /\/stores\/[\da-f-]{36}$/),
    );
  });
}

async function testProduction(): Promise<void> {
  await check("with --access protected, only who has the key creates a store", async () => {
    const options = ["--access", "protected", "--api-key", "a key"];
    await serving(options, async ({ store }) => {
      const stores = new URL(".", store).href;
      assert.equal(await answers(stores, { method: "POST" }), 401);
      const headers = { api_key: "a key" };
      assert.equal(await answers(stores, { method: "POST", headers }), 201);
    });
    await serving([...options, "--stores", "anyone"], async ({ store }) =>
      assert.equal(await answers(new URL(".", store).href, { method: "POST" }), 201),
    );
  });
  await check("with --stores nobody, only the store at /v2 is served", async () =>
    serving(["--stores", "nobody"], async ({ url, store }) => {
      const { origin } = new URL(url);
      for (const path of OTHERS) assert.equal(await rawStatus(origin, path), 404, path);
      assert.equal(await answers(`${url}/pet/1`), 200);
      assert.equal(await answers(`${store}/data`), 200);
    }),
  );
  await check("a folder of --keep has no password, token or key in clear", async () => {
    const [password, key] = ["a password of this test", "a key of this test"];
    const options = ["--keep", "secret", "--access", "protected", "--api-key", key];
    let token = "";
    await serving(options, async ({ url, store }) => {
      const typed = { "Content-Type": "application/json", api_key: key };
      const body = JSON.stringify({ username: "rex", password });
      assert.equal(await answers(`${url}/user`, { method: "POST", headers: typed, body }), 200);
      const query = new URLSearchParams({ username: "rex", password }).toString();
      token = (await (await fetch(`${url}/user/login?${query}`)).text()).slice(-50, -2);
      assert.match(await (await fetch(`${store}/requests`)).text(), /password=\*\*\*/);
      // Requests are written a moment later.
      await sleep(500);
    });
    const kept = join(app, "secret");
    for (const path of readdirSync(kept, { recursive: true, encoding: "utf8" })) {
      if (!statSync(join(kept, path)).isFile()) continue;
      const bytes = readFileSync(join(kept, path), "latin1");
      for (const secret of [password, password.replaceAll(" ", "+"), key, token]) {
        assert.ok(!bytes.includes(secret), `${secret} is in ${path}`);
      }
    }
  });
}

async function testContent(): Promise<void> {
  await check("a client that comes before the command is ready keeps what it adds", async () => {
    const pet = {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ name: "Rex", photoUrls: [], status: "sold" }),
    };
    // The client may come too late on a busy machine.
    for (let added = 0; added === 0;) {
      const port = String(await freePort());
      const url = `http://127.0.0.1:${port}/v2`;
      const command = start([bin, "--port", port, "--json"]);
      while (command.log === "") {
        const status = await answers(`${url}/pet`, pet).catch(async () => sleep(1));
        if (status !== undefined) assert.equal(status, 200);
        if (status === 200) added += 1;
      }
      await command.place();
      const counts = await (await fetch(`${url}/store/inventory`)).json();
      assert.deepEqual(counts, { available: 7, pending: 2, sold: 1 + added });
      command.child.kill("SIGTERM");
      await command.ended();
    }
  });
  const data = { pets: [{ id: 7, name: "Rex", photoUrls: [] }], orders: [], users: [] };
  // Editors on Windows write a byte order mark.
  const dataFile = "data.json";
  writeFileSync(join(app, dataFile), `\ufeff${JSON.stringify(data)}`);
  const faults = file("faults.json", [{ path: "/pet/7", times: 1, status: 503 }]);
  await check("files set the data and the rules", async () =>
    serving(["--data", dataFile, "--faults", faults], async ({ url, store }) => {
      assert.equal(await answers(`${url}/pet/7`), 503);
      assert.equal(await answers(`${url}/pet/7`), 200);
      assert.deepEqual(await (await fetch(`${store}/data`)).json(), data);
    }),
  );
  await check("an answer that breaks on demand is not logged as a fault", async () => {
    const command = start([
      bin,
      "--port",
      "0",
      "--json",
      "--faults",
      file("b.json", [{ break: "body" }]),
    ]);
    const { url } = await command.place();
    await assert.rejects(async () => (await fetch(`${url}/pet/1`)).text(), /terminated/);
    command.child.kill("SIGTERM");
    assert.doesNotMatch((await command.ended()).log, /on demand/);
  });
  await check(
    "a folder keeps the store, its name and its rules, and only its owner can read it",
    async () => {
      const kept = ["--keep", "kept", "--data", dataFile];
      mkdirSync(join(app, "kept"));
      chmodSync(join(app, "kept"), 0o755);
      let address = "";
      await serving([...kept, "--faults", faults], async ({ store }) => {
        address = new URL(store).pathname;
      });
      await serving([...kept, "--store", "another-name-for-it"], async ({ url, store }) => {
        assert.equal(new URL(store).pathname, address);
        assert.equal(await answers(`${url}/pet/7`, { method: "DELETE" }), 503);
        assert.equal(await answers(`${url}/pet/7`, { method: "DELETE" }), 200);
        for (const path of [
          ".",
          ...readdirSync(join(app, "kept"), { recursive: true, encoding: "utf8" }),
        ]) {
          const found = statSync(join(app, "kept", path));
          assert.equal(found.mode & 0o777, found.isDirectory() ? 0o700 : 0o600, path);
        }
      });
      await serving(kept, async ({ url }) => assert.equal(await answers(`${url}/pet/7`), 404));
    },
  );
  await check(
    "a folder may have other files, even unreadable ones, such as lost+found, and keeps its mode",
    async () => {
      const volume = join(app, "volume");
      mkdirSync(volume);
      mkdirSync(join(volume, "lost+found"), { mode: 0o000 });
      // Not even root can write to this one.
      symlinkSync("nowhere", join(volume, "lost+found.too"));
      chmodSync(volume, 0o750);
      for (let starts = 0; starts < 2; starts++) {
        await serving(["--keep", "volume"], async ({ url }) =>
          assert.equal(await answers(`${url}/pet/1`), 200),
        );
        assert.equal(statSync(volume).mode & 0o777, 0o750);
      }
    },
  );
  await check("only one process uses a folder, until it ends or is killed", async () => {
    const options = ["--port", "0", "--json", "--keep", "shared"];
    const rivals = [start([bin, ...options]), start([bin, ...options])];
    const loser = await Promise.race(rivals.map(async (rival) => rival.ended().then(() => rival)));
    await ends(loser, 1, /^The server did not start: process \d+ is using the folder/);
    const holder = rivals.find((rival) => rival !== loser);
    assert.ok(holder);
    await holder.place();
    const has = new RegExp(
      `: process ${holder.child.pid} is using the folder ${join(app, "shared")}\n`,
    );
    await refuses(1, has, ...options);
    holder.child.kill("SIGKILL");
    await serving(["--keep", "shared"], async ({ url }) =>
      assert.equal(await answers(`${url}/pet/1`), 200),
    );
  });
  await check("a workerd that outlives its server keeps others out of its folder", async () => {
    const options = ["--port", "0", "--json", "--keep", "orphaned"];
    const command = start([bin, ...options]);
    await command.place();
    const [server = NaN] = childrenOf(command.child.pid);
    const [workerd = NaN] = childrenOf(server);
    command.child.kill("SIGKILL");
    process.kill(server, "SIGKILL");
    await command.ended();
    await refuses(1, /: a workerd whose server was killed is using the folder .*\n$/, ...options);
    process.kill(workerd, "SIGKILL");
    await serving(options.slice(3), async ({ url }) =>
      assert.equal(await answers(`${url}/pet/1`), 200),
    );
  });
}

async function testRefusals(): Promise<void> {
  await check("wrong options are refused with a sentence and status 2", async () => {
    await refuses(2, /^Unknown option '--prot'/, "--prot", "1");
    await refuses(2, /^Unexpected argument 'serve'/, "serve");
    await refuses(2, /^--port takes a value\n/, "--port");
    await refuses(2, /^--port takes a value\n/, "--port", "--json");
    await refuses(2, /^--port takes a number from 0 to 65535/, "--port", "70000");
    await refuses(2, /^--stores takes anyone, key, nobody\n/, "--stores", "all");
    await refuses(2, /^--access takes open or protected/, "--access", "none");
    await refuses(2, /^--api-key is for protected access/, "--api-key", "secret");
    for (const key of [" key", "key\u00a0", "k\tey", "k\u009by", "k\u00e9y"]) {
      await refuses(
        2,
        /^--api-key takes printable ASCII/,
        "--access",
        "protected",
        "--api-key",
        key,
      );
    }
    for (const name of ["fifteen-letters", "x".repeat(65), "sixteen.letters.", "", "Random"]) {
      await refuses(2, /^--store takes random, or 16 to 64/, "--store", name);
    }
    await refuses(2, /^--data: none\.json cannot be read/, "--data", "none.json");
    const bad = file("bad.json", { pets: [{ name: "" }] });
    await refuses(2, /^--data: [^]*pets\.0\.name must not be empty/, "--port", "0", "--data", bad);
    const rules = file("rules.json", [{ status: 600 }]);
    await refuses(2, /^--faults: [^]*0\.status must be/, "--port", "0", "--faults", rules);
    const none = file("null.json", null);
    await refuses(2, /^--faults: [^]*must be an array/, "--port", "0", "--faults", none);
    writeFileSync(join(app, "deep.json"), "[".repeat(50_000) + "]".repeat(50_000));
    await refuses(2, /^--data: [^]*must be an object/, "--port", "0", "--data", "deep.json");
    const hostile = file("hostile.json", [{ "\u001b]0;\u202eowned\u0007": 1 }]);
    await refuses(2, /^--faults: [^]*0\.\?\]0;\?owned\? /, "--port", "0", "--faults", hostile);
    await refuses(2, /^--faults: cannot be sent/, "--port", "0", "--faults", "deep.json");
  });
  await check(
    "an output that cannot be written and a missing folder are reported with a sentence",
    async () => {
      for (const to of ["> /dev/full", "| true"]) {
        const shell = `set -o pipefail; ${bin} --port 0 --json ${to}`;
        await ends(start(["bash", "-c", shell]), 1, /^Cannot write to the standard output: .*\n$/);
      }
      const unwritable =
        /^The server did not start: cannot write to the folder \/proc\/pets: .*\n$/;
      await refuses(1, unwritable, "--port", "0", "--keep", "/proc/pets");
      const nowhere = { TMPDIR: join(app, "nowhere") };
      await ends(
        start([bin, "--port", "0"], nowhere),
        1,
        /^The server did not start: ENOENT: .*\n$/,
      );
      const source = `import { NotStarted, startPetStore } from "pet-store-service";
      await startPetStore().catch((error) => console.log(error instanceof NotStarted, error.code));`;
      await ends(start([process.execPath, "--eval", source], nowhere), 0, /^true ENOENT\n$/);
    },
  );
  await check(
    "a system that cannot run workerd, such as Alpine, is reported with a sentence",
    async () => {
      // Without its loader, a program is not found. With another C library, it ends at once.
      const program = join(app, "workerd");
      for (const present of [false, true]) {
        if (present) writeFileSync(program, "#!/bin/sh\nexit 127\n", { mode: 0o755 });
        const started = start([bin, "--port", "0"], { MINIFLARE_WORKERD_PATH: program });
        await ends(
          started,
          1,
          /^The server did not start: workerd cannot run on this system\. .*glibc.*\n$/,
        );
        assert.deepEqual(await started.remains(), []);
      }
    },
  );
  await check("a port in use is refused with a sentence and status 1", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    await refuses(1, new RegExp(`^Port ${port} is in use\\.`), "--port", String(port));
    other.close();
  });
  await check("--help and --version print and end", async () => {
    await refuses(0, /^Usage: [^]*\nWeb pages of any origin can use the server/, "--help");
    await refuses(0, /^\d+\.\d+\.\d+$/m, "--version");
  });
}

/** @param command of npm that runs the package's command */
const startBy = (command: string, ...options: readonly string[]) =>
  start([...command.split(" "), "--port", "0", "--json", ...options], {
    npm_config_cache: outputOf("npm", ["config", "get", "cache"]).trim(),
    npm_config_update_notifier: "false",
  });

async function testEnds(): Promise<void> {
  for (const [signal, to, expected] of [
    ["SIGINT", "command", 0],
    ["SIGTERM", "command", 0],
    ["SIGKILL", "command", null],
    ["SIGTERM", "server", 1],
    ["SIGKILL", "server", 1],
  ] as const) {
    await check(`${signal} to the ${to} leaves no processes and no files`, async () => {
      const command = start([bin, "--port", "0", "--json"]);
      await command.place();
      const [server = NaN] = childrenOf(command.child.pid);
      process.kill(to === "server" ? server : (command.child.pid ?? NaN), signal);
      const { status, log } = await command.ended();
      assert.equal(status, expected);
      if (to === "server") assert.match(log, /The server stopped unexpectedly\./);
      assert.deepEqual(await command.remains(), []);
    });
  }
  await check("a start removes what killed servers left, and nothing of running ones", async () => {
    const TMPDIR = join(app, "temporary");
    mkdirSync(TMPDIR);
    const command = () => start([bin, "--port", "0", "--json"], { TMPDIR });
    const live = command();
    await live.place();
    const [kept = ""] = readdirSync(TMPDIR);
    const others = new Set(processesWith(TMPDIR));
    const killed = command();
    await killed.place();
    const left = readdirSync(TMPDIR).find((name) => name !== kept) ?? "";
    for (const pid of processesWith(TMPDIR)) if (!others.has(pid)) process.kill(pid, "SIGKILL");
    await killed.ended();
    assert.ok(readdirSync(TMPDIR).includes(left));
    const next = command();
    await next.place();
    const deadline = Date.now() + REMOVE_MS;
    while (readdirSync(TMPDIR).length > 2 && Date.now() < deadline) await sleep(50);
    assert.deepEqual([readdirSync(TMPDIR).length, readdirSync(TMPDIR).includes(left)], [2, false]);
    for (const { child } of [live, next]) child.kill("SIGTERM");
    await Promise.all([live.ended(), next.ended()]);
    assert.deepEqual(readdirSync(TMPDIR), []);
  });
  await check("an old Node is refused with a sentence", async () => {
    const older = `Object.defineProperty(process.versions, "node", { value: "20.20.2" })`;
    const ended = await start([bin, "--port", "0"], {
      NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(older)}"`,
    }).ended();
    assert.match(ended.log, /pet-store-service needs Node 22 or newer\./);
    assert.equal(ended.status, 1);
  });
  await check("npx passes on the exit status", async () => {
    await ends(startBy(NPX, "--store", "short"), 2, /--store takes/);
    await ends(startBy(NPX, "--keep", "/proc/pets"), 1, /cannot write to/);
  });
  outputOf("npm", ["pkg", "set", "scripts.store=pet-store-service"], { folder: app });
  for (const command of [NPX, "npm run store --"]) {
    await check(`SIGTERM to ${command} leaves no processes and no files`, async () => {
      const npm = startBy(command);
      await npm.place();
      npm.child.kill("SIGTERM");
      assert.deepEqual(await npm.remains(), []);
      await npm.ended();
      assert.equal(npm.child.signalCode, "SIGTERM");
    });
  }
}

/** What the command prints in a terminal (by `script`), after a refused request. */
async function saidInTerminal(env: ProgramOptions["env"]): Promise<string> {
  const command = start(["script", "-qec", `${bin} --port 0`, "/dev/null"], {
    TERM: "xterm-256color",
    ...env,
  });
  const [, url = ""] = await command.says(/Pet store\s+\S*?(http:\S+?\/v2)/);
  await command.says(/Holds\s+10 pets, 3 orders, 10 users/);
  await command.says(/curl 'http:/);
  const headers = { "Content-Type": "application/json" };
  assert.equal(await answers(`${url}/pet`, { method: "POST", headers, body: "{}" }), 405);
  await command.says(/POST .*photoUrls is required/);
  command.child.kill("SIGTERM");
  await command.ended();
  assert.deepEqual(await command.remains(), []);
  return command.log;
}

/** Makes workerd print an error. */
async function provoke(url: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.end(
    "GET /v2/user/login?password=secret HTTP/1.1\r\nHost: \u001b]0;a owned\u0007\u2028\r\nConnection: close\r\n\r\n",
  );
  const [answer] = (await once(socket.setEncoding("utf8"), "data")) as [string];
  assert.match(answer, /^HTTP\/1\.1 500 /);
}

async function testTerminal(): Promise<void> {
  await check("a client's bytes cannot control the terminal, and no URL is printed", async () => {
    const command = start([bin, "--port", "0", "--json"]);
    const { url } = await command.place();
    await provoke(url);
    const [said] = await command.says(/^Uncaught exception.*$/m);
    assert.match(said, /cannot load: \(a URL\)$/);
    assert.doesNotMatch(command.log, /secret|owned|(?!\n)\p{Cc}/u);
    command.child.kill("SIGTERM");
    await command.ended();
    const request = {
      id: 1,
      at: 0,
      method: "GET",
      path: "/\u001b\u009b\u202e\u2066\u200f",
      status: 200,
      ms: 1,
    };
    assert.equal(lineOf(request, painter(false)), "  GET     /?????  200  1 ms\n");
  });
  await check(
    "a terminal shows each request with its errors, with or without colours",
    async () => {
      const coloured = await saidInTerminal({ NO_COLOR: undefined, ...PROXIED });
      assert.ok(coloured.includes("\u001b[33m405\u001b[39m"), coloured);
      const plain = await saidInTerminal({ NO_COLOR: "1" });
      assert.ok(!plain.includes("\u001b["), plain);
    },
  );
}

async function testLibrary(): Promise<void> {
  const tests = ["library.test.ts", "forgotten.ts", "consumer.ts"];
  for (const name of tests) copyFileSync(join(import.meta.dirname, name), join(app, name));
  await check("the tests of the library compile", () => {
    const strict = "--noEmit --strict --module nodenext --target esnext --types node";
    const types = ["--typeRoots", join(ROOT, "node_modules", "@types")];
    outputOf("tsc", [...strict.split(" "), ...types, "--allowImportingTsExtensions", ...tests], {
      folder: app,
    });
  });
  await check("its types need neither DOM nor Node types", () => {
    const few = "--noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2022";
    outputOf("tsc", [...few.split(" "), "--lib", "es2022", "--types", "", "consumer.ts"], {
      folder: app,
    });
  });
  await check("CommonJS can require it", () => {
    const source = `require("pet-store-service").startPetStore().then((store) => store.stop())`;
    outputOf(process.execPath, ["--input-type=commonjs", "--eval", source], { folder: app });
  });
  await check("its tests pass, and the one in its README", () => {
    const readme = readFileSync(join(app, "node_modules/pet-store-service/README.md"), "utf8");
    const [, shown = ""] = /```js\n([^]*?)```/.exec(readme) ?? [];
    writeFileSync(join(app, "readme.test.mjs"), shown);
    const results = outputOf(process.execPath, ["--test", "library.test.ts", "readme.test.mjs"], {
      folder: app,
    });
    assert.match(results, /sees a fault, and the pet/);
  });
  await check("calls after the end of the server say so, with its last output", async () => {
    const source = `import { ServerEnded, startPetStore } from "pet-store-service";
      const store = await startPetStore();
      console.log(store.url);
      for (;;) await store.data().catch((fault) => {
        console.log(fault instanceof ServerEnded, fault.message);
        process.exit();
      });`;
    for (const killed of ["server", "group"]) {
      const client = start([process.execPath, "--input-type=module", "--eval", source]);
      const [url] = await client.says(/http:.*$/m);
      await provoke(url);
      await client.says(/^Uncaught exception.*$/m);
      const [server = NaN] = childrenOf(client.child.pid);
      process.kill(killed === "server" ? server : -server, "SIGKILL");
      const says =
        /^true The server of the store has ended\. Its last output:\nUncaught .*cannot load: \(a URL\)$/m;
      await ends(client, 0, says);
      assert.deepEqual(await client.remains(), []);
    }
  });
  await check("a process that does not stop its stores ends, even with a proxy set", async () => {
    const forgetful = start([process.execPath, "forgotten.ts"], PROXIED);
    assert.equal((await forgetful.ended()).status, 0);
    assert.deepEqual(await forgetful.remains(), []);
  });
  await check("a killed process leaves nothing", async () => {
    const killed = start([process.execPath, "forgotten.ts", "wait"]);
    await killed.says(/http:/);
    killed.child.kill("SIGKILL");
    await killed.ended();
    assert.deepEqual(await killed.remains(), []);
  });
}

/** Tests the examples in a copy of their folder. */
async function testExamples(tarball: string): Promise<void> {
  const examples = join(folder, "examples");
  cpSync(join(ROOT, "examples"), examples, { recursive: true });
  install(examples, tarball);
  const recipes = ["vitest", "node", "jest", "bun", "playwright", "pytest", "validator"];
  for (const name of recipes.map((recipe) => `test:${recipe}`)) {
    await check(`npm run ${name}`, () => {
      outputOf("npm", ["run", name], { folder: examples, env: { CHROMIUM } });
    });
  }
  await check("npm run test:jvm, with the packages of Debian", () => {
    const offline = ["--offline", "-Dmaven.repo.local=/usr/share/maven-repo"];
    outputOf("npm", ["run", "test:jvm", "--", ...offline], { folder: examples });
  });
  const collection = (store: string) =>
    outputOf("npm", ["run", "test:postman", "--", "--env-var", `store=${store}`], {
      folder: examples,
    });
  await serving([], async ({ url, store }) => {
    await check("npm run test:postman", () => {
      collection(store);
    });
    const { origin } = new URL(url);
    const host = { PET_STORE_HOST: origin };
    await check("npm run test:hosted, and the collection on a new sandbox", async () => {
      outputOf("npm", ["run", "test:hosted"], { folder: examples, env: host });
      const made = await fetch(`${origin}/stores`, { method: "POST" });
      collection(`${origin}${made.headers.get("Location")}`);
    });
    await check("the downloaded test and script repeat what a client did", () =>
      testReplay(examples, [store, `${origin}/stores/${randomUUID()}`]),
    );
  });
}

try {
  mkdirSync(app);
  const { tarball, bytes } = pack(folder);
  assert.ok(bytes <= MAX_PACKED_BYTES, `${bytes} bytes packed`);
  const installed = install(app, tarball);
  console.log(`ok  ${bytes} bytes packed, ${Math.round(installed / 1e6)} MB installed`);
  await testServing();
  await testProduction();
  await testContent();
  await testRefusals();
  await testImage(start);
  await testEnds();
  await testTerminal();
  await testLibrary();
  await testExamples(tarball);
} catch (error) {
  for (const { log } of running) if (log) console.error(`--- its output\n${log}`);
  throw error;
} finally {
  for (const program of running) program.signal("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
