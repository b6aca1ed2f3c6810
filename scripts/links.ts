// Checks that each relative link in a Markdown file leads to a file or folder, and each anchor to a heading, as GitHub names it.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import GithubSlugger from "github-slugger";
import { lexer, walkTokens } from "marked";

const pages = globSync(["*.md", "{.github,docs,findings,openapi,package}/**/*.md"]).toSorted();

function readPage(path: string) {
  const slugger = new GithubSlugger();
  const anchors = new Set<string>();
  const links: string[] = [];
  void walkTokens(lexer(readFileSync(path, "utf8")), (token) => {
    if (token.type === "heading") anchors.add(slugger.slug(token.text as string));
    if (token.type === "link" || token.type === "image") links.push(token.href as string);
  });
  return { anchors, links };
}

const read = new Map(pages.map((path) => [path, readPage(path)]));

/** Explains why a link is dead. Returns `undefined` if it works, or leads to another site. */
function problemOf(page: string, link: string): string | undefined {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [path = "", anchor] = link.split("#");
  const target = path ? join(dirname(page), path) : page;
  if (!existsSync(target)) return `${target} does not exist`;
  if (anchor && !read.get(target)?.anchors.has(anchor)) return `${target} has no heading #${anchor}`;
  return undefined;
}

for (const [page, { links }] of read) {
  for (const link of links) {
    const problem = problemOf(page, link);
    if (!problem) continue;
    console.error(`${page}: ${link}: ${problem}`);
    process.exitCode = 1;
  }
}
