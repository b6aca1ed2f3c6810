// Tests that requests to `npm start`, which share one database object, never use each other's D1 session: hundreds at the same
// time with different bookmarks, long lists beside writes, lists that clients abort, and requests that fail.
import { deepEqual, equal, match, notEqual } from "node:assert/strict";
import { send, withServer } from "./server.ts";

const range = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

/** A bookmark that D1 has not issued. The local D1 returns the bookmark of a session unchanged. */
const createBookmark = (number: number) => `0000000a-0000000b-0000000c-${String(number).padStart(32, "0")}`;

/** The IDs of 3,000 pets with the same tag. The classic data have lower ones. */
const FIRST = 10_001;
const ids = range(FIRST, 3000);

/** A bookmark that D1 has issued. */
const NEW = /^(?!0000000a-0000000b-0000000c-)[\da-f-]{59}$/;

interface Pet {
  readonly id: number;
  readonly name: string;
}

const toPet = (id: number) => ({ id, name: `pet ${id}`, photoUrls: [], tags: [{ name: "many" }], status: "sold" });

await withServer(async (origin) => {
  /** Sends a request, with a bookmark if the number is even. Checks that its own session executed its queries. */
  const ask = async (number: number, method: string, path: string, json?: unknown, headers = {}) => {
    const sent = number % 2 === 0 ? { "x-d1-bookmark": createBookmark(number) } : {};
    const response = await send(method, `${origin}${path}`, json, { ...sent, ...headers });
    const text = await response.text();
    const bookmark = response.headers.get("x-d1-bookmark");
    // A new session has a bookmark only after a query.
    match(
      bookmark ?? "none",
      number % 2 === 0 ? new RegExp(createBookmark(number)) : NEW,
      `${method} ${path}: ${text}`,
    );
    return { status: response.status, text, etag: response.headers.get("ETag") ?? "" };
  };

  for (const first of range(0, 60).map((number) => FIRST + number * 50)) {
    await Promise.all(
      range(first, 50).map(async (id) => equal((await ask(id, "POST", "/v2/pet", toPet(id))).status, 200)),
    );
  }
  console.log("ok  3,000 pets are created, 50 at a time, in sessions of their own");

  await Promise.all(
    range(FIRST, 400).map(async (id) => {
      const found = await ask(id, "GET", `/v2/pet/${id}`);
      deepEqual([found.status, JSON.parse(found.text)], [200, toPet(id)]);
    }),
  );
  console.log("ok  400 requests at the same time each read their own pet in a session of their own");

  const list = async (number: number) => {
    const { text } = await ask(number, "GET", "/v2/pet/findByTags?tags=many");
    deepEqual(
      (JSON.parse(text) as Pet[]).map(({ id }) => id),
      ids,
    );
  };
  const write = async (id: number) => {
    const { status, etag } = await ask(id, "PUT", "/v2/pet", { ...toPet(id), name: "changed" });
    equal(status, 200);
    // A failure in the same session: a precondition that no longer holds.
    equal((await ask(id, "PUT", "/v2/pet", toPet(id), { "If-Match": '"1"' })).status, 412);
    equal((await ask(id, "GET", `/v2/pet/${id + 900_000}`)).status, 404);
    equal((await ask(id, "PUT", "/v2/pet", toPet(id), { "If-Match": etag })).status, 200);
  };
  const abort = async (number: number) => {
    const client = new AbortController();
    const headers = { "x-d1-bookmark": createBookmark(number) };
    const url = `${origin}/v2/pet/findByTags?tags=many`;
    const { body } = await fetch(url, { headers, signal: client.signal });
    notEqual(await body?.getReader().read(), undefined);
    client.abort();
  };
  await Promise.all([
    ...range(1, 8).map(list),
    ...range(FIRST + 1000, 100).map(write),
    ...range(2001, 20).map(abort),
    ...range(2101, 8).map(list),
  ]);
  console.log("ok  16 lists of 3,000 pets are complete beside 200 writes, 200 failures, and 20 aborted lists");

  await list(1);
  equal((await ask(2, "GET", `/v2/pet/${FIRST}`)).status, 200);
  console.log("ok  requests after that use sessions of their own, too");
});
