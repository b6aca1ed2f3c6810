// `npm run generate` writes the files that are made from others: all of them, or with `-- documents` only these. With
// --check it writes nothing, and fails if a file is out of date.
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { extname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { withServer } from "../e2e/server.ts";
import { SESSIONS, documentWith } from "../e2e/session.ts";
import { located } from "../src/assets/documents.ts";
import { CommandError } from "./command.ts";
import { documentsOf } from "./openapi/documents.ts";
import { MissingFact, unusedFacts } from "./openapi/facts.ts";
import { outputOf } from "./programs.ts";

/** A path and the text that belongs there. */
type File = readonly [path: string, text: string];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: "boolean", default: false } },
});

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

const BINDINGS = "src/worker-configuration.d.ts";

/** The types of the bindings in wrangler.toml. Wrangler itself compares and writes them. */
function bindings(): File[] {
  const before = readFileSync(BINDINGS, "utf8");
  const options = ["--include-runtime=false", "--strict-vars=false"];
  const check = values.check ? ["--check"] : [];
  outputOf("wrangler", ["types", ...check, ...options, BINDINGS]);
  // If the entry does not compile, wrangler succeeds, and leaves out its classes.
  if (!readFileSync(BINDINGS, "utf8").includes("mainModule")) {
    writeFileSync(BINDINGS, before);
    throw new CommandError("src/index.ts does not compile, so wrangler cannot write its types");
  }
  return [];
}

/** With --check, fails if the schema has a change that no migration has. `npm run migration` writes one. */
function migrations(): File[] {
  if (values.check && isMigrationMissing()) {
    fail("src/db has a change without a migration: run `npm run migration`");
  }
  return [];
}

/** Whether drizzle-kit would generate another migration. */
function isMigrationMissing(): boolean {
  const copy = mkdtempSync(join(tmpdir(), "migrations-"));
  try {
    cpSync("migrations", copy, { recursive: true });
    const schema = ["--dialect", "sqlite", "--schema", "./src/db/schema.ts"];
    // drizzle-kit puts "./" before the folder.
    outputOf("drizzle-kit", ["generate", ...schema, "--out", relative("", copy)]);
    return readdirSync(copy).length > readdirSync("migrations").length;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** The documents of the interface, as `npm start` serves them. */
function documents(): File[] {
  const texts = documentsOf("open");
  // Uses the facts that only these documents have.
  documentsOf("protected");
  const unused = unusedFacts();
  if (unused.length > 0) fail(`in scripts/openapi, but not used: ${unused.join(", ")}`);
  const served = {
    "openapi.json": "v2/openapi.json",
    "swagger.json": "v2/swagger.json",
    "petstore3.json": "api/v3/openapi.json",
  };
  return Object.entries(served).map(([file, path]) => [
    `docs/api/${file}`,
    located(texts[path] ?? "", new URL("http://localhost:8787")),
  ]);
}

const QUOTE = /^(<!-- (examples\/\S+) -->\n\n```)\w+\n[^]*?\n(```)$/gm;

/** The pages that quote examples: after `<!-- examples/client.js -->`, a code block shows that file. */
function quotes(): File[] {
  const pages = readdirSync("docs").filter((name) => name.endsWith(".md"));
  return ["README.md", ...pages.map((name) => `docs/${name}`)].map((page) => [
    page,
    readFileSync(page, "utf8").replaceAll(
      QUOTE,
      (_, opening: string, file: string, closing: string) =>
        `${opening}${extname(file).replace(/^\.[cm]?/, "")}\n${readFileSync(file, "utf8").trimEnd()}\n${closing}`,
    ),
  ]);
}

/** The pages that show a session in a terminal, with what its commands print. Random values stay as they are. */
async function sessions(): Promise<File[]> {
  const pages: File[] = [];
  for (const page of SESSIONS) {
    // Each session begins with a new store, which has the classic data.
    const text = await withServer(async (origin) => documentWith(page, origin), { args: [] });
    pages.push([page, text]);
  }
  return pages;
}

const GENERATORS: Readonly<Record<string, () => File[] | Promise<File[]>>> = {
  bindings,
  migrations,
  documents,
  quotes,
  sessions,
};

try {
  for (const name of positionals.length > 0 ? positionals : Object.keys(GENERATORS)) {
    const generate = GENERATORS[name];
    if (!generate) {
      throw new CommandError(`${name} is none of ${Object.keys(GENERATORS).join(", ")}`);
    }
    for (const [file, text] of await generate()) {
      if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
      if (values.check) fail(`${file} is out of date: run \`npm run generate\``);
      else writeFileSync(file, text);
    }
  }
} catch (error) {
  if (!(error instanceof MissingFact || error instanceof CommandError)) throw error;
  fail(error.message);
}
