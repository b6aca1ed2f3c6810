// `npm run build:package`: builds the npm package in dist/package, or in the folder that you name, and packs it next to
// that folder. The package has the command and the library, the Worker as wrangler bundles it, and its site.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { minifySync } from "rolldown/utils";
// Wrangler exports no stable way to read its configuration. Cloudflare's plugin for Vite uses this one.
import { unstable_readConfig as readConfig } from "wrangler";
import type { Packed, WorkerConfiguration } from "../package/packed.ts";
import { documentsOf } from "./openapi/documents.ts";
import { mapValues } from "./openapi/json.ts";
import { WRANGLER_ENV, outputOf } from "./programs.ts";

const [OUT = "dist/package"] = process.argv.slice(2);
const WORKER = `${OUT}.worker`;
const SITE = "dist/site";
/** The largest file. Minified once more, it makes the package 23 KB smaller. */
const SWAGGER_UI = join("vendor", "swagger-ui-bundle.js");

/** What the package takes from the project's manifest. */
interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** What this script reads of wrangler.toml. Wrangler's own type is `any`: it comes from a package that is not installed. */
interface Configuration {
  readonly compatibility_date: string;
  readonly vars: Readonly<Record<string, string>>;
  readonly durable_objects: {
    readonly bindings: readonly { readonly name: string; readonly class_name: string }[];
  };
  readonly kv_namespaces: readonly { readonly binding: string }[];
  readonly r2_buckets: readonly { readonly binding: string }[];
  readonly ratelimits: readonly { readonly name: string }[];
  readonly assets: { readonly run_worker_first: string[]; readonly binding: string };
}

/** One character for each byte. */
function bytesOf(file: string): string {
  if (!file.endsWith(SWAGGER_UI)) return readFileSync(file, "latin1");
  const { code, errors } = minifySync(file, readFileSync(file, "utf8"), { mangle: true });
  if (errors.length > 0) throw new AggregateError(errors, file);
  return Buffer.from(code).toString("latin1");
}

/**
 * The store that the package serves at `/v2` belongs to the user, and records each request. So the documentation
 * must not send any of its own.
 */
const ownIn = (page: string) =>
  page.replace('<html lang="en" data-store="shared">', '<html lang="en" data-store="own">');

/** Bundles the Worker, and writes the part of its configuration that is the same everywhere. */
function buildWorker(): void {
  // This also builds the site.
  outputOf("wrangler", ["deploy", "--dry-run", "--env", "local", "--outdir", WORKER], {
    env: WRANGLER_ENV,
  });
  const config: Configuration = readConfig({ config: "wrangler.toml", env: "local" });
  const { run_worker_first, binding } = config.assets;
  const configuration: WorkerConfiguration = {
    compatibilityDate: config.compatibility_date,
    bindings: config.vars,
    durableObjects: Object.fromEntries(
      config.durable_objects.bindings.map(({ name, class_name }) => [
        name,
        // Otherwise workerd would evict a sandbox after ten idle seconds, and its log with it.
        { className: class_name, useSQLite: true, unsafePreventEviction: true },
      ]),
    ),
    kvNamespaces: config.kv_namespaces.map((namespace) => namespace.binding),
    r2Buckets: config.r2_buckets.map((bucket) => bucket.binding),
    ratelimits: config.ratelimits.map(({ name }) => name),
    assets: { run_worker_first, binding },
  };
  writeFileSync(`${WORKER}/worker.json`, JSON.stringify(configuration));
}

/** The documents as files, with one character for each byte. */
const documentsFor = (access: "open" | "protected") =>
  mapValues(documentsOf(access), (text) => Buffer.from(text).toString("latin1"));

/** Packs the Worker and its site, with a version of each document for both kinds of access. */
function pack(): void {
  const paths = readdirSync(SITE, { recursive: true, encoding: "utf8" })
    .filter((path) => statSync(join(SITE, path)).isFile())
    .map((path) => path.replaceAll("\\", "/"));
  const documents = { open: documentsFor("open"), protected: documentsFor("protected") };
  const worker = readdirSync(WORKER).filter((name) => /\.(?:js|json|sql)$/.test(name));
  const packed: Packed = {
    worker: Object.fromEntries(worker.map((name) => [name, bytesOf(join(WORKER, name))])),
    files: Object.fromEntries(
      paths
        .filter((path) => !(path in documents.open))
        .map((path) => [path, ownIn(bytesOf(join(SITE, path)))]),
    ),
    documents,
  };
  const text = Buffer.from(JSON.stringify(packed), "latin1");
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  };
  writeFileSync(`${OUT}/packed.br`, brotliCompressSync(text, { params }));
}

/**
 * The links to the source. npm accepts a provenance only if the package names the repository that publishes it,
 * which is known only in GitHub's workflows.
 */
function addresses() {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
  if (GITHUB_REPOSITORY === undefined) return {};
  const url = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`;
  return {
    homepage: `${url}#readme`,
    bugs: { url: `${url}/issues` },
    repository: { type: "git", url: `git+${url}.git` },
  };
}

function writeManifest(): void {
  const project = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
  const manifest = JSON.parse(readFileSync("package/package.json", "utf8")) as object;
  const { version, license, devDependencies } = project;
  const published = {
    ...manifest,
    version,
    license,
    ...addresses(),
    dependencies: { miniflare: devDependencies["miniflare"] },
  };
  writeFileSync(`${OUT}/package.json`, `${JSON.stringify(published, null, 2)}\n`);
}

let step = 0;
const begin = (what: string) => console.log(`${++step}/4  ${what} …`);

rmSync(OUT, { recursive: true, force: true });
rmSync(WORKER, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
begin("Bundling the Worker and its pages");
buildWorker();
begin("Compressing them");
pack();
begin("Compiling the command and the library");
outputOf("tsc", ["-p", "package", "--outDir", OUT]);
chmodSync(`${OUT}/command.js`, 0o755);
writeManifest();
cpSync("package/README.md", `${OUT}/README.md`);
cpSync("LICENSE", `${OUT}/LICENSE`);

const folder = dirname(OUT);
begin("Packing");
const packed = outputOf("npm", ["pack", "--json", resolve(OUT), "--pack-destination", folder]);
const [{ filename, size }] = JSON.parse(packed) as [{ filename: string; size: number }];
const tarball = resolve(folder, filename);
console.log(`Built and packed ${tarball} (${Math.round(size / 1000)} KB). To use it in a project:

  npm install --save-dev ${tarball}
`);
