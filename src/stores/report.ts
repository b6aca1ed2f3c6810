import { time } from "../unavailable.ts";
import type { LoggedRequest } from "./log.ts";
import type { OwnStore } from "./own-store.ts";

/** How long requests are gathered before their store is told, in milliseconds: one call tells of many. */
const GATHERED_MS = 100;

/** Most requests that are gathered; a store remembers no more. */
const MOST = 200;

/** The requests that no store was told of yet, by the name of the store. */
const gathered = new Map<string, LoggedRequest[]>();

/**
 * Adds a request to the log of its store, a moment later.
 * @returns settles when there is nothing left to do, and never fails: a log must not fail a request
 */
export async function report(store: OwnStore, name: string, request: LoggedRequest): Promise<void> {
  const others = gathered.get(name);
  // If whoever gathers was cut off, the others do not wait for ever.
  if (others && others.length < MOST && request.at - (others[0]?.at ?? 0) < 50 * GATHERED_MS) {
    others.push(request);
    return;
  }
  const mine = [request];
  gathered.set(name, mine);
  await time.wait(GATHERED_MS);
  if (gathered.get(name) === mine) gathered.delete(name);
  await store.record(mine).catch(() => undefined);
}
