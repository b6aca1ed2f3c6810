/** Returns the inline code in the first column of a section's tables. @param heading such as `## Operations` */
export function listTableCodes(page: string, heading: string): string[] {
  const [, section = ""] = page.split(`\n${heading}\n`);
  const [level = ""] = heading.split(" ");
  const rows = section
    .split(`\n${level} `, 1)
    .flatMap((text) => text.split("\n").filter((line) => line.startsWith("|")));
  return rows.flatMap((row) => (row.split("|")[1] ?? "").split("`").filter((_, index) => index % 2 === 1));
}
