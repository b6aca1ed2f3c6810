import { expect, test } from "vitest";
import { D1_ONLY_FILES, D1_ONLY_TESTS } from "./d1-only.ts";

const SOURCES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(
    import.meta.glob<string>("./**/*.test.ts", { query: "?raw", import: "default", eager: true }),
  ).map(([path, source]) => [path.replace("./", "test/"), source]),
);

const patternOf = (glob: string) =>
  new RegExp(`^${glob.replaceAll(".", "\\.").replaceAll("**", "*").replaceAll("*", ".*")}$`);

test.each(Object.keys(D1_ONLY_FILES))("what is for D1 alone exists: %s", (glob) => {
  expect(Object.keys(SOURCES).filter((file) => patternOf(glob).test(file))).not.toEqual([]);
});

test.each(
  Object.entries(D1_ONLY_TESTS).flatMap(([file, tests]) =>
    Object.keys(tests).map((name) => [file, name] as const),
  ),
)("what is for D1 alone exists: %s, %s", (file, name) => {
  for (const part of name.split(" > ")) expect(SOURCES[file]).toContain(part);
});
