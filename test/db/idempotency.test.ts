// SQLite promises this for the statements of one connection. D1 does not document it for the statements of a batch. The
// statements of src/db/claims.ts rely on it.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { uniqueName } from "../fixtures.ts";

const RUNS_AHEAD = 7_000_000;
const ASKED = env.DB.prepare("SELECT changes() AS changes, last_insert_rowid() AS id");

/** What the statements of a batch say of the one before. */
async function afterEachOf(...sql: readonly string[]): Promise<unknown[]> {
  const statements = sql.flatMap((each) => [env.DB.prepare(each), ASKED]);
  const results = await env.DB.batch(statements);
  return results.filter((_, index) => index % 2 === 1).map(({ results: [row] }) => row);
}

const pet = (id: string) =>
  `INSERT INTO pets (id, name, photoUrls, tags, status)
   VALUES (${id}, 'Rex', '[]', '["dog","cat"]', 'sold') ON CONFLICT DO NOTHING`;
const NEXT = "(SELECT next FROM id_sequences WHERE resource = 'pets')";

beforeEach(async () => {
  await env.DB.prepare("DELETE FROM pets").run();
});

test("changes() tells what the statement before it in a batch changed, without what triggers changed", async () => {
  const counted = await afterEachOf(
    pet(String(RUNS_AHEAD)),
    pet(String(RUNS_AHEAD)),
    pet(String(RUNS_AHEAD + 2)),
    "UPDATE pets SET tags = '[]', version = version + 1",
    "UPDATE pets SET tags = '[]', version = version + 1 WHERE name = 'Max'",
    "DELETE FROM pets",
    "DELETE FROM pets",
  );
  expect(counted.map((row) => (row as { changes: number }).changes)).toEqual([1, 0, 1, 2, 0, 2, 0]);
});

test("last_insert_rowid() tells the id that a batch inserted, whatever its triggers and tables without a rowid got", async () => {
  const key = uniqueName("key");
  const [{ next }] = (await env.DB.prepare(`SELECT ${NEXT} AS next`).all<{ next: number }>())
    .results as [{ next: number }];
  const told = await afterEachOf(
    pet(NEXT),
    `INSERT INTO idempotency_keys (key, request, expiresAt) VALUES ('${key}', 'r', 1)`,
    "UPDATE pets SET tags = '[\"bird\"]', version = version + 1",
    pet(String(RUNS_AHEAD + 9)),
    `DELETE FROM idempotency_keys WHERE key = '${key}'`,
  );
  expect(told.map((row) => (row as { id: number }).id)).toEqual([
    next,
    next,
    next,
    RUNS_AHEAD + 9,
    RUNS_AHEAD + 9,
  ]);
});

test("a batch reads changes() and last_insert_rowid() of its own statements, not of other batches", async () => {
  const ids = Array.from({ length: 12 }, (_, index) => RUNS_AHEAD + 100 + 2 * index);
  const told = await Promise.all(ids.map(async (id) => afterEachOf(pet(String(id)))));
  expect(told.flat()).toEqual(ids.map((id) => ({ changes: 1, id })));
});
