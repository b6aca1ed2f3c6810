// Writes the table of docs/http-clients-table.md from docs/http-clients.json (what `npm run clients` measured in sandboxes) and
// raw-server.tsv (what a raw server measured on 27 November 2026). With `--check`, fails if the table is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../server.ts";

export const DATA = join(ROOT, "docs/http-clients.json");
const PAGE = join(ROOT, "docs/http-clients-table.md");

/** What `npm run clients` measured of one client. */
export interface Measured {
  readonly language: string;
  readonly version: string;
  readonly date: string;
  readonly cells: Readonly<Record<string, string>>;
}

type Row = Readonly<Record<string, string>>;

/** The column of both sources under each heading. */
const COLUMNS = {
  "301": "R301",
  "302": "R302",
  "303": "R303",
  "307": "R307",
  "308": "R308",
  "503": "RETRY",
  GET: "CLOSE-GET",
  POST: "CLOSE-POST",
  key: "CLOSE-POST-KEY",
  first: "FRESH-GET",
  short: "CUT-LENGTH",
  chunked: "CUT-CHUNKED",
  JSON: "JSON",
  slow: "SLOW",
  cookie: "COOKIE",
  timeout: "TIMEOUT",
};

function readRawServer(): ReadonlyMap<string, Row> {
  const file = readFileSync(join(import.meta.dirname, "raw-server.tsv"), "utf8");
  const [head = [], ...lines] = file
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
  return new Map(
    lines.map((cells) => [cells[0] ?? "", Object.fromEntries(head.map((name, i) => [name, cells[i] ?? ""]))]),
  );
}

const shorten = (cell: string) => cell.replace("POST+body", "POST").replace(/ \(sent (\d+) times\)/, " ×$1");

/** A cell. It is in italics if only the raw server measured it, and has both results if they differ. */
function cellOf(column: string, own: Row, raw: Row): string {
  const other = shorten(raw[column] ?? "");
  // The rule shows timeouts of up to 30 seconds only.
  const [, seconds] = /^(\d+) s$/.exec(own["DELAY"] ?? "") ?? [];
  if (column === "TIMEOUT" && seconds) return seconds;
  const measured = own[column];
  if (measured === undefined) return other && `*${other}*`;
  const mark = other.endsWith("†") ? "†" : "";
  const isSame = ["", "n/a", shorten(measured) + mark].includes(other);
  return `${shorten(measured)}${isSame ? mark : ` (raw server: ${other})`}`;
}

function pageWithTable(): string {
  const measured = JSON.parse(readFileSync(DATA, "utf8")) as Readonly<Record<string, Measured>>;
  const rows = [...readRawServer()].map(([name, raw]) => {
    const { cells = {}, version = "" } = measured[name] ?? {};
    // The names of most clients contain their versions.
    const label = /\d/.test(name) ? name : `${name} ${version.split(" ")[1]}`;
    return [label, ...Object.values(COLUMNS).map((column) => cellOf(column, cells, raw))];
  });
  const headings = ["Client", ...Object.keys(COLUMNS)];
  const lines = [headings, headings.map(() => "-"), ...rows].map((cells) => `|${cells.join("|")}|`);
  return readFileSync(PAGE, "utf8").replace(
    /(<!-- table -->\n)[^]*(<!-- end of table -->)/,
    (_, start: string, end: string) => `${start}\n${lines.join("\n")}\n\n${end}`,
  );
}

/** Writes the table into the page. */
export function writeTable(): void {
  writeFileSync(PAGE, pageWithTable());
}

if (process.argv.includes("--check")) {
  if (pageWithTable() !== readFileSync(PAGE, "utf8")) {
    throw new Error("docs/http-clients-table.md is out of date: run `node e2e/http-clients/table.ts`.");
  }
} else if (import.meta.main) writeTable();
