// Runs the nginx of docs/operating.md in front of the command, and sends what could get past it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ROOT } from "../../scripts/programs.ts";
import { Program } from "../process.ts";
import { freePort } from "../server.ts";

const START_MS = 60_000;
const NAME = "a-store-of-an-attacker";

/** What nginx must refuse. The service would read most of it as the path of a store. */
const ATTACKS = [
  `/stores/${NAME}/v2/pet/1`,
  `//stores/${NAME}/v2/pet/1`,
  `/stores/${NAME}/v2/user/..%2f..%2f..%2f..%2fv2/x`,
  `/v2/../stores/${NAME}/v2/a%2f..%2f..%2f..%2f..%2fv2/x`,
  `/v2/%2e%2E/stores/${NAME}/v2/a%2f..%2f..%2f..%2f..%2fv2/x`,
  `/v2/x\\..\\..\\stores\\${NAME}/v2/pet/1`,
];

/** Sends a path as it is. `fetch` would resolve it. */
async function ask(origin: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  const { hostname: host, port } = new URL(origin);
  const call = get({ host, port, path, headers, agent: false });
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  return { status: answer.statusCode, body: await text(answer) };
}

/** Serves with the configuration of docs/operating.md while `use` runs, but without TLS. */
async function withNginx(
  folder: string,
  upstream: string,
  use: (origin: string) => Promise<void>,
): Promise<void> {
  const page = readFileSync(join(ROOT, "docs", "operating.md"), "utf8");
  const [, recipe = ""] = /```nginx\n([^]*?)```/.exec(page) ?? [];
  const own = mkdtempSync(join(folder, "nginx-"));
  const port = await freePort();
  const server = recipe
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
    .replace("127.0.0.1:8787", new URL(upstream).host);
  const config = join(own, "nginx.conf");
  const settings = `daemon off; user root; pid ${own}/pid; error_log stderr; events {}
http { access_log off; client_body_temp_path ${own}/body; proxy_temp_path ${own}/proxy;
${server}}`;
  writeFileSync(config, settings);
  const nginx = new Program(["nginx", "-c", config], {
    env: { PATH: `${process.env["PATH"]}:/usr/sbin` },
  });
  try {
    const origin = `http://127.0.0.1:${port}`;
    await nginx.serves(`${origin}/v2/store/inventory`, START_MS);
    await use(origin);
  } finally {
    await nginx.stop();
  }
}

/** @param direct the address of a server that serves any store */
export async function testProxy(folder: string, direct: string): Promise<void> {
  await withNginx(folder, direct, async (origin) => {
    for (const path of ["/v2/pet/1", "/api/v3/pet/1", "/docs/", "/v2/user/login?password=/../"]) {
      assert.notEqual((await ask(origin, path)).status, 404, path);
    }
    // The service answers, not nginx.
    for (const path of ["/v2/user/a..b", "/v2/user/a%2Fb", "/v2/user/login%2f"]) {
      assert.match((await ask(origin, path)).body, /"code":404/, path);
    }
    assert.equal((await ask(origin, "/v2/pet/1", { Prefer: "code=503" })).status, 200);
    for (const path of ATTACKS) {
      const { status, body } = await ask(origin, path);
      assert.deepEqual([status, /nginx/.test(body)], [404, true], path);
      assert.equal((await ask(direct, `/stores/${NAME}`)).status, 404, path);
    }
  });
}

/** Sends the attacks to a server that serves only one store. */
export async function testSingle(direct: string): Promise<void> {
  for (const path of ["/stores", ...ATTACKS]) {
    assert.equal((await ask(direct, path)).status, 404, path);
  }
}
