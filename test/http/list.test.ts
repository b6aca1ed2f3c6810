import { expect, test } from "vitest";
import { listOf } from "../../src/http/list.ts";

test("a list of 500 MB of the largest items ends within the 1,000 queries that D1 allows a request", async () => {
  const json = JSON.stringify("u".repeat(48 * 1024));
  const count = Math.ceil(500_000_000 / json.length);
  const limits: number[] = [];
  let bytes = 0;
  const read = async (page: { readonly after: number; readonly limit: number }) => {
    limits.push(page.limit);
    const length = Math.min(page.limit, count - page.after);
    const items = Array.from({ length }, (_, index) => ({ id: page.after + index + 1 }));
    return { items, more: page.after + length < count };
  };
  const list = await listOf({}, "http://petstore.test/v2/pet/findByTags", read, () => json);
  for await (const chunk of list.body as unknown as ReadableStream<Uint8Array>) {
    bytes += chunk.byteLength;
  }
  expect(bytes).toBe(count * (json.length + 1) + 1);
  expect(limits.length).toBeLessThanOrEqual(1000);
});
