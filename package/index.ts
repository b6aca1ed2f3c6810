// Declares AsyncDisposable for clients whose `lib` does not have it.
/// <reference lib="esnext.disposable" preserve="true" />
import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import * as v from "valibot";
import { ServerOptions, StoreOptions } from "./options.ts";
import { startServer, type Server } from "./server.ts";
import type { FaultRule, LoggedRequest, RequestFilter, StoreContent, StoreData } from "./types.ts";

export type * from "./types.ts";

/** The longest time that the server waits for a request, in seconds. */
const MAX_WAIT_SECONDS = 30;

interface CommonOptions {
  /** The initial data. Default: "classic". */
  readonly data?: StoreData | undefined;
  /** The port of the server. Default: any free one. */
  readonly port?: number | undefined;
  /** The address that clients use, if there is a proxy in front of the server. */
  readonly publicUrl?: string | undefined;
}

interface OpenOptions extends CommonOptions {
  readonly access?: "open" | undefined;
  readonly apiKey?: undefined;
}

/** Operations require a session or the API key, except to read pets and the inventory, and to sign up. */
interface ProtectedOptions extends CommonOptions {
  readonly access: "protected";
  /** The value of the header `X-API-Key`, of at least 16 characters. */
  readonly apiKey: string;
}

export type PetStoreOptions = OpenOptions | ProtectedOptions;

/** Validates the options. @throws TypeError that names the invalid option */
function parseOptions(options: PetStoreOptions) {
  const { success, output, issues } = v.safeParse(StoreOptions, options);
  // The server validates the data.
  if (success) return { ...output, data: output.data as StoreData };
  const path = v.getDotPath(issues[0]);
  throw new TypeError(`startPetStore: ${path === null ? "" : `${path} `}${issues[0].message}`);
}

/** A private pet store: a sandbox of the server. */
export interface PetStore extends AsyncDisposable {
  /** The base URL, which ends in `/v2`. */
  readonly url: string;
  /** The base URL for clients of Petstore 3, which ends in `/api/v3`. The data is the same. */
  readonly petstore3Url: string;
  /** Replaces the data, removes the rules, and empties the request log. @param data default: the initial data */
  reset(data?: StoreData): Promise<void>;
  /** Returns all data. `reset` accepts it, up to 1,000 pets, orders, and users each. */
  data(): Promise<StoreContent>;
  /** Replaces the rules that change responses. */
  faults(rules: readonly FaultRule[]): Promise<void>;
  /** Returns the last requests, newest first, at most 200. */
  requests(filter?: RequestFilter): Promise<LoggedRequest[]>;
  /**
   * Returns the oldest logged request that the filter selects. If there is no such request, waits for one. A request whose
   * response is delayed is returned at once, unless the filter has a `status`.
   * @param options `timeout` is in milliseconds. Default: 5000
   */
  request(filter?: Omit<RequestFilter, "limit" | "wait">, options?: { timeout?: number }): Promise<LoggedRequest>;
  /** Deletes the store. The last store to be stopped also stops the server. */
  stop(): Promise<void>;
}

/** A server, and the number of stores that use it. */
interface Shared {
  readonly server: Promise<Server>;
  users: number;
}

/** The servers of this process by port and public URL, usually one. */
const servers = new Map<string, Shared>();

/**
 * Starts a private pet store on this machine. All stores of a process share a server.
 * @example
 * const store = await startPetStore({ data: "empty" });
 * await fetch(`${store.url}/store/inventory`);
 * await store.stop();
 */
