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
  for (const basePath of ["/v2", "/api/v3/", ""]) {
    const given = JSON.stringify(basePath);
    await check(`the image serves on PORT, with the base path ${given} in variables`, async () => {
      const port = String(await freePort());
      const command = startWith({ ...variablesWith(basePath), PORT: port });
      const { origin, port: served } = new URL((await command.place()).url);
      assert.equal(served, port);
      assert.ok((await fetch(`${origin}${basePath.replace(/\/$/, "") || "/v2"}/pet/1`)).ok);
      command.child.kill("SIGTERM");
      assert.equal((await command.ended()).status, 0);
    });
  }
  await check("the image refuses another base path with a line and status 1", async () => {
    for (const name of BASE_PATHS) {
      for (const other of ["/api", "/v3", "/v2/x", "v2"]) {
        const { status, log } = await startWith({ PORT: "0", [name]: other }).ended();
        assert.equal(status, 1);
        assert.equal(
          log,
          `${name} is ${other}, but the base paths are /v2 and /api/v3. Set it to one of them, or unset it.\n`,
        );
      }
    }
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
