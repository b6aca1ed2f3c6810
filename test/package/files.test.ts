import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { Files, createBucket } from "../../package/files.ts";

const BYTES = Uint8Array.from({ length: 2_500_000 }, (_, index) => (index * 7) % 251);
const SMALL = new TextEncoder().encode("0123456789");

/** Runs a scenario against R2 as Miniflare implements it, and against the package's files. @returns both outcomes */
async function both<Result>(scenario: (bucket: R2Bucket) => Promise<Result>): Promise<[Result, Result]> {
  const stub = env.SANDBOXES.getByName(crypto.randomUUID());
  const own = await runInDurableObject(stub, async (_, state) => {
    const files = new Files(state, env);
    return scenario(createBucket({ getByName: () => files } as unknown as DurableObjectNamespace<Files>));
  });
  return [await scenario(env.IMAGES), own];
}

/** Comparing megabytes as a value takes seconds. */
const hashOf = async (bytes: BufferSource) => Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");

/** What the service reads of a file. */
async function shown(file: R2Object | R2ObjectBody | null) {
  if (!file) return null;
  const { key, size, etag, httpEtag, httpMetadata } = file;
  const body = "body" in file ? await hashOf(await new Response(file.body).arrayBuffer()) : undefined;
  return { key, size, etag, httpEtag, contentType: httpMetadata?.contentType, body };
}

const blob = (bytes: BufferSource) => new Blob([bytes]);

test("A file comes back as it was stored, also one of several parts", async () => {
  const [real, own] = await both(async (bucket) => {
    await bucket.put("1/large", blob(BYTES), { httpMetadata: { contentType: "image/png" } });
    await bucket.put("1/small", blob(SMALL));
    await bucket.put("1/empty", blob(new Uint8Array()));
    await bucket.put("1/small", blob(SMALL.slice(1)));
    const keys = ["1/large", "1/small", "1/empty", "1/none"];
    return Promise.all(
      keys.map(async (key) => [await shown(await bucket.get(key)), await shown(await bucket.head(key))]),
    );
  });
  expect(own).toEqual(real);
  expect(own[0]?.[0]?.body).toBe(await hashOf(BYTES));
});

test("Files are listed by prefix in pages, and deleted", async () => {
  const [real, own] = await both(async (bucket) => {
    const keys = ["2/a", "2/b", "2/c", "2/d", "20/a", "3/_", "3/%"];
    for (const key of keys) await bucket.put(key, blob(SMALL));
    const first = await bucket.list({ prefix: "2/", limit: 3 });
    const cursor = first.truncated ? first.cursor : "";
    const second = await bucket.list({ prefix: "2/", limit: 3, cursor });
    await bucket.delete(["2/a", "2/b", "2/none"]);
    await bucket.delete("2/c");
    const rest = await bucket.list({ prefix: "2/" });
    const special = await bucket.list({ prefix: "3/_" });
    await bucket.delete(keys);
    return [first, second, rest, special].map(({ objects, truncated }) => [objects.map(({ key }) => key), truncated]);
  });
  expect(own).toEqual(real);
  expect(own[0]).toEqual([["2/a", "2/b", "2/c"], true]);
});

test("A list reads only the files on its page", async () => {
  const stub = env.SANDBOXES.getByName(crypto.randomUUID());
  const read = await runInDurableObject(stub, async (_, state) => {
    const files = new Files(state, env);
    for (const key of ["1/a", "1/b", "1/c", "10/a", "2/a", "3/a"]) await files.put(key, new ArrayBuffer(1), null);
    const exec = vi.spyOn(state.storage.sql, "exec");
    const { cursor = "" } = files.list({ prefix: "1/", limit: 2 });
    files.list({ prefix: "1/", limit: 2, cursor });
    files.list({ prefix: "3/" });
    return exec.mock.results.map(({ value }) => (value as SqlStorageCursor<never>).rowsRead);
  });
  // The files of the page, and the next file if there is one.
  expect(read).toEqual([3, 2, 1]);
});

const RANGES = [
  { offset: 0, length: 1 },
  { offset: 2, length: 3 },
  { offset: 999_990, length: 10 },
  { offset: 999_990, length: 1_000_020 },
  { offset: 1_000_000, length: 1_000_000 },
  { offset: 2_499_999, length: 1 },
];

test("A range selects the same bytes, also across parts", async () => {
  const [real, own] = await both(async (bucket) => {
    await bucket.put("4/a", blob(BYTES));
    return Promise.all(RANGES.map(async (range) => (await shown(await bucket.get("4/a", { range })))?.body));
  });
  expect(own).toEqual(real);
  expect(new Set(own).size).toBe(RANGES.length);
});

const TAG = "781e5e245d69b566979b86e28d23f2c7";
const [LONG_AGO, SOON] = ["Mon, 01 Jan 2024 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00 GMT"];
const CONDITIONS: Record<string, string>[] = [
  {},
  { "If-None-Match": `"${TAG}"` },
  { "If-None-Match": `W/"${TAG}"` },
  { "If-None-Match": `"x", W/"${TAG}"` },
  { "If-None-Match": `"x", "${TAG}"` },
  { "If-None-Match": `"x"` },
  { "If-None-Match": "*" },
  { "If-Modified-Since": LONG_AGO },
  { "If-Modified-Since": SOON },
];

test.each(CONDITIONS)("The conditions %j decide whether the content is read", async (conditions) => {
  const [real, own] = await both(async (bucket) => {
    await bucket.put("6/a", blob(SMALL));
    return shown(await bucket.get("6/a", { onlyIf: new Headers(conditions) }));
  });
  expect(own?.body).toEqual(real?.body);
  expect(own?.etag).toBe(real?.etag);
});
