// Runs the configurations of docs/hosting.md as they stand in front of the package: nginx at the root of a host, HAProxy
// below a path. Only the port, the address of the service and the certificate are those of this test.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Program, ROOT, freePort, send, startPackage, succeed, temporaryFolder } from "./server.ts";

const KEY = randomUUID();
const UPLOAD_BYTES = 4_000_000;
const folder = temporaryFolder();

// The certificate is signed by itself.
process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
const certificate = join(folder, "petstore.pem");
await succeed([
  ..."openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost".split(" "),
  "-keyout",
  certificate,
  "-out",
  certificate,
]);

/** The configuration in docs/hosting.md, with the addresses of this test. */
function configurationOf(language: string, addresses: Readonly<Record<string, string>>): string {
  const page = readFileSync(join(ROOT, "docs/hosting.md"), "utf8");
  const [, ...blocks] = page.split(`\n\`\`\`${language}\n`);
  equal(blocks.length, 1, `docs/hosting.md has a block of ${language}`);
  let [configuration = ""] = blocks[0]?.split("\n```\n") ?? [];
  for (const [written, own] of Object.entries(addresses)) {
    ok(configuration.includes(written), `the configuration has ${written}`);
    configuration = configuration.replaceAll(written, own);
  }
  return `${configuration}\n`;
}

/** Waits until the proxy returns responses of the service. */
async function waitFor(url: string, proxy: Program): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const response = await fetch(`${url}/health`).catch(() => undefined);
    if (response?.ok) {
      deepEqual(await response.json(), { status: "ok" });
      return;
    }
    await sleep(100);
  }
  throw new Error(`${url} does not respond:\n${proxy.output}`);
}

