import { expect, test } from "vitest";
import { send } from "../client.ts";
import { uniqueName } from "../fixtures.ts";
import { database } from "../engine.ts";
import { idsOf, openList, storePets } from "./lists.ts";

/** Stores pets of one tag. @returns the tag, and their ids */
async function fill(count: number) {
  const tag = uniqueName("tag");
  const ids = await storePets(count, { tags: `json_array('${tag}')` });
  return { tag, ids };
}

const listing = async (tag: string) => openList(`/pet/findByTags?tags=${tag}`);

const remove = async (ids: readonly number[]) =>
  database
    .prepare("delete from pets where id in (select value from json_each(?1))")
    .bind(JSON.stringify(ids))
    .run();

async function readRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
  }
}

test("the first bytes of a long list are there after one query, the only one if the client goes away", async () => {
  const { tag } = await fill(300);
  const { calls, reader } = await listing(tag);
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).toMatch(/^\[\{"id":\d+/);
  await reader.cancel();
  await scheduler.wait(50);
  expect(calls.count).toBe(1);
});

test("a slow client is not read ahead of §API4", async () => {
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
  // Behind what was sent, every tenth pet is deleted, some change, and a new one comes.
  const gone = new Set(ids.slice(200).filter((_, index) => index % 10 === 0));
  await remove([...gone]);
  await database
    .prepare(
      "update pets set name = 'Changed', version = version + 1 where id in (select value from json_each(?1))",
    )
    .bind(JSON.stringify(ids.slice(100, 400)))
    .run();
  await send("POST", "/pet", { json: { name: "New", photoUrls: [], tags: [tag] } });
  const listed = idsOf(JSON.parse(new TextDecoder().decode(value) + (await readRest(reader))));
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed.filter((id) => ids.includes(id))).toEqual(ids.filter((id) => !gone.has(id)));
});

// So a million pets take half of the queries that D1 allows a request.
test("a list that ends with a page of 2,000 is not asked for more §3.10.3", async () => {
  const { tag, ids } = await fill(2100);
  const { calls, reader } = await listing(tag);
  expect(JSON.parse(await readRest(reader))).toHaveLength(ids.length);
  expect(calls.count).toBe(2);
});

test("a list whose rest is deleted meanwhile ends all the same", async () => {
  const { tag, ids } = await fill(300);
  const { reader } = await listing(tag);
  const { value } = await reader.read();
  await remove(ids.slice(100));
  const listed = idsOf(JSON.parse(new TextDecoder().decode(value) + (await readRest(reader))));
  expect(listed).toEqual(ids.slice(0, 100));
});
