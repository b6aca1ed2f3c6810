import { vi } from "vitest";
import type { Answer, Send } from "../client.ts";
import { clientWith } from "../fixtures.ts";
import type { Bindings } from "../fixtures.ts";
import { Calls, databaseThrough, kvThrough } from "../bindings.ts";

/** The headers of an answer but for those that differ at every request. */
export function comparable({ headers }: Answer): [string, string][] {
  return [...headers].filter(([name]) => name !== "x-request-id" && name !== "x-d1-bookmark");
}

/** What a request cost: calls to D1 and KV, passwords opened and secrets compared. */
export async function costOf(request: (client: Send) => Promise<Answer>, bindings: Bindings = {}) {
  const [d1, kv] = [new Calls(), new Calls()];
  const opened = vi.spyOn(crypto.subtle, "decrypt");
  const compared = vi.spyOn(crypto.subtle, "timingSafeEqual");
  const client = clientWith({ ...bindings, ...databaseThrough(d1), SESSIONS: kvThrough(kv) });
  const answer = await request(client);
  const [opens, comparisons] = [opened.mock.calls.length, compared.mock.calls.length];
  vi.restoreAllMocks();
  return { answer, cost: { d1: d1.count, kv: kv.count, opens, comparisons } };
}