/** Everything that a proxy may break. @param url the public address */
async function walk(url: string): Promise<void> {
  const { origin, pathname, host } = new URL(url);
  const path = pathname.replace(/\/$/, "");
  const keys: Record<string, string>[] = [{ "X-API-Key": KEY }, { api_key: KEY }];
  const [key] = keys;

  const rex = { name: "Rex", photoUrls: [], status: "available" };
  equal((await send("POST", `${url}/v2/pet`, rex)).status, 401);
  for (const header of keys) equal((await send("POST", `${url}/v2/pet`, rex, header)).status, 200);
  console.log("ok  the API key arrives under both names");

  const blob = await fetch(`${url}/docs/`, { headers: { "MF-CF-Blob": "{", "MF-Original-URL": `${url}/health` } });
  equal(blob.status, 200);
  match(await blob.text(), /^<!doctype html>/i);
  console.log("ok  headers that only Miniflare reads change nothing");

  const upload = new FormData();
  upload.set("file", new File([new Uint8Array(UPLOAD_BYTES)], "rex.bin"));
  const uploaded = await fetch(`${url}/v2/pet/1/uploadImage`, {
    method: "POST",
    body: upload,
    ...(key && { headers: key }),
  });
  equal(uploaded.status, 200, await uploaded.text());
  const pet = await fetch(`${url}/v2/pet/1`, { headers: { "Accept-Encoding": "gzip" } });
  const { photoUrls } = (await pet.json()) as { readonly photoUrls: readonly string[] };
  const [image = ""] = photoUrls;
  const { href } = new URL(image, url);
  ok(href.startsWith(`${url}/v2/pet/1/images/`), href);
  equal((await (await fetch(href)).arrayBuffer()).byteLength, UPLOAD_BYTES);
  console.log("ok  an upload of 4 MB, and its URL leads back to it");

  const etag = pet.headers.get("ETag") ?? "";
  match(etag, /^"/);
  const change = { ...rex, id: 1, status: "sold" };
  const changed = await send("PUT", `${url}/v2/pet`, change, { ...key, "If-Match": etag });
  equal(changed.status, 200);
  const late = await send("PUT", `${url}/v2/pet`, change, { ...key, "If-Match": etag });
  equal(late.status, 412);
  const pages = await fetch(`${url}/docs/docs.css`, { headers: { "Accept-Encoding": "gzip" } });
  await pages.text();
  console.log(`ok  If-Match after a GET (a page's style is ${pages.headers.get("Content-Encoding") ?? "plain"})`);

  const read = async (document: string) => (await (await fetch(`${url}${document}`)).json()) as Record<string, unknown>;
  deepEqual((await read("/v2/openapi.json"))["servers"], [{ url: `${url}/v2` }]);
  deepEqual((await read("/api/v3/openapi.json"))["servers"], [{ url: `${url}/api/v3` }]);
  const swagger = await read("/v2/swagger.json");
  deepEqual([swagger["schemes"], swagger["host"], swagger["basePath"]], [["https"], host, `${path}/v2`]);
  const list = await fetch(`${url}/v2/pet/findByStatus?status=available,sold&limit=1`);
  const [, next = ""] = /^<(.*)>; rel="next"$/.exec(list.headers.get("Link") ?? "") ?? [];
  equal((await fetch(new URL(next, list.url))).status, 200, next);
  const ada = { username: "ada", password: "secret" };
  equal((await send("POST", `${url}/v2/user`, ada)).status, 200);
  const login = await fetch(`${url}/v2/user/login?username=ada&password=secret`);
  const cookie = login.headers.get("Set-Cookie") ?? "";
  match(cookie, new RegExp(`; Path=${path}/v2(;|$)`));
  match(cookie, /; Secure/);
  const home = await fetch(`${url}/`, { headers: { Accept: "text/html" } });
  equal(home.url, `${url}/docs/`);
  equal(home.status, 200);
  console.log("ok  documents, links, cookie and redirect have the public address");

  const sandbox = await send("POST", `${url}/sandboxes`, {}, key);
  equal(sandbox.status, 201);
  const place = (await sandbox.json()) as { readonly url: string; readonly page: string };
  ok(place.page.startsWith(`${url}/sandboxes/`), place.page);
  equal(`${sandbox.headers.get("Location")}/`, place.page);
  const watch = (from: string) => {
    const target = `${place.page.replace("https", "wss")}requests`;
    const options: unknown = { headers: { Origin: from } };
    // Node's WebSocket takes headers, unlike that of browsers.
    return new WebSocket(target, options as string[]);
  };
  const foreign = watch("https://elsewhere.example");
  await once(foreign, "error");
  const socket = watch(origin);
  await once(socket, "open");
  const message = once(socket, "message");
  equal((await fetch(`${place.url}/store/inventory`)).status, 200);
  const [{ data }] = (await message) as [MessageEvent];
  match(String(data), /"path":"\/v2\/store\/inventory"/);
  socket.close();
  console.log("ok  a WebSocket of a sandbox, for pages of the public address");
}

/** Starts the service for a public address and a proxy in front of it, walks, and ends both. */
async function behind(
  name: string,
  path: string,
  start: (port: string, service: string) => { proxy: Program; check?: () => Promise<void> },
): Promise<void> {
  console.log(`--- ${name}`);
  const port = String(await freePort());
  const url = `https://localhost:${port}${path}`;
  const options = ["--empty", "--access", "protected", "--api-key", KEY, "--public-url", url];
  const service = await startPackage(options);
  const { proxy, check } = start(port, `127.0.0.1:${service.port}`);
  try {
    await waitFor(url, proxy);
    await walk(url);
    await check?.();
  } catch (error) {
    console.error(`${proxy.output}${service.program.output}`);
    throw error;
  } finally {
    await proxy.stop();
    await service.program.stop();
  }
}

await behind("nginx", "", (port, service) => {
  const file = join(folder, "nginx.conf");
  writeFileSync(
    file,
    configurationOf("nginx", {
      "listen 443 ": `listen ${port} `,
      "127.0.0.1:8080": service,
      "/etc/ssl/petstore.pem": certificate,
    }),
  );
  const own = `daemon off; pid ${join(folder, "nginx.pid")}; error_log stderr;`;
  return { proxy: new Program(["nginx", "-p", folder, "-c", file, "-g", own]) };
});

await behind("HAProxy", "/petstore", (port, service) => {
  const file = join(folder, "haproxy.cfg");
  writeFileSync(
    file,
    configurationOf("haproxy", {
      "bind :443 ": `bind 127.0.0.1:${port} `,
      "127.0.0.1:8080": service,
      "/etc/ssl/petstore.pem": certificate,
    }),
  );
  // A second file lets this test ask for the outcome of the health check.
  const admin = join(folder, "haproxy.sock");
  const own = join(folder, "own.cfg");
  writeFileSync(own, `global\n  stats socket ${admin}\n`);
  const check = async () => {
    const socket = connect(admin);
    socket.write("show stat\n");
    match(await text(socket), /^petstore,petstore,.*,L7OK,200,/m);
    console.log("ok  the health check");
  };
  return { proxy: new Program(["haproxy", "-db", "-f", own, "-f", file]), check };
});
