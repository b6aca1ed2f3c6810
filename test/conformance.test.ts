/// <reference types="vite/client" />
import { describe, expect, test } from "vitest";
import doc from "../docs/conformance.md?raw";

const sources = Object.entries(
  import.meta.glob<string>("./**/*.test.ts", { query: "?raw", import: "default", eager: true }),
).map(([path, source]) => [path.replace("./", "test/"), source] as const);

/** The operations of SPEC §4. */
const OPERATIONS = [
  "POST /pet",
  "PUT /pet",
  "GET /pet/findByStatus",
  "GET /pet/findByTags",
  "GET /pet/{petId}",
  "DELETE /pet/{petId}",
  "GET /store/inventory",
  "POST /store/order",
  "GET /store/order/{orderId}",
  "DELETE /store/order/{orderId}",
  "POST /user",
  "GET /user/login",
  "GET /user/logout",
  "GET /user/{username}",
  "PUT /user/{username}",
  "DELETE /user/{username}",
];

/** The errors of SPEC §7. */
const ERRORS = [
  "POST /pet 405",
  "PUT /pet 400",
  "PUT /pet 404",
  "PUT /pet 405",
  "GET /pet/findByStatus 400",
  "GET /pet/findByTags 400",
  "GET /pet/{petId} 400",
  "GET /pet/{petId} 404",
  "DELETE /pet/{petId} 400",
  "DELETE /pet/{petId} 404",
  "POST /store/order 400",
  "GET /store/order/{orderId} 400",
  "GET /store/order/{orderId} 404",
  "DELETE /store/order/{orderId} 400",
  "DELETE /store/order/{orderId} 404",
  "GET /user/login 400",
  "GET /user/{username} 400",
  "GET /user/{username} 404",
  "PUT /user/{username} 400",
  "PUT /user/{username} 404",
  "DELETE /user/{username} 400",
  "DELETE /user/{username} 404",
];

