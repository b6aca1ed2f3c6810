import { describe, expect, test } from "vitest";

/** Each folder imports only itself and folders before it. Files beside the folders come last. */
const ORDER = ["db", "auth", "http", "middleware", "pets", "orders", "users", "mcp", "sandbox", ""];

/** Imports that the order allows, but that would mix layers. */
const FORBIDDEN = [
  { of: /\/v2\.ts$/, from: /\/v3\.ts$/ },
  { of: /\/v3\.ts$/, from: /\/v2\.ts$/ },
  { of: /^auth\/|\/(?:queries|schemas|sign-up)\.ts$/, from: /^hono(?:\/|$)/ },
  { of: /^auth\/|\/(?:queries|sign-up)\.ts$/, from: /^(?:http|middleware)\// },
  { of: /^(?:pets|orders|users)\/schemas\.ts$/, from: /^(?!http\/schemas\.ts$|valibot$)/ },
  // A log entry has the rule that was used. Rules know nothing of the log.
  { of: /^sandbox\/rules\//, from: /^sandbox\/log\// },
];

const sources = import.meta.glob<string>("../src/**/*.ts", { query: "?raw", import: "default", eager: true });

/** The folder of src that contains a file: `sandbox` for `sandbox/rules/match.ts`. */
const folderOf = (file: string): string => (file.includes("/") ? (file.split("/")[0] ?? "") : "");

/** The imports of every file of src: `pets/v2.ts` imports `http/body.ts`, or `hono`. */
const imports = Object.entries(sources).flatMap(([path, source]) => {
  const file = path.replace("../src/", "");
  return Array.from(source.matchAll(/^(?:import|export|\})[^;]*? from "([^"]+)"/gms), ([, from = ""]) => ({
    file,
    from: from.startsWith(".") ? new URL(from, `file:///${file}`).pathname.slice(1) : from,
  }));
});

const isOurs = (from: string): boolean => `../src/${from}` in sources;

describe("imports run one way", () => {
  test("each folder of src has its place in the order", () => {
    expect(imports.length).toBeGreaterThan(200);
    expect(imports.map(({ file }) => folderOf(file)).filter((folder) => !ORDER.includes(folder))).toEqual([]);
  });

  test("a file imports only its own folder and folders before it", () => {
    const later = imports.filter(
      ({ file, from }) => isOurs(from) && ORDER.indexOf(folderOf(from)) > ORDER.indexOf(folderOf(file)),
    );
    expect(later).toEqual([]);
  });

  test.each(FORBIDDEN)("files $of import nothing that matches $from", ({ of, from }) => {
    expect(imports.filter((each) => of.test(each.file) && from.test(each.from))).toEqual([]);
  });
});
