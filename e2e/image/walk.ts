// `node e2e/image/walk.ts <image>`: checks the files of the image, and runs it as its configuration says.
import assert from "node:assert/strict";
import { chmodSync, chownSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";
import { Program } from "../process.ts";
import { childrenOf, nameOf, residentMemory } from "../processes.ts";
import { arrivesSlowly } from "../slow.ts";
import { outputOf, runSync } from "../../scripts/programs.ts";

/** Long, because machines may be busy. */
const START_MS = 300_000;
const ORIGIN = "http://localhost:8080";
/** Build tools, and packages of Miniflare for services that we do not use. */
const NEEDLESS = ["wrangler", "esbuild", "typescript", "sharp", "@img", ".bin"];
const LARGE = "10M";

interface Configuration {
  readonly User: string;
  readonly Entrypoint: readonly string[];
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
  readonly StopSignal: NodeJS.Signals;
}

const [image = ""] = process.argv.slice(2);
const { Docker: configured } = JSON.parse(
  outputOf("buildah", ["inspect", "--type", "image", image]),
) as { readonly Docker: { readonly config: Configuration } };
const { User, Entrypoint, ExposedPorts, Healthcheck, StopSignal } = configured.config;
const [user = NaN, group = NaN] = User.split(":").map(Number);
const container = outputOf("buildah", ["from", "--pull-never", image]).trim();
const files = outputOf("buildah", ["mount", container]).trim();

/** @param variables those of the container, such as `PORT=80`, besides those of the image */
const inContainer = (command: readonly string[], variables: readonly string[] = []) => [
  "run",
  ...variables.map((variable) => `--env=${variable}`),
  container,
  "--",
  ...command,
];

/** Paths in the image that meet conditions of `find`. */
const find = (...conditions: readonly string[]) =>
  outputOf("find", [".", ...conditions], { folder: files })
    .split("\n")
    .slice(0, -1)
    .toSorted();

/** Runs the image while `use` runs, and ends it with its stop signal. @param options of the command */
async function running(
  options: readonly string[],
  use: (main: number) => Promise<void> | void,
  { origin = ORIGIN, variables = [] as readonly string[] } = {},
): Promise<void> {
  const command = inContainer([...Entrypoint, ...options], variables);
  const program = new Program(["buildah", ...command]);
  try {
    await program.serves(`${origin}/v2/openapi.json`, START_MS);
    const main = mainOf(program.child.pid);
    await use(main);
    process.kill(main, StopSignal);
    const { status, log } = await program.ended();
    assert.equal(status, 0, log);
  } finally {
    await program.stop();
  }
}

/** The first process of the image. buildah's own processes start it. */
function mainOf(pid: number | undefined): number {
  const [child] = childrenOf(pid);
  assert.ok(child);
  return nameOf(child) === "node" ? child : mainOf(child);
}

const familyOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(familyOf)];

/** Runs the health check. @returns its exit status */
function health(...variables: readonly string[]): number {
  const [kind, ...command] = Healthcheck.Test;
  assert.equal(kind, "CMD-SHELL");
  return runSync("buildah", inContainer(["sh", "-c", ...command], variables)).status;
}

async function statusOf(path: string, init?: RequestInit, origin = ORIGIN): Promise<number> {
  const answer = await fetch(`${origin}${path}`, init);
  await answer.body?.cancel();
  return answer.status;
}

/** The base paths of the interfaces. */
function basePaths(): readonly string[] {
  const { run_worker_first: paths } = readConfig({ config: "wrangler.toml" }).assets ?? {};
  assert.ok(Array.isArray(paths));
  return paths.flatMap((path) => /^(\/(?!stores\/).+)\/\*$/.exec(path)?.slice(1) ?? []);
}

function walkFiles(): void {
  assert.deepEqual([Object.keys(ExposedPorts), StopSignal], [["8080/tcp"], "SIGTERM"]);
  // With `runAsNonRoot`, Kubernetes refuses the name of a user.
  assert.ok(user > 0 && group > 0, User);
  const changeable = ["(", "-user", String(user), "-o", "-perm", "-o=w", ")", "!", "-type", "l"];
  assert.deepEqual(find("-path", "./app*", ...changeable), []);
  const names = find("-path", "./app/*").map((path) => basename(path));
  assert.deepEqual(
    NEEDLESS.filter((name) => names.includes(name)),
    [],
  );
  const [program = "", ...others] = find("-path", "./app/*", "-size", `+${LARGE}`);
  assert.equal(basename(program), "workerd");
  assert.deepEqual(others, []);
  console.log(`ok  the user may change none of ${names.length} files and folders`);
}

async function walkService(): Promise<void> {
  const own = find("-user", String(user));
  assert.notEqual(health(), 0);
  const startedAt = performance.now();
  await running([], async (main) => {
    const started = Math.round(performance.now() - startedAt);
    assert.equal(health(), 0);
    for (const path of basePaths()) assert.equal(await statusOf(`${path}/openapi.json`), 200);
    await arrivesSlowly(`${ORIGIN}/stores/pet-store-service`);
    const walked = outputOf(process.execPath, ["e2e/smoke.ts", ORIGIN]);
    const family = familyOf(main);
    assert.deepEqual(
      family.map((pid) => statSync(`/proc/${pid}`).uid),
      family.map(() => user),
    );
    const bytes = family.reduce((sum, pid) => sum + residentMemory(pid), 0);
    console.log(
      `ok  it answers after ${started} ms, and uses ${Math.round(bytes / 1e6)} MB of memory`,
    );
    console.log(`ok  the smoke test: ${walked.trim().split("\n").at(-1)}`);
  });
  // No temporary folder is left. A read-only root file system needs nothing but /tmp.
  assert.deepEqual(find("-user", String(user)), own);
  console.log(`ok  ${StopSignal} ends it, and leaves no files`);
}

async function walkOptions(): Promise<void> {
  // Kubernetes gives a volume to a group in this way.
  chownSync(join(files, "data"), 0, group);
  chmodSync(join(files, "data"), 0o2775);
  const options = ["--keep", "/data", "--access", "protected", "--api-key", "of the walk"];
  const pet = { method: "DELETE", headers: { api_key: "of the walk" } };
  await running(options, async () => {
    assert.equal(await statusOf("/v2/pet/1", { method: "DELETE" }), 401);
    assert.equal(await statusOf("/v2/pet/1", pet), 200);
  });
  await running(options, async () => assert.equal(await statusOf("/v2/pet/1", pet), 404));
  console.log("ok  it accepts options, and keeps its data in a volume");
}

async function walkVariables(): Promise<void> {
  const variables = ["PORT=8081", "SWAGGER_BASE_PATH=/v1"];
  const origin = "http://localhost:8081";
  await running(
    [],
    async () => {
      assert.equal(health("PORT=8081"), 0);
      assert.notEqual(health(), 0);
      assert.equal(await statusOf("/v1/pet/1", {}, origin), 200);
    },
    { origin, variables },
  );
  const refused = runSync("buildah", inContainer(Entrypoint, ["SWAGGER_BASE_PATH=v1"]));
  assert.notEqual(refused.status, 0);
  assert.match(refused.stderr, /^--base-path takes a path such as/);
  console.log("ok  it reads PORT and the variables of the images that it replaces");
}

walkFiles();
await walkService();
await walkOptions();
await walkVariables();
