// Makes tables, shows progress, and writes the results into the document.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { ROOT } from "../scripts/programs.ts";

const DOCUMENT = join(ROOT, "docs", "benchmarks.md");

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

/** The middle of the numbers; of two, the lower. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[(numbers.length - 1) >> 1] ?? Number.NaN;
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

/** Says how far a long run is: one line on a terminal, a line per call elsewhere. */
export function progress(done: number, total: number, what: string): void {
  const text = `[${String(Math.floor((100 * done) / total)).padStart(3)} %] ${what}`;
  if (!process.stderr.isTTY) console.error(text);
  else process.stderr.write(`\r\x1b[K${text}${done === total ? "\n" : ""}`);
}

/** Prints results and what missed its target, and puts the results into the document, between the markers of this name. */
export function publish(name: string, text: string, missed: readonly string[]): void {
  console.log(`\n${text}\n\nMissed: ${missed.length === 0 ? "nothing." : missed.join("; ")}\n`);
  const begin = `<!-- ${name}: begin -->`;
  const end = `<!-- ${name}: end -->`;
  const document = readFileSync(DOCUMENT, "utf8");
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no markers for ${name}`);
  const narrow = text.replaceAll(/ {2,}/g, " ").replaceAll(/-{4,}/g, "---");
  writeFileSync(
    DOCUMENT,
    `${document.slice(0, from + begin.length)}\n\n${narrow}\n\n${document.slice(to)}`,
  );
}