export async function startPetStore(options: PetStoreOptions = {}): Promise<PetStore> {
  const { data: initial, access, apiKey, port, publicUrl } = parseOptions(options);
  const key = JSON.stringify([port, publicUrl]);
  const shared = servers.get(key) ?? share(key, { port, publicUrl });
  shared.users += 1;
  const leave = async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    if (servers.get(key) === shared) servers.delete(key);
    await (await shared.server).stop();
  };
  try {
    const { origin } = await shared.server;
    const made = await call(`${origin}/sandboxes`, "POST", toBody(initial));
    const { name, url, petstore3Url } = JSON.parse(made) as Record<"name" | "url" | "petstore3Url", string>;
    const sandbox = `${origin}/sandboxes/${name}`;
    if (access !== "open") await call(`${sandbox}/access`, "PUT", { access, apiKey });

    const requests = async (filter: RequestFilter = {}, signal?: AbortSignal) => {
      const given = Object.entries(filter).filter(([, value]) => value !== undefined);
      const query = new URLSearchParams(given).toString();
      return JSON.parse(await call(`${sandbox}/requests?${query}`, "GET", undefined, signal)) as LoggedRequest[];
    };
    let stopped: Promise<void> | undefined;
    const stop = async () => (stopped ??= call(sandbox, "DELETE").then(leave, leave));
    return {
      url,
      petstore3Url,
      requests: async (filter) => requests(filter),
      reset: async (data = initial) => {
        // Data first: if it is rejected, nothing changes.
        await call(`${sandbox}/data`, "PUT", toBody(data));
        await call(`${sandbox}/faults`, "DELETE");
      },
      data: async () => JSON.parse(await call(`${sandbox}/data`, "GET")) as StoreContent,
      faults: async (rules) => {
        await call(`${sandbox}/faults`, "PUT", rules);
      },
      request: async (filter = {}, { timeout = 5000 } = {}) => waitForRequest(requests, filter, timeout),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await leave().catch(() => undefined);
    throw error;
  }
}

/**
 * Returns the oldest request that the filter selects, and waits for it.
 * @throws Error if none comes in time
 */
async function waitForRequest(
  find: (filter: RequestFilter, signal?: AbortSignal) => Promise<readonly LoggedRequest[]>,
  filter: RequestFilter,
  timeout: number,
): Promise<LoggedRequest> {
  for (const option of ["limit", "wait"] as const) {
    if (filter[option] !== undefined) throw new TypeError(`store.request: ${option} is not a filter`);
  }
  const deadline = performance.now() + timeout;
  for (let left = timeout; ; left = deadline - performance.now()) {
    const wait = Math.min(Math.max(Math.ceil(left / 1000), 0), MAX_WAIT_SECONDS);
    // The server waits for whole seconds.
    const signal = left > 0 && left < wait * 1000 ? AbortSignal.timeout(Math.ceil(left)) : undefined;
    const found = await find({ ...filter, wait }, signal).catch((error: unknown) => {
      if (signal?.aborted) return [];
      throw error;
    });
    const oldest = found.at(-1);
    if (oldest) return oldest;
    if (performance.now() >= deadline) {
      throw new Error(`No request came in ${timeout} ms: ${JSON.stringify(filter)}`);
    }
  }
}

const toBody = (data: StoreData) => (typeof data === "string" ? { data } : data);

function share(key: string, options: Pick<PetStoreOptions, "port" | "publicUrl">): Shared {
  const server = startServer(v.parse(ServerOptions, { ...options, data: "empty" }));
  const shared: Shared = { server, users: 0 };
  servers.set(key, shared);
  // After this server fails or is killed, the next store starts another one.
  const forget = () => servers.get(key) === shared && servers.delete(key);
  server.then(({ ended, unref }) => {
    // A process that forgets to stop its stores must still be able to end.
    unref();
    return ended.then(forget);
  }, forget);
  return shared;
}

/**
 * Sends a request without `fetch`, which a test may have replaced.
 * @returns the body of the response
 * @throws Error with the message of an error response
 */
async function call(url: string, method: string, json?: unknown, signal?: AbortSignal): Promise<string> {
  const headers = { "Content-Type": "application/json" };
  const sent = http.request(url, { method, agent: false, headers, ...(signal && { signal }) });
  sent.end(json === undefined ? undefined : JSON.stringify(json));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const body = await text(response);
  if ((response.statusCode ?? 0) < 400) return body;
  const { message, errors = [] } = JSON.parse(body) as {
    readonly message: string;
    readonly errors?: LoggedRequest["errors"];
  };
  throw new Error([message, ...errors.map((each) => `${each.path} ${each.message}`)].join("\n  "));
}
