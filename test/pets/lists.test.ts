import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import worker from "../../src/index.ts";
import { failing } from "../bindings.ts";
import { createPet, send, type ShownPet } from "../client.ts";

const range = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

/** Stores sold pets with consecutive IDs. */
const storePets = async (first: number, count: number, tag: string, photoUrls = "[]") =>
  env.DB.prepare(
    `INSERT INTO pets (id, name, photoUrls, tags, status)
     SELECT ?1 + value, 'Rex', ?4, json_array(?3, 'third ' || (value % 3)), 'sold' FROM json_each(?2)`,
  )
    .bind(first, JSON.stringify(range(0, count)), tag, photoUrls)
    .run();

const idsOf = (pets: readonly ShownPet[]) => pets.map(({ id }) => id);

const idsIn = async (response: Response) => idsOf(await response.json());

/** Returns the path of the next page. */
const nextOf = (response: Response) => /^<(.+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];

describe("a long list", () => {
  const [FIRST, COUNT] = [10_001, 1050];

  beforeAll(async () => {
    await storePets(FIRST, COUNT, "long");
  });

  test.each([
    "findByStatus?status=sold",
    "findByTags?tags=long",
    "findByTags?tags=third%200,third%201,third%202,nobody",
  ])("is complete without a limit, and when following its links: %s", async (list) => {
    const whole = await send("GET", `/v2/pet/${list}&after=10000`);
    expect(nextOf(whole)).toBeUndefined();
    const ids = (await idsIn(whole)).filter((id) => id < FIRST + COUNT);
    expect(ids).toEqual(range(FIRST, COUNT));
    const paged: number[] = [];
    let next: string | undefined = `/v2/pet/${list}&limit=100&after=10000`;
    while (next !== undefined) {
      const response: Response = await send("GET", next);
      const page = await idsIn(response);
      expect(page.length).toBeLessThanOrEqual(100);
      paged.push(...page);
      next = nextOf(response);
    }
    expect(paged.filter((id) => id < FIRST + COUNT)).toEqual(range(FIRST, COUNT));
  });

  test.each([
    "status=sold&limit=2&after=10900",
    "status[]=sold&limit[]=2&after[]=10900",
    "after=10900&unknown=%20&limit=2&status=pending,%20sold",
  ])("can be paged however its parameters are spelled: %s", async (query) => {
    const response = await send("GET", `/v2/pet/findByStatus?${query}`);
    expect(await idsIn(response)).toEqual([10_901, 10_902]);
    const next = await send("GET", nextOf(response) ?? "no link");
    expect(await idsIn(next)).toEqual([10_903, 10_904]);
    expect(await idsIn(await send("GET", nextOf(next) ?? "no link"))).toEqual([10_905, 10_906]);
  });

  test("has a link only if there is a next page", async () => {
    const list = "/v2/pet/findByTags?tags=long";
    const last = await send("GET", `${list}&limit=50&after=11000`);
    expect(await idsIn(last)).toEqual(range(11_001, 50));
    expect(nextOf(last)).toBeUndefined();
    expect(nextOf(await send("GET", `${list}&limit=49&after=11000`))).toBeDefined();
    expect(await idsIn(await send("GET", `${list}&limit=5&after=9007199254740991`))).toEqual([]);
  });

  test.each([
    ..."limit=0 limit=101 limit=1.5 limit=007 limit= limit=5&limit=6".split(" "),
    ..."after=-1 after=x after=9007199254740992 after= after=1&after[]=1".split(" "),
  ])("with %s is rejected", async (query) => {
    for (const list of ["findByStatus?status=sold", "findByTags?tags=long"]) {
      const response = await send("GET", `/v2/pet/${list}&${query}`);
      const [path] = query.split("=");
      expect(await response.json()).toMatchObject({ code: 400, errors: [{ path }] });
    }
  });
});

/** Requests a list, and records how many bytes each call to D1 returns. */
async function open(tag: string) {
  const calls: number[] = [];
  const DB = failing(env.DB, { result: (result) => calls.push(JSON.stringify(result).length) });
  const request = new Request(`http://petstore.test/v2/pet/findByTags?tags=${tag}`);
  const response = await worker.fetch(request, { ...env, DB }, createExecutionContext());
  if (response.body === null) throw new Error("no body");
  return { calls, reader: (response.body as ReadableStream<Uint8Array>).getReader() };
}

/** Reads the rest of a list. @param text the part that was already read */
async function read(reader: ReadableStreamDefaultReader<Uint8Array>, text = "") {
  const decoder = new TextDecoder();
  let all = text;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return JSON.parse(all) as ShownPet[];
    all += decoder.decode(value, { stream: true });
  }
}

describe("a streamed list", () => {
  test("starts after one or two calls to D1, and makes no more calls once the client disconnects", async () => {
    await storePets(100_001, 2500, "left");
    const { calls, reader } = await open("left");
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value)).toMatch(/^\[\{"id":100001/);
    const before = calls.length;
    await reader.cancel();
    await scheduler.wait(20);
    expect([before, calls.length]).toEqual([before, before]);
    expect(before).toBeLessThanOrEqual(2);
  });

  test("of the largest pets reads at most 16 MB per call", async () => {
    await storePets(200_001, 850, "large", JSON.stringify(Array(5).fill("u".repeat(4000))));
    const { calls, reader } = await open("large");
    expect(await read(reader)).toHaveLength(850);
    expect(calls.length).toBeGreaterThan(1);
    expect(Math.max(...calls)).toBeLessThan(16_000_000);
  });

  test("has every remaining pet exactly once, despite concurrent changes", async () => {
    await storePets(300_001, 3000, "busy");
    const { reader } = await open("busy");
    const { value } = await reader.read();
    await env.DB.prepare("DELETE FROM pets WHERE id > 302000 AND id <= 303000").run();
    for (const id of [299_000, 304_000]) await createPet({ id, tags: ["busy"] });
    const ids = idsOf(await read(reader, new TextDecoder().decode(value)));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.slice(0, 2000)).toEqual(range(300_001, 2000));
    expect(ids).not.toContain(299_000);
  });
});
