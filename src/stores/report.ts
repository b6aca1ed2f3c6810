import { time } from "../unavailable.ts";
import type { LoggedRequest } from "./log.ts";

/** How long requests are gathered before their store is told, in milliseconds: one call tells of many. */
const GATHERED_MS = 100;

/** Most requests that are gathered; a store remembers no more. */
const MOST = 200;

/** A batch that is older was given up by the request that would have told of it, in milliseconds. */
const GIVEN_UP_MS = 50 * GATHERED_MS;

/** How often, and how long each time in milliseconds, a request waits for what another one is telling. */
const LOOKS = 100;
const LOOK_MS = 10;

/** What is told of requests. */
export interface RequestRecorder {
  record(requests: readonly LoggedRequest[]): Promise<void>;
}

/** Requests that a store is told of in one call. */
interface Batch {
  readonly requests: LoggedRequest[];
  state: "gathered" | "being told" | "told";
}

/** The batches that were not told of yet, by the name of the store. */
const untold = new Map<string, readonly Batch[]>();

/**
 * Adds a request to the log of its store, a moment later.
 * @returns settles when there is nothing left to do, and never fails: a log must not fail a request
 */
export async function report(
  store: RequestRecorder,
  name: string,
  request: LoggedRequest,
): Promise<void> {
  const isOld = ({ requests }: Batch) => request.at - (requests[0]?.at ?? 0) >= GIVEN_UP_MS;
  const batches = (untold.get(name) ?? []).filter((batch) => !isOld(batch));
  const gathered = batches.find(
    ({ requests, state }) => state === "gathered" && requests.length < MOST,
  );
  if (gathered) {
    gathered.requests.push(request);
    return;
  }
  const mine: Batch = { requests: [request], state: "gathered" };
  untold.set(name, [...batches, mine]);
  await time.wait(GATHERED_MS);
  await tell(store, name, mine);
}

/** Tells a store of everything that was answered until now. Settles when it knows, or after a second. */
export async function reportNow(store: RequestRecorder, name: string): Promise<void> {
  const batches = untold.get(name) ?? [];
  await Promise.all(batches.map(async (batch) => tell(store, name, batch)));
  // The call of another request cannot be awaited here.
  for (let looks = 0; looks < LOOKS && batches.some(({ state }) => state !== "told"); looks++) {
    await time.wait(LOOK_MS);
  }
}

async function tell(store: RequestRecorder, name: string, batch: Batch): Promise<void> {
  if (batch.state !== "gathered") return;
  batch.state = "being told";
  await store.record(batch.requests).catch(() => undefined);
  batch.state = "told";
  const others = (untold.get(name) ?? []).filter((each) => each !== batch);
  if (others.length > 0) untold.set(name, others);
  else untold.delete(name);
}
