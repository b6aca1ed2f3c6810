// Declares AsyncDisposable for clients whose `lib` does not include it.
/// <reference lib="esnext.disposable" preserve="true" />
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { checkObject, wrongIn } from "./checks.ts";
import { Refused, TimedOut } from "./errors.ts";
import { startServer } from "./server.ts";
import type { Server } from "./server.ts";
import { Store } from "./store.ts";
import type { FaultRule, RequestFilter, StoreContent, StoreData, StoreRequest } from "./types.ts";

export { NotStarted, Refused, ServerEnded, TimedOut } from "./errors.ts";
export type * from "./types.ts";

/** How often to check for an awaited request, in milliseconds. */
const POLL_MS = 20;

/** A store for your tests alone. Its methods throw `Refused` if it refuses a request or has stopped, and `ServerEnded`. */
export interface PetStore extends AsyncDisposable {
  /** The base URL, which ends in `/v2`. Clients append `/pet` and the other paths. */
  readonly url: string;
  /** The base URL for clients of Petstore 3, which ends in `/api/v3`. The data is the same. */
  readonly petstore3Url: string;
  /**
   * Replaces the data, removes the rules for faults, and clears the recorded requests.
   * @param data default: the initial data
   */
  reset(data?: StoreData): Promise<void>;
  /** Returns all data. Pass it to `reset` to restore it. */
  data(): Promise<StoreContent>;
  /** Replaces the rules that change answers. An empty array removes them. */
  faults(rules: readonly FaultRule[]): Promise<void>;
  /** Returns the requests since the last reset, newest first, at most 200. */
  requests(filter?: RequestFilter): Promise<StoreRequest[]>;
  /**
   * Returns the first request since the last reset that matches the filter. Waits for it if necessary.
   * @param options its `timeout` is in milliseconds. Default: 5000
   * @throws TimedOut if none arrives in this time
   */
  request(
    filter?: Omit<RequestFilter, "limit">,
    options?: { readonly timeout?: number },
  ): Promise<StoreRequest>;
  /** Deletes the store. The last store also stops the server. */
  stop(): Promise<void>;
}

export interface PetStoreOptions {
  /** The initial data. Default: "classic". */
  readonly data?: StoreData | undefined;
  /** With "protected", operations need a session or the API key, as in production. Default: "open". */
  readonly access?: "open" | "protected" | undefined;
  /** The value of the header `api_key` for protected access. */
  readonly apiKey?: string | undefined;
  /** The port of the server. Default: 0, which means any free port. */
  readonly port?: number | undefined;
}

const OPTIONS = ["data", "access", "apiKey", "port"] satisfies (keyof PetStoreOptions)[];

/** A server, and the number of stores that use it. */
interface Shared {
  readonly server: Promise<Server>;
  users: number;
}

/** The server of the stores that have no `access` and no `port`. */
let shared: Shared | undefined;

/**
 * Starts a store that only this machine can reach. The stores of a process share one server, but a store with `access`
 * or `port` gets its own.
 * @throws NotStarted if the server does not start; Refused if an option is invalid
 * @example
 * const store = await startPetStore({ data: "empty" });
 * const answer = await fetch(`${store.url}/store/inventory`);
 * await store.stop();
 */
export async function startPetStore(options: PetStoreOptions = {}): Promise<PetStore> {
  checkObject("startPetStore", options, '{ data: "empty" }', OPTIONS);
  const { data = "classic", access, apiKey, port } = options;
  const wrong = wrongIn({ port, access, apiKey });
  if (wrong) throw new Refused(wrong.join(" "));
  const isAlone = access !== undefined || port !== undefined;
  const mine = isAlone ? { server: start({ access, apiKey, port }), users: 1 } : use();
  try {
    const server = await mine.server;
    const store = new Store(server, isAlone ? server.store : randomUUID());
    await store.putData(data);
    return handleOf(store, isAlone ? server.origin : store.address, data, async () => {
      try {
        if (mine.users > 1) await store.delete();
      } finally {
        await leave(mine);
      }
    });
  } catch (fault) {
    await leave(mine);
    throw fault;
  }
}

function handleOf(
  store: Store,
  address: string,
  initial: StoreData,
  end: () => Promise<void>,
): PetStore {
  let ended: Promise<void> | undefined;
  const stop = async () => (ended ??= end());
  // A request to a deleted store would recreate it.
  const running = () => {
    if (ended) throw new Refused("The store has stopped.");
    return store;
  };
  return {
    url: `${address}/v2`,
    petstore3Url: `${address}/api/v3`,
    reset: async (data = initial) => {
      // Data first: if it is refused, nothing changes.
      await running().putData(data);
      await running().putFaults([]);
    },
    data: async () => running().data(),
    faults: async (rules) => running().putFaults(rules),
    requests: async (filter) => running().requests(filter),
    request: async (filter = {}, options = {}) => {
      checkObject("request", options, "{ timeout: 5000 }", ["timeout"]);
      const { timeout = 5000 } = options;
      if (!Number.isFinite(timeout)) throw new Refused("timeout takes a number of milliseconds");
      const deadline = performance.now() + timeout;
      for (;;) {
        const request = (await running().requests(filter)).at(-1);
        if (request) return request;
        if (performance.now() >= deadline) {
          throw new TimedOut(`No request came in ${timeout} ms: ${JSON.stringify(filter)}`);
        }
        await sleep(POLL_MS);
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function use(): Shared {
  if (!shared) {
    const started: Shared = { server: start(), users: 0 };
    shared = started;
    // After this server failed or was killed, the next store starts another one.
    const forget = () => {
      if (shared === started) shared = undefined;
    };
    started.server.then(async ({ ended }) => ended).then(forget, forget);
  }
  shared.users += 1;
  return shared;
}

async function leave(used: Shared): Promise<void> {
  used.users -= 1;
  if (used.users > 0) return;
  if (shared === used) shared = undefined;
  const server = await used.server.catch(() => undefined);
  await server?.stop();
}

async function start(options: Pick<PetStoreOptions, "access" | "apiKey" | "port"> = {}) {
  const { access = "open", apiKey, port = 0 } = options;
  const store = randomUUID();
  const server = await startServer({ host: "127.0.0.1", port, store, access, apiKey });
  // A process that does not stop its stores must still be able to end.
  server.unref();
  return server;
}
