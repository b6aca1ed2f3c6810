// The options of the benchmarks, their progress on the terminal, and their results in docs/benchmarks.md.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../scripts/programs.ts";

const DOCUMENT = join(ROOT, "docs", "benchmarks.md");

/** The options of the command line, each with its default. */
export function optionsOf<Name extends string>(
  defaults: Readonly<Record<Name, string>>,
): Readonly<Record<Name, string>> {
  const options = Object.entries<string>(defaults).map(
    ([name, value]) => [name, { type: "string", default: value }] as const,
  );
  return parseArgs({ options: Object.fromEntries(options) }).values as Record<Name, string>;
}

/** A Markdown table, aligned for the terminal too. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (column === 0 ? (cells[column] ?? "").padEnd(width) : (cells[column] ?? "").padStart(width))).join(" | ")} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/** The median; of an even number of values, the lower of the middle two. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[(numbers.length - 1) >> 1] ?? Number.NaN;
}

/** The median of the ratios that the rounds of two series have. */
export function ratio(series: readonly number[], base: readonly number[]): number {
  return median(series.map((number, round) => number / (base[round] ?? Number.NaN)));
}

/** The geometric mean. */
export function mean(numbers: readonly number[]): number {
  return Math.exp(numbers.reduce((sum, one) => sum + Math.log(one), 0) / numbers.length);
}

/** The machine and the versions of a measurement. */
export function environment(): string {
  const { version } = createRequire(createRequire(import.meta.url).resolve("miniflare"))(
    "workerd",
  ) as { version: string };
  const [cpu] = cpus();
  const gigabytes = (totalmem() / 2 ** 30).toFixed(0);
  return `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC, ${cpu?.model.trim()}, ${cpus().length} cores, ${gigabytes} GiB of memory, Node ${process.versions.node}, workerd ${version}.`;
}

/** Shows the progress of a long run: a terminal rewrites one line, other outputs get a line per call. */
export function progress(done: number, total: number, what: string): void {
  const text = `[${String(Math.floor((100 * done) / total)).padStart(3)} %] ${what}`;
  if (!process.stderr.isTTY) console.error(text);
  else process.stderr.write(`\r\x1b[K${text}${done === total ? "\n" : ""}`);
}

interface Target {
  readonly what: string;
  readonly kind: "at least" | "at most";
  readonly limit: number;
  readonly unit?: string;
  /** Digits after the decimal point. */
  readonly digits: number;
}

const floorRatio = (what: string, limit: number): Target => {
  return { what, kind: "at least", limit, digits: 2 };
};
const milliseconds = (what: string, limit: number): Target => {
  return { what, kind: "at most", limit, unit: "ms", digits: 1 };
};

/** The targets, in the order of their table in the document. */
const TARGETS = {
  throughput: floorRatio("Throughput, ours / floor, mean over all cells", 0.95),
  reads: floorRatio("Throughput, sandbox / floor, mean of 8 and 32 connections: reads", 2.5),
  pages: floorRatio("The same: pages", 1.7),
  writes: floorRatio("The same: writes", 1.2),
  logins: floorRatio("The same: logins", 2),
  isolated: {
    what: "CPU in isolation, ours / floor, mean over the workloads",
    kind: "at most",
    limit: 1.75,
    digits: 2,
  },
  worst: milliseconds("CPU of the worst request, without uploads", 10),
  upload: milliseconds("CPU of the worst upload", 25),
  start: milliseconds("CPU of the start", 8),
  bundle: { what: "Bundle, gzipped", kind: "at most", limit: 60_000, unit: "bytes", digits: 0 },
  reset: milliseconds("Reset of a sandbox, p50", 10),
} as const satisfies Readonly<Record<string, Target>>;

/** Measured values of targets; `noise` is the throughput of the floor beside itself. */
export type Measured = Readonly<Partial<Record<keyof typeof TARGETS | "noise", number>>>;

/** The row of a target. Its last cell says how far the value is from the limit. */
function targetRow({ what, kind, limit, unit, digits }: Target, value: number, noise?: number) {
  const distance = ((kind === "at least" ? value - limit : limit - value) / limit) * 100;
  const shown = (number: number, minimumFractionDigits: number) =>
    [
      number.toLocaleString("en", { minimumFractionDigits, maximumFractionDigits: digits }),
      ...(unit === undefined ? [] : [unit]),
    ].join(" ");
  const beside = noise === undefined ? "" : `; floor / itself ${noise.toFixed(2)}`;
  return [
    what,
    `${kind} ${shown(limit, 0)}`,
    shown(value, digits) + beside,
    `${Math.abs(distance).toFixed(0)} % ${distance >= 0 ? "to spare" : kind === "at least" ? "short" : "over"}`,
  ];
}

/** The table of targets: new rows for what was measured, and the rows that it has for the others. */
function targetTable(present: string, { noise, ...measured }: Measured): string {
  const lines = present.split("\n");
  const rows = Object.entries(TARGETS).map(([name, target]) => {
    const value = measured[name as keyof typeof TARGETS];
    if (value !== undefined && !Number.isNaN(value)) {
      return targetRow(target, value, name === "throughput" ? noise : undefined);
    }
    const row = lines.find((line) => line.startsWith(`| ${target.what} |`));
    return (
      row
        ?.split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()) ?? [target.what]
    );
  });
  return table(["target", "limit", "measured", "distance"], rows);
}

/** Replaces what the document has between the markers of this name. */
function replace(document: string, name: string, make: (present: string) => string): string {
  const begin = `<!-- ${name}: begin -->`;
  const from = document.indexOf(begin) + begin.length;
  const to = document.indexOf(`<!-- ${name}: end -->`);
  if (from < begin.length || to < from) {
    throw new Error(`docs/benchmarks.md has no markers for ${name}`);
  }
  const made = make(document.slice(from, to));
  console.log(`\n${made}\n`);
  const narrow = made.replaceAll(/ {2,}/g, " ").replaceAll(/-{4,}/g, "---");
  return `${document.slice(0, from)}\n\n${narrow}\n\n${document.slice(to)}`;
}

/** Prints results, and writes them between the document's markers of this name and into its table of targets. */
export function publish(name: string, text: string, measured: Measured = {}): void {
  const document = replace(readFileSync(DOCUMENT, "utf8"), name, () => text);
  writeFileSync(
    DOCUMENT,
    replace(document, "targets", (present) => targetTable(present, measured)),
  );
}
