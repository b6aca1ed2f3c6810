// The results of the benchmarks, in docs/benchmarks.md.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { ROOT } from "../scripts/programs.ts";

const PAGE = join(ROOT, "docs", "benchmarks.md");

/** The median; of an even number of values, the lower of the middle two. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[(numbers.length - 1) >> 1] ?? Number.NaN;
}

/** The geometric mean. */
export function mean(numbers: readonly number[]): number {
  return Math.exp(numbers.reduce((sum, one) => sum + Math.log(one), 0) / numbers.length);
}

/** A Markdown table. The first column has text, the others numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = head.map((_, column) => (column === 0 ? "---" : "---:"));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Prints results, and writes them between the markers of this name in the page. */
export function publish(name: string, results: string): void {
  const [cpu] = cpus();
  const date = new Date().toISOString().slice(0, 10);
  const machine = `${date}, ${cpu?.model.trim()}, ${cpus().length} cores, Node ${process.versions.node}`;
  const text = `Measured ${machine}.\n\n${results}`;
  console.log(`\n${text}\n`);
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split(begin);
  const [, after] = (rest ?? "").split(end);
  if (after === undefined) throw new Error(`docs/benchmarks.md has no markers for ${name}`);
  writeFileSync(PAGE, `${before}${begin}\n\n${text}\n\n${end}${after}`);
}
