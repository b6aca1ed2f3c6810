import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { Hono } from "hono/tiny";
import { describe, expect, test } from "vitest";
import type { Database } from "../../src/db/client.ts";
import { pets } from "../../src/db/schema.ts";
import type { AppEnv } from "../../src/http/env.ts";
import worker from "../../src/index.ts";
import { cloudflareBindings } from "../../src/middleware/bindings.ts";
import { TRANSIENT } from "../bindings.ts";
import { createPet, createUser, placeOrder, send, type ShownPet } from "../client.ts";

// All requests share one database, whose queries are prepared once. Each must use only the D1 session of its own request.

const range = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

const bookmarkOf = (number: number) => `0000000a-0000000b-0000000c-${String(number).padStart(32, "0")}`;

/**
 * Wraps D1 for one request.
 * @param failures how many calls fail before one succeeds
 * @returns D1, the bookmark of each session, and the parameters of each call
 */
function recordingD1(failures = 0) {
  const bookmarks: (string | undefined)[] = [];
  const calls: string[] = [];
  const parameters = new WeakMap<D1PreparedStatement, unknown[]>();
  const record = (...statements: D1PreparedStatement[]) => {
    calls.push(JSON.stringify(statements.map((statement) => parameters.get(statement))));
    if (calls.length <= failures) throw TRANSIENT;
  };
  const bind = (statement: D1PreparedStatement, values: unknown[]) => {
    const bound = statement.bind(...values);
    parameters.set(bound, values);
    const raw = async () => {
      record(bound);
      return (await bound.all<object>()).results.map(Object.values);
    };
    // D1's `batch` accepts only its own statements, so the method is replaced in the statement itself.
    return Object.assign(bound, { raw });
  };
  const withSession = (bookmark?: string) => {
    bookmarks.push(bookmark);
    const session = env.DB.withSession(bookmark);
    return {
      prepare: (query: string) => ({ bind: (...values: unknown[]) => bind(session.prepare(query), values) }),
      batch: async (statements: D1PreparedStatement[]) => {
        record(...statements);
        return session.batch(statements);
      },
      getBookmark: () => session.getBookmark(),
    };
  };
  return { DB: { withSession } as unknown as D1Database, bookmarks, calls };
}

/** Requests whose parameters all contain the client's ID, and the number of calls to D1. */
const REQUESTS: readonly (readonly [calls: number, method: string, path: string, json?: object])[] = [
  [1, "GET", "/v2/pet/:id"],
  [1, "PUT", "/v2/pet", { photoUrls: [], tags: [] }],
  [1, "POST", "/api/v3/pet/:id?name=:id"],
  [1, "GET", "/api/v3/store/order/:id"],
  [1, "GET", "/v2/pet/findByStatus?status=sold&limit=1&after=:id"],
  [1, "GET", "/v2/pet/findByTags?tags=:id,of%20:id"],
  [1, "GET", "/v2/user/:id"],
  [2, "PUT", "/api/v3/user/:id", { phone: "1" }],
];

test.each([
  ["with different bookmarks", 0],
  ["whose first call to D1 fails", 1],
])("of 240 concurrent requests %s, each uses only its own session", async (_, failures) => {
  const ids = range(1_000_000 + failures * 1000, 30);
  const made = { documented: false };
  for (const id of ids) {
    const pet = createPet({ id, tags: [`${id}`] }, made);
    await Promise.all([pet, placeOrder({ id }, made), createUser({ username: `${id}` }, made)]);
  }
  const requests = ids.flatMap((id) => REQUESTS.map((request) => [id, ...request] as const));
  await Promise.all(
    requests.map(async ([id, count, method, path, fields], index) => {
      const { DB, bookmarks, calls } = recordingD1(failures);
      const json = fields && { id, name: `${id}`, ...fields };
      const headers = { "x-d1-bookmark": bookmarkOf(index) };
      const response = await send(method, path.replaceAll(":id", `${id}`), {
        json,
        headers,
        env: { DB },
        documented: false,
      });
      expect(response.status).toBe(200);
      expect(bookmarks).toEqual([bookmarkOf(index)]);
      expect(calls).toHaveLength(count + failures);
      for (const call of calls) expect(call).toContain(`${id}`);
    }),
  );
});

