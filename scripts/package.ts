// `npm run build:package`: builds the npm package in dist/package, and packs it beside that folder.
import { chmodSync, cpSync, globSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";
// Wrangler has no stable way to read its configuration.
import { unstable_readConfig as readConfig } from "wrangler";
import project from "../package.json" with { type: "json" };
import template from "../package/package.json" with { type: "json" };
import type { Configuration } from "../package/serve.ts";
import { run } from "./run.ts";

const OUT = "dist/package";
const WORKER = "dist/package-worker";
const TYPES = "dist/package-types";

for (const folder of [OUT, WORKER, TYPES]) rmSync(folder, { recursive: true, force: true });

// The Worker and its assets. Wrangler builds dist/site, too.
run("wrangler", "deploy", "package/worker.ts", "--dry-run", "--env", "local", "--outdir", WORKER);
for (const name of globSync(["*.js", "*.sql"], { cwd: WORKER })) {
  cpSync(join(WORKER, name), join(OUT, "worker", name));
}
cpSync("dist/site", join(OUT, "site"), { recursive: true });
cpSync("migrations", join(OUT, "migrations"), { recursive: true });
const config = readConfig({ config: "wrangler.toml", env: "local" });

const limitsOf = (env: string, wanted: RegExp): Configuration["limits"] => {
  const { ratelimits } = readConfig({ config: "wrangler.toml", env });
  const limits: Configuration["limits"] = {};
  for (const { name, namespace_id, simple } of ratelimits)
    if (wanted.test(name)) limits[name] = { namespace_id, simple };
  return limits;
};

const configuration: Configuration = {
  compatibilityDate: config.compatibility_date ?? "",
  compatibilityFlags: config.compatibility_flags,
  vars: config.vars as Configuration["vars"],
  // Those that the Worker does not come before: "!/docs/*".
  pages: [config.assets?.run_worker_first ?? []].flat().flatMap((path) => /^!(.*)\*$/.exec(String(path))?.[1] ?? []),
  limits: limitsOf("local", /^NEW_SANDBOXES$/),
  attempts: limitsOf("", /^LOGINS/),
};
writeFileSync(join(OUT, "worker.json"), JSON.stringify(configuration));

// The command, the library and the server. They contain what they use of src/.
await build({
  input: ["command", "index", "serve"].map((name) => `package/${name}.ts`),
  external: ["miniflare"],
  platform: "node",
  output: { dir: OUT, chunkFileNames: "[name].js" },
});
chmodSync(join(OUT, "command.js"), 0o755);
run("tsc", "-p", "package/tsconfig.types.json");
for (const name of ["index.d.ts", "types.d.ts"]) cpSync(join(TYPES, "package", name), join(OUT, name));

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
const manifest = {
  ...template,
  version: project.version,
  license: project.license,
  // npm accepts a provenance only if the package names the repository that publishes it.
  ...(GITHUB_REPOSITORY !== undefined && {
    repository: { type: "git", url: `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git` },
  }),
  dependencies: { miniflare: project.devDependencies.miniflare },
};
writeFileSync(join(OUT, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
cpSync("package/README.md", join(OUT, "README.md"));
cpSync("LICENSE", join(OUT, "LICENSE"));
run("npm", "pack", `./${OUT}`, "--pack-destination", "dist");
console.log(`Packed dist/pet-store-service-${project.version}.tgz. To use it: npm install --save-dev <that file>`);
