import assert from "node:assert/strict";
import { once } from "node:events";
import { get } from "node:http";
import type { IncomingMessage } from "node:http";

const BYTES_PER_SECOND = 1000;

/**
 * Checks that a slow answer arrives slowly for a client that takes compressed answers. What compresses it may hold it
 * back until it is whole.
 * @param store the address of a store with pets
 */
export async function arrivesSlowly(store: string): Promise<void> {
  const put = async (rules: readonly object[]) => {
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify(rules);
    assert.ok((await fetch(`${store}/faults`, { method: "PUT", headers, body })).ok);
  };
  await put([{ bytesPerSecond: BYTES_PER_SECOND }]);
  const call = get(`${store}/v2/pet/findByStatus?status=available`, {
    headers: { "Accept-Encoding": "gzip, br" },
  });
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  const sizes: number[] = [];
  for await (const part of answer) sizes.push((part as Buffer).length);
  assert.equal(answer.headers["content-encoding"] ?? "identity", "identity");
  assert.match(answer.headers["cache-control"] ?? "", /no-transform/);
  assert.ok(sizes.length > 1 && Math.max(...sizes) <= BYTES_PER_SECOND, sizes.join());
  await put([]);
}
