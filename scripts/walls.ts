// Part of `npm run check`: which files of src/ may import which, types included (docs/architecture.md). `node
// scripts/walls.ts <folder>` checks another copy of src/.
import { readFileSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { Visitor, parseSync } from "rolldown/utils";

/** Each room: its files, and the rooms and packages that they may import. A file is in the first room that matches it. */
const ROOMS: Readonly<Record<string, readonly [files: RegExp, imports: string]>> = {
  platform: [/^platform\//, "platform"],
  db: [/^db\//, "platform db migrations drizzle-orm"],
  services: [/^services\.ts$/, "platform db"],
  http: [/^http\//, "platform db services http hono valibot"],
  // What a resource is and how it is shown.
  contracts: [
    /^(pet|store|user)\/(contract|order|passwords|pet|show|user)\.ts$/,
    "platform services http contracts valibot",
  ],
  queries: [
    /^(pet|store|user)\/(.*queries|pages|row)\.ts$/,
    "platform db contracts queries drizzle-orm",
  ],
  // No handlers: a feature calls another's queries.
  handlers: [
    /^(pet|store|user)\/handlers\.ts$/,
    "platform services http contracts queries features",
  ],
  features: [/^(pet|store|user)\//, "platform db services http contracts queries features"],
  petstore3Contract: [/^petstore3\/contract\.ts$/, "http contracts valibot"],
  petstore3: [/^petstore3\//, "http handlers petstore3Contract"],
  routes: [/^routes\.ts$/, "http handlers petstore3"],
  app: [/^app\.ts$/, "platform http features routes hono"],
  sandboxContract: [/^sandbox\/contract\.ts$/, "http contracts valibot"],
  // The life of a sandbox knows neither what can be done to its requests nor the app.
  life: [
    /^sandbox\/(classic|data|database|sandbox|sessions)\.ts$/,
    "platform db services http contracts queries features sandboxContract life valibot",
  ],
  faults: [
    /^sandbox\/faults\//,
    "platform http features routes sandboxContract life faults hono valibot",
  ],
  record: [
    /^sandbox\/record\//,
    "platform http sandboxContract life faults record package.json valibot",
  ],
  object: [
    /^sandbox\/object\.ts$/,
    "platform db http app life faults record sandbox cloudflare:workers hono",
  ],
  sandbox: [
    /^sandbox\//,
    "platform http features handlers routes sandboxContract life faults record sandbox",
  ],
  assets: [/^assets\//, "http routes valibot"],
  worker: [
    /^worker\.ts$/,
    "platform db http features app faults sandbox assets cloudflare:workers",
  ],
  index: [/^index\.ts$/, "db features object worker"],
};

const [SRC = "src"] = process.argv.slice(2);

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

/** The files and packages that a file imports: paths in `SRC`, or the names of modules. */
function importsOf(file: string): string[] {
  const found = new Set<string>();
  const note = ({ source }: { readonly source: object | null }) => {
    if (!source || !("value" in source)) return;
    const name = String(source.value);
    found.add(name.startsWith(".") ? posix.join(posix.dirname(file), name) : name);
  };
  const { program } = parseSync(file, readFileSync(join(SRC, file), "utf8"));
  new Visitor({
    ImportDeclaration: note,
    ImportExpression: note,
    ExportNamedDeclaration: note,
    ExportAllDeclaration: note,
    TSImportType: note,
  }).visit(program);
  return [...found];
}

/** The room of a file, or the package of a module. */
function roomOf(path: string): string {
  const [room] = Object.entries(ROOMS).find(([, [files]]) => files.test(path)) ?? [];
  const [name = ""] = path.replace(/^(\.\.\/)+/, "").split("/");
  return room ?? name;
}

const graph = new Map(
  readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
    .map((file) => [file, importsOf(file)]),
);

for (const [file, imports] of graph) {
  const [, allowed] = ROOMS[roomOf(file)] ?? [];
  if (allowed === undefined) fail(`src/${file} is in no room of scripts/walls.ts`);
  for (const path of imports) {
    if (allowed?.split(" ").includes(roomOf(path))) continue;
    fail(`src/${file} may not import ${path}: ${roomOf(file)} does not know ${roomOf(path)}`);
  }
}

const checked = new Set<string>();

/** Fails if an import leads back to a file on the way. */
function follow(file: string, way: readonly string[]): void {
  const here = [...way, file];
  if (way.includes(file)) fail(`imports in a circle: ${here.slice(way.indexOf(file)).join(" → ")}`);
  if (checked.has(file)) return;
  checked.add(file);
  for (const path of graph.get(file) ?? []) follow(path, here);
}
for (const file of graph.keys()) follow(file, []);
