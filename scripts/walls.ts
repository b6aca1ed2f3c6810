// Part of `npm run check`: which files of src/ may import which, types included (docs/architecture.md). The linter
// refuses circles, and types by `import("…")`. `node scripts/walls.ts <folder>` checks another copy of src/.
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parseSync } from "rolldown/utils";

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

/** The room of a file, or the package of a module. */
function roomOf(path: string): string {
  const [room] = Object.entries(ROOMS).find(([, [files]]) => files.test(path)) ?? [];
  const [name = ""] = path.replace(/^(\.\.\/)+/, "").split("/");
  return room ?? name;
}

/** The files and packages that a file imports: paths in `SRC`, or the names of modules. */
function importsOf(file: string): Set<string> {
  const source = readFileSync(join(SRC, file), "utf8");
  const { staticImports, dynamicImports, staticExports } = parseSync(file, source).module;
  const exported = staticExports.flatMap(({ entries }) => entries);
  const quoted = [...staticImports, ...dynamicImports, ...exported].flatMap(
    ({ moduleRequest }) => moduleRequest ?? [],
  );
  const names = quoted.map(({ start, end }) => source.slice(start + 1, end - 1));
  return new Set(
    names.map((name) => (name.startsWith(".") ? posix.join(posix.dirname(file), name) : name)),
  );
}

const faults: string[] = [];
const files = globSync("**/*.ts", { cwd: SRC, exclude: ["**/*.d.ts"] });
for (const file of files.map((path) => path.replaceAll("\\", "/"))) {
  const room = roomOf(file);
  const [, allowed] = ROOMS[room] ?? [];
  if (allowed === undefined) faults.push(`src/${file} is in no room of scripts/walls.ts`);
  for (const path of importsOf(file)) {
    if (allowed?.split(" ").includes(roomOf(path))) continue;
    faults.push(`src/${file} may not import ${path}: ${room} does not know ${roomOf(path)}`);
  }
}
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exitCode = 1;
}
