import { time } from "../unavailable.ts";
import type { LoggedRequest } from "./log.ts";

/** How long the Worker collects requests before it sends them to their store in one call, in milliseconds. */
const GATHERED_MS = 100;

/** The largest number of requests that are collected. A store keeps no more. */
const MOST = 200;

/** If a batch is older than this, the request that should have sent it has ended without doing so. In milliseconds. */
const GIVEN_UP_MS = 50 * GATHERED_MS;

/** How often a request waits for a batch that another one is sending, and how long each time, in milliseconds. */
const LOOKS = 100;
const LOOK_MS = 10;

/** Sends requests to the log. */
export interface RequestRecorder {
  record(requests: readonly LoggedRequest[]): Promise<void>;
}

/** Requests that are sent to a store in one call. */
interface Batch {
  readonly requests: LoggedRequest[];
  state: "gathered" | "being told" | "told";
}

/** The batches that were not sent yet, by the name of the store. */
const untold = new Map<string, readonly Batch[]>();

/**
 * Adds a request to the log of its store, a moment later.
 * @returns a promise that settles when there is nothing left to do. It never fails, because a log must not fail a
 *   request
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

/** Sends a store everything that was answered until now. Settles when the store has it, or after a second. */
export async function reportNow(store: RequestRecorder, name: string): Promise<void> {
  const batches = untold.get(name) ?? [];
  await Promise.all(batches.map(async (batch) => tell(store, name, batch)));
  // In workerd, one request cannot await the call of another.
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
