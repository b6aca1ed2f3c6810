import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createApp } from "../../src/app.ts";
import type { Pet } from "../../src/pet/contract.ts";
import { send } from "../client.ts";
import { uniqueId, uniqueName } from "../fixtures.ts";
import { Calls, databaseThrough } from "../stores.ts";
import { basePath, database } from "../engine.ts";

/** Stores pets of one tag by SQL. @returns the tag, and their ids */
async function fill(count: number): Promise<{ readonly tag: string; readonly ids: number[] }> {
  const tag = uniqueName("tag");
  const { results } = await database
    .prepare(
      `insert into pets (id, name, photoUrls, status, tags)
     select ?2 + value, 'Pet', '"a.png"', 'sold', json_array(?3) from json_each(?1) returning id`,
    )
    .bind(JSON.stringify([...Array(count).keys()]), uniqueId() * 1000, tag)
    .all<{ id: number }>();
  return { tag, ids: results.map(({ id }) => id).toSorted((one, other) => one - other) };
}

/** The stream of a list, and the calls to D1 that it makes. */
async function listing(tag: string) {
  const calls = new Calls();
  const response = await createApp().fetch(
    new Request(`http://petstore.test${basePath}/pet/findByTags?tags=${tag}`),
    { ...env, ...databaseThrough(calls) },
    createExecutionContext(),
  );
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  return { calls, reader };
}

async function readRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
}

test("the first bytes of a long list are there after one query", async () => {
  const { tag } = await fill(300);
  const { calls, reader } = await listing(tag);
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toMatch(/^\[\{"id":\d+/);
  expect(calls.count).toBe(1);
  await reader.cancel();
});

test("a client that goes away stops the work", async () => {
  const { tag } = await fill(300);
  const { calls, reader } = await listing(tag);
  await reader.read();
  await reader.cancel();
  await scheduler.wait(50);
  expect(calls.count).toBe(1);
});

test("a slow client is not read ahead of", async () => {
  const { tag } = await fill(12_000);
  const { calls, reader } = await listing(tag);
  await reader.read();
  await scheduler.wait(50);
  expect(calls.count).toBe(1);
  await reader.read();
  expect(calls.count).toBe(2);
  await reader.cancel();
});

test("each pet that existed throughout is listed exactly once, whatever happens meanwhile", async () => {
  const { tag, ids } = await fill(6000);
  const { reader } = await listing(tag);
  const { value } = await reader.read();
  // Behind what was sent: every tenth pet goes, some change, and new ones come.
  const gone = new Set(ids.slice(200).filter((_, index) => index % 10 === 0));
  await database
    .prepare("delete from pets where id in (select value from json_each(?1))")
    .bind(JSON.stringify([...gone]))
    .run();
  await database
    .prepare(
      "update pets set name = 'Changed', version = version + 1 where id in (select value from json_each(?1))",
    )
    .bind(JSON.stringify(ids.slice(100, 400)))
    .run();
  await send("POST", "/pet", { json: { name: "New", photoUrls: [], tags: [tag] } });
  const pets = JSON.parse(new TextDecoder().decode(value) + (await readRest(reader))) as Pet[];
  const listed = pets.map(({ id }) => id);
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed.filter((id) => ids.includes(id))).toEqual(ids.filter((id) => !gone.has(id)));
});

test("a list that ends with a page is not asked for more", async () => {
  const { tag, ids } = await fill(2100);
  const { calls, reader } = await listing(tag);
  expect(JSON.parse(await readRest(reader))).toHaveLength(ids.length);
  expect(calls.count).toBe(2);
});

test("a list whose rest is deleted meanwhile ends all the same", async () => {
  const { tag, ids } = await fill(300);
  const { reader } = await listing(tag);
  const { value } = await reader.read();
  await database
    .prepare("delete from pets where id in (select value from json_each(?1))")
    .bind(JSON.stringify(ids.slice(100)))
    .run();
  const pets = JSON.parse(new TextDecoder().decode(value) + (await readRest(reader))) as Pet[];
  expect(pets.map(({ id }) => id)).toEqual(ids.slice(0, 100));
});

test("a million pets of usual size take at most half of the queries that D1 allows a request", async () => {
  // The short first page and five that are full.
  const { tag } = await fill(10_100);
  const { calls, reader } = await listing(tag);
  await readRest(reader);
  const perPage = (10_100 - 100) / (calls.count - 1);
  expect(1_000_000 / perPage + 1).toBeLessThanOrEqual(501);
});

test("a list has every pet that was asked for, also where there are thousands", async () => {
  const count = 6000;
  const first = uniqueId() * 1000;
  const tag = uniqueName("long");
  await database
    .prepare(
      `insert into pets (id, name, photoUrls, tags, status)
     with recursive n (i) as (select 0 union all select i + 1 from n where i < ?1 - 1)
     select ?2 + i, 'pet ' || i, '"a.png"', json_array(?3), 'pending' from n`,
    )
    .bind(count, first, tag)
    .run();
  const ids = Array.from({ length: count }, (_, index) => first + index);
  for (const path of ["/pet/findByStatus?status=pending", `/pet/findByTags?tags=${tag}`]) {
    const found = (await send("GET", path)).json as { id: number }[];
    expect(found.map(({ id }) => id)).toEqual(ids);
  }
  await database.prepare("delete from pets where id >= ?").bind(first).run();
});