/** Stores pets with consecutive IDs, and with the first ID as their tag. */
const storePets = async (first: number, count: number) =>
  env.DB.prepare(
    `INSERT INTO pets (id, name, photoUrls, tags) SELECT value, 'Rex', '[]', json_array(?2) FROM json_each(?1)`,
  )
    .bind(JSON.stringify(range(first, count)), `${first}`)
    .run();

/** Requests the list of pets with a tag. `send` would read it at once. */
async function openList(tag: number) {
  const { DB, bookmarks, calls } = recordingD1();
  const headers = { "x-d1-bookmark": bookmarkOf(tag) };
  const request = new Request(`http://petstore.test/v2/pet/findByTags?tags=${tag}`, { headers });
  const { body } = await worker.fetch(request, { ...env, DB }, createExecutionContext());
  if (!body) throw new Error("no body");
  return {
    tag,
    bookmarks,
    calls,
    reader: (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader(),
  };
}

/** Creates and deletes a pet with a session of its own. */
async function write(number: number): Promise<void> {
  const { DB, bookmarks, calls } = recordingD1();
  const headers = { "x-d1-bookmark": bookmarkOf(number) };
  const { id } = await createPet({ name: `written ${number}` }, { headers, env: { DB } });
  await send("DELETE", `/v2/pet/${id}`);
  expect(bookmarks).toEqual([bookmarkOf(number)]);
  expect(calls).toEqual([expect.stringContaining(`written ${number}`)]);
}

describe("streamed lists of 3,000 pets", () => {
  test("beside writes use only their own sessions", async () => {
    const lists = [];
    for (const tag of range(2, 4).map((number) => number * 1_000_000)) {
      await storePets(tag, 3000);
      lists.push(await openList(tag));
    }
    const reads = lists.map(async ({ tag, bookmarks, calls, reader }, list) => {
      let text = "";
      for (let number = 0; ; number++) {
        const { done, value } = await reader.read();
        if (done) break;
        text += value;
        await write(list * 100 + number);
      }
      expect((JSON.parse(text) as ShownPet[]).map(({ id }) => id)).toEqual(range(tag, 3000));
      expect(bookmarks).toEqual([bookmarkOf(tag)]);
      expect(calls.length).toBeGreaterThanOrEqual(5);
      for (const call of calls) expect(call).toContain(`["${tag}"`);
    });
    await Promise.all(reads);
  });

  test("that are aborted run no more queries, and leave other lists alone", async () => {
    const tag = 9_000_000;
    await storePets(tag, 3000);
    const lists = await Promise.all(range(0, 10).map(async () => openList(tag)));
    const results = lists.map(async ({ calls, reader }, list) => {
      const { value } = await reader.read();
      if (list % 2 === 0) {
        const before = calls.length;
        await reader.cancel();
        return calls.length - before;
      }
      let text = value ?? "";
      for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
      return (JSON.parse(text) as ShownPet[]).length;
    });
    expect(await Promise.all(results)).toEqual(range(0, 5).flatMap(() => [0, 3000]));
  });
});

test("a query outside a request fails", async () => {
  const databases: Database[] = [];
  const app = new Hono<AppEnv>().use(cloudflareBindings).get("/", async (c) => {
    databases.push(c.get("db"));
    return c.json(await c.get("db").select({ id: pets.id }).from(pets).where(eq(pets.id, 1)));
  });
  expect((await app.request("/", {}, env)).status).toBe(200);
  expect((await app.request("/", {}, env)).status).toBe(200);
  const [db, other] = databases;
  expect(db).toBe(other);
  await expect(db?.select().from(pets).where(eq(pets.id, 1))).rejects.toThrow(
    expect.objectContaining({ cause: new Error("a query was executed outside a request") }),
  );
});