/** What the other tables answer, so that no row vanishes unnoticed. */
const POINTS: Readonly<Record<string, readonly string[]>> = {
  "SPEC 2": [
    "Pet id",
    "Pet name",
    "Pet photoUrls",
    "Pet status",
    "Other Pet fields",
    "Order id",
    "Order petId",
    "Order quantity",
    "Order shipDate",
    "Order status",
    "Order complete",
    "User id",
    "User username",
    "User firstName",
    "User lastName",
    "User email",
    "User password",
    "User phone",
    "User userStatus",
    "Inventory",
  ],
  "SPEC 8": ["Order ids for look-up", "Rate limits: not shown", "Size limits: not shown"],
  "SPEC 9": ["Interface version", "Prefix"],
  "CONTRACT 1": [
    "Base path",
    "Trailing slash",
    "Unknown path",
    "Known path, other method",
    "HEAD",
    "OPTIONS",
    "CORS preflight",
    "Every 405 carries Allow",
    "Path ids: form",
    "Path ids: an integer that nothing has",
    "Path ids: GET /store/order/{orderId}",
    "Path ids: DELETE /store/order/{orderId}",
    "Ids in bodies: range",
    "Ids in bodies: left out, null or 0",
    "Ids in bodies: anything else",
    "Generated ids: order",
    "Generated ids: concurrency",
    "Generated ids: reuse",
    "Generated ids: ids that clients chose",
    "Generated ids: orders",
  ],
  "CONTRACT 2": [
    "Media type",
    "Another media type",
    "Malformed JSON",
    "Invalid UTF-8",
    "Empty or absent body",
    "Not an object",
    "Nesting too deep to parse",
    "Size",
    "Size: rows when exported",
    "Arrays",
    "A body that is not going to be read",
    "Unknown members",
    "__proto__ and the like",
    "null on an optional member",
    "null on a required member",
    "Strings: characters",
    "Strings: length",
    "No coercion",
    'Success with "no body shown"',
    "message of POST /user and PUT /user/{username}",
    "message of deletes of pets and orders",
    "message of DELETE /user/{username}",
    "message of logout",
    "message of login",
    "Errors: shape",
    "Errors: message",
    "Errors: errors",
    "Errors: internals",
  ],
  "CONTRACT 3": [
    "name",
    "photoUrls: required",
    "photoUrls: forms",
    "photoUrls: answer",
    "photoUrls: items",
    "photoUrls: javascript:, data:",
    "photoUrls: empty array",
    "photoUrls: empty string",
    "status",
    "tags",
    "tags: a plain string",
    "category",
    "POST, id taken, same content",
    "POST, id taken, other content",
    "POST never overwrites",
    "PUT: first, the body is well-formed",
    "PUT: then id is present and valid",
    "PUT: then the fields",
    "PUT: then the pet exists",
    "PUT replaces the whole pet",
    "PUT never creates",
    "findByStatus: parameters",
    "findByStatus: missing, empty or unknown item",
    "findByStatus: answer",
    "findByTags: parameters",
    "findByTags: missing or empty item",
    "findByTags: match",
    "findByTags: answer",
    "Lists are right after every write",
    "Long lists: without limit",
    "Long lists: memory",
    "Long lists: bytes of a page",
    "Long lists: rows of a page by tags",
    "Long lists: limit and after",
    "Long lists: Link",
    "Long lists: a bad limit or after",
    "DELETE",
  ],
  "CONTRACT 4": [
    "Inventory: content",
    "Inventory: keys",
    "Inventory: exactness",
    "Inventory: cost",
    "Order: {}",
    "Order: an absent body",
    "petId",
    "quantity",
    "shipDate: form",
    "shipDate: answer",
    "status",
    "complete",
    "Absent fields",
    "POST, id taken, same content",
    "POST, id taken, other content",
  ],
  "CONTRACT 5": [
    "POST {}",
    "A user without a username",
    "username: form",
    "username: login, logout, createWithArray, createWithList",
    "username: unique, case-sensitive",
    "username taken",
    "username taken, whole content equal",
    "id taken",
    "id taken, whole content equal",
    "userStatus",
    "PUT: members",
    "PUT: an omitted password",
    "PUT: a new username",
    "PUT: a new username that is taken",
    "PUT: id in the body",
    "password: look-up",
    "password: at rest",
    "password: the key that sealed it",
    "password: replacing the key",
    "password: key",
    "password: bound to its account",
    "Invalid username in the path",
  ],
  "CONTRACT 6": [
    "Login: parameters",
    "Login: wrong, missing or unknown",
    "Login: comparable time",
    "Token",
    "Set-Cookie",
    "Set-Cookie on https",
    "X-Expires-After",
    "X-Rate-Limit",
    "Token in the body",
    "Presented as",
    "Storage: key",
    "Storage: expirationTtl",
    "Storage: expiry inside the value",
    "Lifetime",
    "Logout",
    "Logout without a session",
    'ACCESS = "open": credentials',
    'ACCESS = "open": credentials sent anyway',
    "Missing secret",
    "Missing secret: production",
    "Rate limit: requests",
    "Rate limits: client address",
    "Rate limit: answer",
    "Rate limit: local default",
    "Storage: end of sessions",
    'ACCESS = "protected": operation × credential',
    'ACCESS = "protected": orders',
    'ACCESS = "protected": users',
    'ACCESS = "protected": password',
    'ACCESS = "protected": 401 and 403',
    "API key",
    "API key: compared in constant time",
    "Rate limits: requests per session",
    "Rate limits: logins",
    "Rate limits: logins of one user",
    "Rate limits: users in bulk",
    "Idempotency keys: scope",
    "Idempotency keys: an invalid one",
    "Rate limits: OPTIONS",
    "Rate limits: a fault of the limiter of requests",
    "Rate limits: a fault of the limiter of logins",
  ],
  "CONTRACT 7": [
    "CORS",
    "CORS: exposed headers",
    "ETag",
    "If-None-Match",
    "If-Match on PUT",
    "If-Match on DELETE",
    "If-Match on GET",
    "Preconditions: order",
    "Preconditions: where",
    "Preconditions: an empty header",
    "Lost updates",
    "Caching: users and login",
    "Caching: elsewhere",
    "Caching: no-transform",
    "Content-Location",
    "415",
    "x-d1-bookmark in responses",
    "x-d1-bookmark sent back",
    "Reads without a bookmark",
    "A bookmark that is not one",
    "A bookmark under which a read fails",
    "A D1 failure",
    "A KV failure",
    "Half-done writes",
    "Retries: reads and idempotent writes",
    "Retries: other writes",
    "Retries: backoff",
  ],
  "Swagger Petstore and the page": [
    "POST /pet/{petId}: updates",
    "POST /pet/{petId}: invalid form",
    "POST /pet/{petId}: no such pet",
    "POST /pet/{petId}: If-Match",
    "createWithArray, createWithList: success",
    "createWithArray, createWithList: all or none",
    "createWithArray, createWithList: []",
    "createWithArray, createWithList: size",
    "createWithArray, createWithList: duplicates",
    "uploadImage: types",
    "uploadImage: size",
    "uploadImage: photoUrls",
    "uploadImage: no file",
    "uploadImage: no such pet",
    "uploadImage: cut short",
    "Forms of parts: as clients write them",
    "Forms of parts: limits",
    "Images: serving",
    "Images: ranges",
    "Images: preconditions",
    "Images: cost",
    "Images: deleting while R2 is down",
    "Images: deleting",
    "The two documents",
    "The classic document",
    "The exact document",
    "The documents of a deployment",
    "The documents' examples",
    "The documents and the service",
    "Clients: swagger-client",
    "Clients: generated ones",
  ],
};

