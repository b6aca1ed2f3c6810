import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import worker from "../../src/index.ts";
import { failing } from "../bindings.ts";
import { createPet, send, uniqueName } from "../client.ts";
import type { ShownPet } from "../client.ts";

const range = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => first + index);

/** Stores pets, whose ids follow each other. */
const storePets = async (first: number, count: number, tag: string, photoUrls = "[]") =>
  env.DB.prepare(
    `INSERT INTO pets (id, name, photoUrls, tags, status)
     SELECT ?1 + value, 'Rex', ?4, json_array(?3, 'third ' || (value % 3)), 'sold' FROM json_each(?2)`,
  )
    .bind(first, JSON.stringify(range(0, count)), tag, photoUrls)
    .run();

const idsIn = async (response: Response) => (await response.json<ShownPet[]>()).map(({ id }) => id);

/** The path of the next page. */
const nextOf = (response: Response) =>
  /^<(.+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];

/** The ids of every page that links lead to. */
async function walk(path: string): Promise<number[][]> {
  const pages = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const response: Response = await send("GET", next);
    expect(response.status).toBe(200);
    pages.push(await idsIn(response));
    next = nextOf(response);
  }
  return pages;
}

describe("a long list", () => {
  beforeAll(async () => {
    await storePets(10_001, 1050, "long");
  });

  test.each([
    ["findByStatus?status=sold", 1050],
    ["findByStatus?status=available,pending,sold", 1050],
    ["findByTags?tags=long", 1050],
    ["findByTags?tags=third%200,third%201,third%202,nobody", 1050],
  ])("is complete without a limit, once each and in order: %s", async (list, count) => {
    const response = await send("GET", `/v2/pet/${list}`);
    expect(response.headers.get("link")).toBeNull();
    expect((await idsIn(response)).filter((id) => id > 10_000 && id <= 20_000)).toEqual(
      range(10_001, count),
    );
  });

  test.each(["findByStatus?status=available,sold", "findByTags?tags=long,third%201"])(
    "is walked by the links of its pages: %s",
    async (list) => {
      const pages = await walk(`/v2/pet/${list}&limit=100&after=10000`);
      expect(pages.flat().filter((id) => id <= 20_000)).toEqual(range(10_001, 1050));
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(100);
    },
  );

  test.each([
    "status=sold&limit=2&after=10900",
    "status[]=sold&limit[]=2&after[]=10900",
    "status[0]=sold&limit[0]=2&after[0]=10900",
    "status%5B%5D=sold&limit%5B%5D=2&after%5B0%5D=10900",
    "after=10900&unknown=%20&limit=2&status=pending,%20sold",
  ])("is walked however its parameters are spelled: %s", async (query) => {
    const response = await send("GET", `/v2/pet/findByStatus?${query}`);
    expect(await idsIn(response)).toEqual([10_901, 10_902]);
    const next = await send("GET", nextOf(response) ?? "no link");
    expect(await idsIn(next)).toEqual([10_903, 10_904]);
    expect(await idsIn(await send("GET", nextOf(next) ?? "no link"))).toEqual([10_905, 10_906]);
  });

  test("has a link only where more follows", async () => {
    const list = "/v2/pet/findByTags?tags=long";
    const last = await send("GET", `${list}&limit=50&after=11000`);
    expect(await idsIn(last)).toEqual(range(11_001, 50));
    expect(nextOf(last)).toBeUndefined();
    expect(nextOf(await send("GET", `${list}&limit=49&after=11000`))).toBeDefined();
    expect(await (await send("GET", `${list}&limit=5&after=9007199254740991`)).json()).toEqual([]);
  });

  test("begins after an id without a limit, too", async () => {
    expect(await idsIn(await send("GET", "/v2/pet/findByTags?tags=long&after=11040"))).toEqual(
      range(11_041, 10),
    );
    expect(await idsIn(await send("GET", "/v2/pet/findByTags?tags=long&after=0&limit=1"))).toEqual([
      10_001,
    ]);
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=101", "limit"],
    ["limit=-1", "limit"],
    ["limit=1.5", "limit"],
    ["limit=ten", "limit"],
    ["limit=007", "limit"],
    ["limit=", "limit"],
    ["limit=5&limit=6", "limit"],
    ["after=-1", "after"],
    ["after=x", "after"],
    ["after=1e3", "after"],
    ["after=9007199254740992", "after"],
    ["after=", "after"],
    ["after=1&after[]=1", "after"],
  ])("with %s is refused", async (query, path) => {
    for (const list of ["findByStatus?status=sold", "findByTags?tags=long"]) {
      const response = await send("GET", `/v2/pet/${list}&${query}`);
      expect(await response.json()).toMatchObject({ code: 400, errors: [{ path }] });
    }
  });
});

/** Opens a list, and counts the calls to D1 and the bytes that each returned. */
async function open(path: string) {
  const calls: number[] = [];
  const DB = failing(env.DB, {
    result: (result) => calls.push(new TextEncoder().encode(JSON.stringify(result)).byteLength),
  });
  const request = new Request(`http://petstore.test${path}`);
  const response = await worker.fetch(request, { ...env, DB }, createExecutionContext());
  if (response.body === null) throw new Error("no body");
  return { calls, reader: (response.body as ReadableStream<Uint8Array>).getReader() };
}

describe("a streamed list", () => {
  test("begins after one call to D1, and asks for no more once its client is gone", async () => {
    const tag = uniqueName("tag");
    await storePets(100_001, 2500, tag);
    const { calls, reader } = await open(`/v2/pet/findByTags?tags=${tag}`);
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value)).toMatch(/^\[\{"id":100001/);
    const before = calls.length;
    await reader.cancel();
    await scheduler.wait(20);
    expect(before).toBeLessThanOrEqual(2);
    expect(calls.length).toBe(before);
  });

  test("of the largest pets takes at most 16 MB from any call", async () => {
    const tag = uniqueName("tag");
    const count = 1500;
    await storePets(200_001, count, tag, JSON.stringify(Array(5).fill("u".repeat(4000))));
    const { calls, reader } = await open(`/v2/pet/findByTags?tags=${tag}`);
    let text = "";
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
    expect(JSON.parse(text)).toHaveLength(count);
    expect(calls.length).toBeGreaterThan(1);
    expect(Math.max(...calls)).toBeLessThan(16_000_000);
  });

  test("shows every pet that stays exactly once, whatever happens meanwhile", async () => {
    const tag = uniqueName("tag");
    await storePets(300_001, 3000, tag);
    const { reader } = await open(`/v2/pet/findByTags?tags=${tag}`);
    const first = await reader.read();
    const decoder = new TextDecoder();
    let text = decoder.decode(first.value, { stream: true });
    await env.DB.prepare("DELETE FROM pets WHERE id > 302000 AND id <= 303000").run();
    await createPet({ id: 299_000, tags: [tag] });
    await createPet({ id: 304_000, tags: [tag] });
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
    const ids = (JSON.parse(text) as ShownPet[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.slice(0, 2000)).toEqual(range(300_001, 2000));
    expect(ids).not.toContain(299_000);
  });
});
