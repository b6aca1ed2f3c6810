// Runs what the image runs (Dockerfile), without an image.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { VARIABLES } from "../../package/variables.ts";
import { ROOT } from "../../scripts/programs.ts";
import { check } from "../check.ts";
import { freePort } from "../server.ts";
import type { Isolated } from "./command.ts";

const SCRIPT = join("node_modules", "pet-store-service", "image.js");
const NAMES = Object.keys(VARIABLES);
const BASE_PATHS = NAMES.filter((name) => VARIABLES[name] === "base path");

/** Every variable; those that name a base path have this one. */
const variablesWith = (basePath: string) =>
  Object.fromEntries(NAMES.map((name) => [name, BASE_PATHS.includes(name) ? basePath : "1"]));

/** @param start starts a program in the folder where the package is installed */
export async function testImage(
  start: (command: readonly string[], env: Readonly<Record<string, string>>) => Isolated,
): Promise<void> {
  const startWith = (env: Readonly<Record<string, string>>) =>
    start([process.execPath, SCRIPT, "--json"], env);
  for (const basePath of ["/v2", "/api/v3/", "/v1", "/v3", "/my/api", ""]) {
    const given = JSON.stringify(basePath);
    await check(`the image serves on PORT, with the base path ${given} in variables`, async () => {
      const port = String(await freePort());
      const command = startWith({ ...variablesWith(basePath), PORT: port });
      const { origin, port: served } = new URL((await command.place()).url);
      assert.equal(served, port);
      const base = `${origin}${basePath.replace(/\/$/, "") || "/v2"}`;
      const list = await fetch(`${base}/pet/findByStatus?status=available&limit=1`);
      assert.ok(list.headers.get("Link")?.startsWith(`<${new URL(base).pathname}/pet/`));
      const login = await fetch(`${base}/user/login?username=user1&password=XXXXXXXXXXX`);
      assert.ok(login.headers.get("Set-Cookie")?.includes(`; Path=${new URL(base).pathname};`));
      const first = basePath === "/api/v3/" ? `${origin}/v2` : base;
      for (const [document, url] of [
        [`${base}/openapi.json`, base],
        [`${origin}/openapi.json`, first],
      ] as const) {
        const { servers } = (await (await fetch(document)).json()) as {
          servers: { url: string }[];
        };
        assert.deepEqual(servers, [{ url }], document);
      }
      command.child.kill("SIGTERM");
      assert.equal((await command.ended()).status, 0);
    });
  }
  await check("the image refuses what is no base path, and names unknown variables", async () => {
    for (const name of BASE_PATHS) {
      for (const other of ["v2", "/", "/v2/x", "/stores", "/docs/x", "/a b", "/../x"]) {
        const { status, log } = await startWith({ PORT: "0", [name]: other }).ended();
        assert.equal(status, 2);
        assert.match(log, /^--base-path takes a path such as \/v1/);
      }
    }
    const command = startWith({ PORT: "0", SWAGGER_COLOUR: "1", OPENAPI_: "" });
    await command.place();
    command.child.kill("SIGTERM");
    const { log } = await command.ended();
    assert.match(log, /^SWAGGER_COLOUR is unknown, and changes nothing\.$/m);
    assert.match(log, /^OPENAPI_ is unknown, and changes nothing\.$/m);
  });
  await check("the command does not read the variables of the image", async () => {
    const bin = join("node_modules", ".bin", "pet-store-service");
    const command = start([bin, "--port", "0", "--json"], variablesWith("/api"));
    await command.place();
    command.child.kill("SIGTERM");
    assert.equal((await command.ended()).status, 0);
  });
  await check("docs/hosting.md lists the variables of the image", () => {
    const page = readFileSync(join(ROOT, "docs", "hosting.md"), "utf8");
    const [, table = ""] = /\n\| Variable .*\n([^]*?)\n\n/.exec(page) ?? [];
    const listed = table.split("\n").flatMap((row) => row.split("|")[1]?.match(/\w{3,}/g) ?? []);
    assert.deepEqual(listed.toSorted(), [...NAMES, "PORT"].toSorted());
  });
}