/** The section whose rows may name no test. */
const WITHOUT_TESTS = "Differences";

interface Row {
  readonly section: string;
  readonly header: readonly string[];
  readonly cells: readonly string[];
}

const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll(String.raw`\|`, "|"));

/** The rows of all tables of the document: one table per section, a second one's header would be a bad row. */
function rowsOf(markdown: string): Row[] {
  return markdown.split(/^## /m).flatMap((part) => {
    const [section = "", ...lines] = part.split("\n");
    const [header = [], , ...rows] = lines.filter((line) => line.startsWith("|")).map(cellsOf);
    return rows.map((cells) => ({ section, header, cells }));
  });
}

/** A keyword of vitest, or the title that stands behind it: at once, or behind the data of `each`. */
const KEYWORD_OR_TITLE =
  /\b(?<keyword>describe|test|it)(?<modifier>(?:\.\w+)*)(?=\s*[<(])|(?<data>\))?\s*\(\s*(?<quote>["'`])(?<title>(?:(?!\k<quote>)[^\\]|\\.)*)\k<quote>,\s*(?:async\s*)?\(/g;

/** The titles of the tests in a source, as they stand there. */
function titlesIn(source: string): Set<string> {
  const titles = new Set<string>();
  let last = { callee: "", end: -1 };
  for (const match of source.matchAll(KEYWORD_OR_TITLE)) {
    const { keyword, modifier = "", data, title } = match.groups ?? {};
    if (keyword !== undefined) {
      last = { callee: keyword + modifier, end: match.index + match[0].length };
      continue;
    }
    const callees = data === undefined ? ["test", "it"] : ["test.each", "it.each"];
    const isBehind = data !== undefined || match.index === last.end;
    if (title !== undefined && isBehind && callees.includes(last.callee)) titles.add(title);
  }
  return titles;
}

const titles = new Map(sources.map(([file, source]) => [file, titlesIn(source)]));
const rows = rowsOf(doc);

/** A reference to a test: its file and its title, as code (between more marks where the title has some). */
const REFERENCE = /^(`+)(?<file>test\/[\w/.-]+\.test\.ts): (?<title>(?:(?!\1).)+)\1$/;

/** What is wrong with a reference; `undefined` where it names a test. */
function wrongWith(reference: string): string | undefined {
  const { file, title } = REFERENCE.exec(reference)?.groups ?? {};
  if (file === undefined || title === undefined) return `names no test: ${reference}`;
  const known = titles.get(file);
  if (!known) return `no such file: ${reference}`;
  return known.has(title) ? undefined : `no such test in the file: ${reference}`;
}

/** What looks like a reference, wherever it stands. */
const referencesIn = (text: string): string[] =>
  text.match(/(`+)test\/(?:(?!\1).)*: (?:(?!\1).)*\1/g) ?? [];

/** The references of a row. */
const referencesOf = ({ header, cells }: Row): string[] =>
  (cells[header.indexOf("Tests")] ?? "").split("<br>").filter((reference) => reference !== "");

/** The cells of a section's rows under these headings, each row as one line, without code marks. */
const linesOf = (section: string, ...headings: readonly string[]): string[] =>
  rows
    .filter((row) => row.section.startsWith(section))
    .map(({ header, cells }) =>
      headings
        .map((heading) => cells[header.indexOf(heading)] ?? "")
        .join(" ")
        .replaceAll("`", ""),
    );

const others = Object.entries(
  import.meta.glob<string>(["../docs/**/*.md", "../README.md"], {
    query: "?raw",
    import: "default",
    eager: true,
  }),
);

test.each(others)("%s names only tests that exist", (_, text) => {
  const wrong = referencesIn(text).map(wrongWith);
  expect(wrong.filter((fault) => fault !== undefined)).toEqual([]);
});

describe("docs/conformance.md", () => {
  test("has a table for each section of the specification and of the contract, for what neither says, and for what differs", () => {
    expect([...new Set(rows.map(({ section }) => section.split(":")[0]))]).toEqual([
      "SPEC 2",
      "SPEC 4",
      "SPEC 7",
      "SPEC 8",
      "SPEC 9",
      ...[1, 2, 3, 4, 5, 6, 7].map((section) => `CONTRACT ${section}`),
      "Swagger Petstore and the page",
      "Differences",
    ]);
  });

  test("has as many cells in every row as in its header", () => {
    expect(rows.filter(({ header, cells }) => cells.length !== header.length)).toEqual([]);
  });

  test("names no test outside of the column that is checked", () => {
    const inColumns = rows.flatMap(referencesOf);
    expect(referencesIn(doc)).toEqual(inColumns);
  });

  test("names a test for every row, but for what differs", () => {
    const without = rows.filter(
      (row) => row.section !== WITHOUT_TESTS && referencesOf(row).length === 0,
    );
    expect(without.map(({ cells }) => cells)).toEqual([]);
  });

  test("has the 16 operations of the specification", () => {
    expect(OPERATIONS).toHaveLength(16);
    expect(linesOf("SPEC 4", "Operation")).toEqual(expect.arrayContaining(OPERATIONS));
  });

  test("has the 22 errors that the specification gives the operations", () => {
    expect(ERRORS).toHaveLength(22);
    expect(linesOf("SPEC 7", "Operation", "Status")).toEqual(expect.arrayContaining(ERRORS));
  });

  test.each(Object.entries(POINTS))("answers every point of %s", (section, points) => {
    const heading = rows.find((row) => row.section.startsWith(section))?.header[0] ?? "";
    expect(linesOf(section, heading)).toEqual(points);
  });
});

describe("the check of docs/conformance.md", () => {
  test("finds titles of tests, behind data and on lines of their own too, and no others", () => {
    const source = `
      describe("a group", () => {
        test("a plain one", async () => { send("a call", () => 1); });
        it('in single quotes', () => {});
        test(\`of a template: \${name}\`, async ({ task }) => {});
        test.each<[string, (a: string) => void]>([["data (1)", (a) => a]])("with %s", async () => {});
        test.each(data)(
          "on its own line: %s",
          async (_, value) => {},
        );
        test.skip("left out", () => {});
      });
      describe.each(data)("a group of %s", () => {});
    `;
    expect([...titlesIn(source)]).toEqual([
      "a plain one",
      "in single quotes",
      "of a template: ${name}",
      "with %s",
      "on its own line: %s",
    ]);
  });

  test("reads the test files of every folder", () => {
    expect([...titles.keys()]).toEqual(
      expect.arrayContaining(["test/spec-errors.test.ts", "test/pet/create.test.ts"]),
    );
    expect(titles.get("test/spec-errors.test.ts")?.size).toBeGreaterThan(0);
  });

  test("refuses what is no test, a file that does not exist and a title that is not in its file", () => {
    const file = "test/spec-errors.test.ts";
    expect(wrongWith(`\`${file}: $operation answers $status: $meaning\``)).toBeUndefined();
    expect(wrongWith("see the tests")).toMatch(/^names no test/);
    expect(wrongWith("`test/none.test.ts: $operation answers $status: $meaning`")).toMatch(
      /^no such file/,
    );
    expect(wrongWith(`\`${file}: $operation answers\``)).toMatch(/^no such test/);
    expect(wrongWith(`\`${file}: POST /pet\``)).toMatch(/^no such test/);
  });
});
