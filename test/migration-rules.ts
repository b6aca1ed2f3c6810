// The rules for a migration. D1 splits it into statements on the server, and recognises triggers by their text: see the
// open issues 10998, 15314 and 15690 of cloudflare/workers-sdk, and 3892 and 4713 for comments. And `wrangler d1
// export` writes triggers before views, each row as one statement.

/** D1 refuses longer statements. */
const LONGEST_STATEMENT_BYTES = 100_000;

const KEYWORDS = new Set(
  `abort after and as before begin between by case create delete distinct each else end exists fail for from glob group
  having if ignore in insert instead into is join left like limit not null of offset on or order raise replace row
  select set temp temporary then trigger union update values when where with`.split(/\s+/),
);

const TOKEN =
  /(?<comment>--[^\n]*|\/\*[^]*?(?:\*\/|$))|(?<quoted>(?<quote>['"`])(?:(?!\k<quote>)[^]|\k<quote>{2})*\k<quote>)|(?<word>[A-Za-z_]\w*)|(?<end>;)|\S/g;

/** What is wrong with the SQL of a migration, for D1 or for a restore. Empty if nothing is wrong. */
export function faultsOf(sql: string): string[] {
  const faults = new Set<string>();
  if (sql.includes("\r")) faults.add("a line that ends with CR LF");
  let words: string[] = [];
  let begins = 0;
  let start: number | undefined;
  const isTrigger = () => /^CREATE (?:TEMP (?:ORARY )?)?TRIGGER\b/i.test(words.join(" "));
  for (const { groups = {}, index, 0: token } of sql.matchAll(TOKEN)) {
    const { comment, quoted, word, end } = groups;
    if (comment !== undefined) {
      if (start !== undefined) faults.add("a comment within a statement");
      if (!comment.startsWith("--")) faults.add("a comment that does not begin with --");
      if (/['"`;]/.test(comment)) faults.add("a quote or a semicolon in a comment");
      continue;
    }
    start ??= index;
    if (quoted?.includes(";")) faults.add("a semicolon within quotes");
    if (word !== undefined) {
      words.push(word);
      const isKeyword = KEYWORDS.has(word.toLowerCase());
      if (isTrigger() && isKeyword && words.some((each) => isLowerKeyword(each))) {
        faults.add("a keyword in lower case in a trigger");
      }
      const upper = word.toUpperCase();
      if (upper === "BEGIN") begins += 1;
      if (isTrigger() && upper === "CASE") faults.add("CASE in a trigger");
      if (isTrigger() && upper === "INSTEAD") faults.add("a trigger on a view");
    }
    const isOver = !isTrigger() || words.at(-1)?.toUpperCase() === "END";
    if (end === undefined || !isOver) continue;
    if (isTrigger() && begins !== 1) faults.add("a trigger without one BEGIN");
    const bytes = new TextEncoder().encode(sql.slice(start, index + token.length)).length;
    if (bytes > LONGEST_STATEMENT_BYTES) faults.add("a statement of more than 100 KB");
    [words, begins, start] = [[], 0, undefined];
  }
  if (start !== undefined) faults.add("a statement without its end");
  return [...faults];
}

const isLowerKeyword = (word: string) =>
  KEYWORDS.has(word.toLowerCase()) && word !== word.toUpperCase();
