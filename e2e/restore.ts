// `bash .ci/run restore`: fills a database through the service, exports it, imports the file into an empty one, and
// compares the two: the schema, all rows, and the answers of the service, including the next ids. Uses the commands of
// docs/reliability.md. Ends with exit status 1 at the first difference.
import { deepStrictEqual } from "node:assert";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { imageForm, send, succeed } from "./http.ts";
import type { Sent } from "./http.ts";
import { withServer } from "./server.ts";
import { ROOT } from "../scripts/programs.ts";
import { wrangler } from "./wrangler.ts";

const MAX_ID = Number.MAX_SAFE_INTEGER;

/** interface §2.3: with all quotes doubled, such a pet still fits into a statement of 100 KB. */
const LARGEST_BODY_BYTES = 48 * 1024;

/** Tables that wrangler does not export, and those that SQLite creates itself. */
const NOT_OURS = "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'";

/** A local database, in a folder with a copy of wrangler.toml. */
class Store {
  readonly folder = mkdtempSync(join(tmpdir(), "pet-store-restore-"));

  constructor() {
    copyFileSync(join(ROOT, "wrangler.toml"), join(this.folder, "wrangler.toml"));
  }

  /** Where wrangler keeps local data. */
  get state(): string {
    return join(this.folder, ".wrangler", "state");
  }

  wrangler(...args: readonly string[]): string {
    return wrangler([...args, "--env", "local"], this.folder);
  }

