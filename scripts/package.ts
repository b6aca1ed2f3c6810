// `npm run build:package`: builds the npm package in dist/package, and packs it next to that folder.
import { chmodSync, cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseEnv } from "node:util";
import { build } from "rolldown";
// Wrangler has no stable way to read its configuration.
import { unstable_readConfig as readConfig } from "wrangler";
import project from "../package.json" with { type: "json" };
import template from "../package/package.json" with { type: "json" };
import { thirdPartyNotices } from "./notices.ts";
import { run } from "./run.ts";
import { VENDOR } from "./vendor.ts";

/** The Worker's Durable Objects by binding. */
const CLASSES = { STORE: "Store", SANDBOXES: "Sandbox", FILES: "Files" };

const OUT = "dist/package";
const WORKER = "dist/package-worker";
const TYPES = "dist/package-types";

for (const folder of [OUT, WORKER, TYPES]) rmSync(folder, { recursive: true, force: true });

// The Worker and its assets. Wrangler builds dist/site, too.
const METAFILE = join(WORKER, "metafile.json");
run("wrangler", "deploy", "package/worker.ts", "--dry-run", `--metafile=${METAFILE}`, "--outdir", WORKER);
const modules = globSync(["*.js", "*.sql"], { cwd: WORKER }).toSorted();
for (const name of modules) cpSync(join(WORKER, name), join(OUT, "worker", name));
cpSync("dist/site", join(OUT, "site"), { recursive: true, filter: (path) => !path.endsWith("_headers") });

const config = readConfig({ config: "wrangler.toml" });
// As `wrangler dev` does. The package limits password attempts, whatever `RATE_LIMITS` says.
const vars = { ...config.vars, ...parseEnv(readFileSync(".dev.vars", "utf8")), RATE_LIMITS: "on" };
/** The limits of password attempts by name. */
const limits: Record<string, object> = {};
for (const { name, simple } of config.ratelimits) if (name.startsWith("LOGINS")) limits[name] = simple;
// The pages that come before the Worker: "!/docs/*".
const pages = [config.assets?.run_worker_first ?? []]
  .flat()
  .flatMap((path) => /^!(.*)\*$/.exec(String(path))?.[1] ?? []);
const site = {
  headers: `${readFileSync("dist/site/_headers", "utf8")}
# workerd does not know this type.
/documents/*.yaml
  Content-Type: text/yaml; charset=utf-8
`,
};

// Strings in Cap'n Proto's text format are escaped like those in JSON, as long as they are printable ASCII.
const text = (value: unknown) => JSON.stringify(value);
const list = (items: readonly string[]) => `[\n    ${items.join(",\n    ")},\n  ]`;
const date = text(config.compatibility_date);

writeFileSync(
  join(OUT, "config.capnp"),
  `# What varies are options of \`workerd serve\`: the socket's address, the folder of \`data\`, and where settings.json is.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "data", disk = (writable = true)),
    (name = "site", assets = (path = "site", compatibilityDate = ${date}, config = ${text(text(site))})),
  ],
  sockets = [(name = "http", http = (), service = "main")],
  logging = (structuredLogging = true),
);

const main :Workerd.Worker = (
  compatibilityDate = ${date},
  compatibilityFlags = ${list((config.compatibility_flags ?? []).map(text))},
  modules = ${list(
    // The entry comes first.
    modules
      .toSorted((name) => (name.endsWith(".js") ? -1 : 1))
      .map((name) => {
        const kind = name.endsWith(".js") ? "esModule" : "text";
        return `(name = ${text(name)}, ${kind} = embed ${text(`worker/${name}`)})`;
      }),
  )},
  bindings = ${list([
    `(name = "SETTINGS", json = embed "/settings.json")`,
    `(name = "ASSETS", service = "site")`,
    ...Object.entries(CLASSES).map(([name, type]) => `(name = "${name}", durableObjectNamespace = "${type}")`),
    ...Object.entries(vars).map(([name, value]) => `(name = ${text(name)}, text = ${text(value)})`),
    `(name = "LIMITS", json = ${text(text(limits))})`,
    `(name = "PAGES", json = ${text(text(pages))})`,
  ])},
  durableObjectNamespaces = ${list(
    // The unique key is the name of a folder in the data, so it must never change.
    Object.values(CLASSES).map((type) => {
      // Sandboxes must be evicted, or all of them would stay in memory.
      const eviction = type === "Store" ? ", preventEviction = true" : "";
      return `(className = "${type}", uniqueKey = "${type}", enableSql = true${eviction})`;
    }),
  )},
  durableObjectStorage = (localDisk = "data"),
);
`,
);

// The command and the library. They contain what they use of src/.
const { output } = await build({
  input: ["command", "index"].map((name) => `package/${name}.ts`),
  external: ["workerd"],
  platform: "node",
  output: { dir: OUT, chunkFileNames: "[name].js" },
});
chmodSync(join(OUT, "command.js"), 0o755);
run("tsc", "-p", "package/tsconfig.types.json");
for (const name of ["index.d.ts", "types.d.ts"]) cpSync(join(TYPES, "package", name), join(OUT, name));

const { inputs } = JSON.parse(readFileSync(METAFILE, "utf8")) as { readonly inputs: Readonly<Record<string, unknown>> };
const bundled = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
const vendor = VENDOR.map((file) => join("node_modules", file));
const distributed = [...Object.keys(inputs), ...bundled, ...vendor].map((file) => relative(".", file));
writeFileSync(join(OUT, "THIRD_PARTY_NOTICES"), thirdPartyNotices(distributed));

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
const manifest = {
  ...template,
  version: project.version,
  license: project.license,
  // npm accepts a provenance only if the package names the repository that publishes it.
  ...(GITHUB_REPOSITORY !== undefined && {
    repository: { type: "git", url: `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git` },
  }),
  dependencies: { workerd: project.devDependencies.workerd },
};
writeFileSync(join(OUT, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
cpSync("package/README.md", join(OUT, "README.md"));
cpSync("LICENSE", join(OUT, "LICENSE"));
run("npm", "pack", `./${OUT}`, "--pack-destination", "dist");
console.log(`Packed dist/pet-store-service-${project.version}.tgz. To use it: npm install --save-dev <that file>`);