  /** The rows of each statement. */
  query(...statements: readonly string[]): Row[][] {
    const sql = statements.join("; ");
    const args = ["d1", "execute", "DB", "--local", "--json", "--command", sql];
    return (JSON.parse(this.wrangler(...args)) as { results: Row[] }[]).map((each) => each.results);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

type Row = Readonly<Record<string, string | number | null>>;

/** Status and body of an answer. The ETag is left out: it is a column of the row, and new for each write. */
async function see(origin: string, target: string, sent?: Sent): Promise<string> {
  const { status, text } = await send(`${origin}/v2`, target, sent);
  return `${status} ${text}`;
}

const AWKWARD = [
  "it's '' \"quoted\" `so` [and] so;",
  "-- no comment /* nor this */ ; DROP TABLE pets; --",
  "CREATE TRIGGER begin BEGIN END; end;",
  "two\nlines\r\nand\ta tab\r",
  String.raw`back\slash \n \r \t \\ \' %s ?1 :a $b @c`,
  "\u0001\u001f\u007f\u0085\u2028\u2029\ufeff\ufffd",
  "é e\u0301 ñ 中文 العربية 🐶 👩‍👩‍👧 \u{10ffff}",
  " ",
  "NULL",
  "0x00",
  "1e999",
  "true",
  "{}",
];

/** The largest pet, made of quotes, which take the most room in SQL. */
function largestPet(id: number): object {
  const pet = (length: number) => ({
    id,
    name: "'".repeat(4096),
    photoUrls: ["'".repeat(4096)],
    tags: Array.from({ length: 9 }, (_, index) => String(index) + "'".repeat(4000)),
    category: { name: "'".repeat(length) },
    status: "sold",
  });
  const room = LARGEST_BODY_BYTES - JSON.stringify(pet(0)).length;
  return pet(Math.min(room, 4096));
}

/** This request is repeated with its key after the restore. */
const KEYED = {
  json: { name: "once", photoUrls: "a.png", tags: ["once"] },
  headers: { "Idempotency-Key": "restore-key" },
};

/** Has both a line break and the two characters of its escape. The exporter does not distinguish them. */
const AMBIGUOUS = String.raw`\n and` + "\n";

/** The SQL of docs/reliability.md that finds texts which a restore changes, and that rebuilds the rows of tags. */
const [LOST_TEXTS = "", TAG_ROWS = ""] = readFileSync(join(ROOT, "docs/reliability.md"), "utf8")
  .split(/^## /m)
  .filter((section) => section.startsWith("Back up and restore"))
  .flatMap((section) => [...section.matchAll(/```sql\n([^]*?)```/g)].map(([, sql]) => sql));

/** Stores everything that the tables can hold. */
async function fill(origin: string): Promise<void> {
  const make = async (target: string, sent?: Sent) => succeed(`${origin}/v2`, target, sent);
  const statuses = ["available", "pending", "sold", undefined];
  for (const [index, text] of AWKWARD.entries()) {
    const tags = [text, { id: index, name: `tag ${text}` }, { id: MAX_ID }, {}];
    const category = { id: -index, name: text };
    const status = statuses[index % statuses.length];
    await make("POST /pet", {
      json: { name: text, photoUrls: ["b.png", "a.png"], tags, category, status },
    });
    const details = { firstName: text, lastName: text, email: text, phone: text, password: text };
    await make("POST /user", { json: { username: `user ${index} '"é`, ...details } });
    await make("POST /user", { json: { userStatus: -index } });
    await make("POST /store/order", {
      json: {
        petId: MAX_ID - index,
        quantity: index,
        shipDate: "2026-12-01T09:00:00.123456789+0000",
        status: "placed",
        complete: index % 2 === 0,
      },
    });
  }
  await make("POST /pet", { json: { name: "none", photoUrls: "a.png" } });
  await make("POST /pet", { json: largestPet(5000) });
  // Ids that clients choose: consecutive ones, a lone one and the greatest. Some are freed again below.
  for (const id of [100, 101, 102, 40, MAX_ID]) {
    await make("POST /pet", { json: { id, name: "chosen", photoUrls: "a.png" } });
    await make("POST /user", { json: { id, username: `chosen ${id}` } });
    await make("POST /store/order", { json: { id } });
  }
  for (const id of [2, 101, 40]) await make(`DELETE /pet/${id}`);
  for (const id of [3, 11, 102]) await make(`DELETE /store/order/${id}`);
  await make("DELETE /user/chosen%20101");
  await make("PUT /pet", { json: { id: 1, name: "changed", photoUrls: "b.png", tags: ["new"] } });
  await make("POST /pet/3/uploadImage", { body: imageForm() });
  await make("POST /pet/3/uploadImage", { body: imageForm() });
  await make("POST /pet", { json: { id: 6000, name: AMBIGUOUS, photoUrls: "a.png" } });
  await make("POST /pet", { json: { id: 6001, name: "a", photoUrls: "a.png", tags: [AMBIGUOUS] } });
  await make("POST /user", { json: { id: 6002, username: "ambiguous", email: AMBIGUOUS } });
  await make("POST /pet", KEYED);
  const headers = { "Idempotency-Key": "another" };
  await make("POST /store/order", { json: { quantity: 7 }, headers });
}

/** What clients see: lists and their order, the answer to a retry, the next ids, and what triggers derive. */
async function observe(origin: string): Promise<string[]> {
  const answers: string[] = [];
  const ask = async (target: string, sent?: Sent) => answers.push(await see(origin, target, sent));
  await ask("GET /pet/findByStatus?status=available,pending,sold");
  await ask("GET /store/inventory");
  for (const text of [...AWKWARD, AMBIGUOUS, "new"]) {
    await ask(`GET /pet/findByTags?tags=${encodeURIComponent(text)}`);
  }
  for (let id = 1; id <= 10; id++) await ask(`GET /store/order/${id}`);
  for (const index of AWKWARD.keys()) {
    await ask(`GET /user/${encodeURIComponent(`user ${index} '"é`)}`);
  }
  for (const path of ["/pet/1", "/pet/101", "/user/chosen%20100", "/user/chosen%20101"]) {
    await ask(`GET ${path}`);
  }
  // The same pet again, under the key of the first time.
  await ask("POST /pet", KEYED);
  for (let count = 0; count < 8; count++) {
    const json = { name: "next", photoUrls: "a.png", tags: ["next"], status: "sold" };
    await ask("POST /pet", { json });
    await ask("POST /store/order", { json: {} });
    await ask("POST /user", { json: {} });
  }
  for (const path of ["/pet/5000", "/pet/4", "/store/order/1"]) await ask(`DELETE ${path}`);
  await ask("GET /store/inventory");
  await ask("GET /pet/findByTags?tags=next");
  const user = new URLSearchParams({ username: `user 0 '"é`, password: AWKWARD[0] ?? "" });
  const login = await see(origin, `GET /user/login?${user.toString()}`);
  return [...answers, login.replace(/session:[^"]*/, "")];
}

interface Contents {
  readonly schema: readonly Row[];
  readonly tables: Readonly<Record<string, readonly Row[]>>;
}

function contentsOf(store: Store): Contents {
  const [schema = []] = store.query(
    `SELECT type, name, tbl_name, sql FROM sqlite_master WHERE ${NOT_OURS} ORDER BY type, name`,
  );
  const names = schema.filter(({ type }) => type === "table").map(({ name }) => String(name));
  const rows = store.query(...names.map((name) => `SELECT * FROM "${name}" ORDER BY 1, 2`));
  return {
    schema,
    tables: Object.fromEntries(names.map((name, index) => [name, rows[index] ?? []])),
  };
}

/** The same without these rows. */
function without(lost: readonly Row[], { schema, tables }: Contents): Contents {
  const isLost = (table: string, { id }: Row) =>
    lost.some((each) => each["resource"] === table && each["id"] === id);
  const kept = Object.entries(tables).map(
    ([table, rows]) => [table, rows.filter((row) => !isLost(table, row))] as const,
  );
  return { schema, tables: Object.fromEntries(kept) };
}

const counted = ({ schema, tables }: Contents) =>
  `${Object.values(tables).flat().length} rows in ${Object.keys(tables).length} tables, ${schema.length} tables, indexes, triggers and views`;

const filled = new Store();
const restored = new Store();
try {
  await withServer(fill, { folder: filled.state });
  const file = join(filled.folder, "backup.sql");
  filled.wrangler("d1", "export", "DB", "--local", "--output", file);
  const statements = readFileSync(file, "utf8").split(/;\n/);
  const longest = Math.max(...statements.map((statement) => Buffer.byteLength(statement)));
  restored.wrangler("d1", "execute", "DB", "--local", "--yes", "--file", file);

  const [lost = []] = filled.query(LOST_TEXTS);
  deepStrictEqual(lost, [
    { resource: "pets", id: 6000 },
    { resource: "users", id: 6002 },
  ]);
  restored.query(TAG_ROWS);

  const contents = without(lost, contentsOf(filled));
  deepStrictEqual(without(lost, contentsOf(restored)), contents);
  const empty = Object.entries(contents.tables).filter(([, rows]) => rows.length === 0);
  // An empty table would prove nothing.
  deepStrictEqual(empty, []);
  console.log(`restored: ${counted(contents)}; the longest statement has ${longest} bytes`);

  const before = await withServer(observe, { folder: filled.state });
  const after = await withServer(observe, { folder: restored.state });
  deepStrictEqual(after, before);
  const [sequences, expected] = [restored, filled].map(
    (of) => contentsOf(of).tables["id_sequences"],
  );
  deepStrictEqual(sequences, expected);
  console.log(`same answers to ${before.length} requests`);
} finally {
  filled.remove();
  restored.remove();
}
