import { afterEach, expect, test, vi } from "vitest";
import { time } from "../../src/retries.ts";
import type { LoggedRequest } from "../../src/sandbox/log.ts";
import { ask, askWith, makeStore } from "./raw.ts";

const { wait } = time;
afterEach(() => {
  time.wait = wait;
});

/** Requests are gathered until this is called. */
function gather(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  time.wait = async () => promise;
  return resolve;
}

/** A client that watches a store by WebSocket. */
class Watcher {
  readonly messages: LoggedRequest[][] = [];
  closed: number | undefined;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      this.messages.push(JSON.parse(String(data)) as LoggedRequest[]);
    });
    socket.addEventListener("close", ({ code }) => {
      this.closed = code;
    });
    socket.accept();
  }

  static async of(store: string): Promise<Watcher> {
    const { status, webSocket } = await upgrade(store);
    if (!webSocket) throw new Error(`there is no socket, but a ${status}`);
    return new Watcher(webSocket);
  }

  close(): void {
    this.#socket.close();
  }

  /** What came after the log, in the order of the answers. */
  async next(count: number): Promise<LoggedRequest[]> {
    return vi.waitFor(() => {
      const came = this.messages.slice(1).flat();
      if (came.length !== count) throw new Error(`${came.length} requests came`);
      return came;
    });
  }
}

const upgrade = async (store: string) => ask(`/stores/${store}/requests`, { Upgrade: "websocket" });

async function send(store: string, method: string, path: string, json?: unknown): Promise<void> {
  const to = `/stores/${store}${path}`;
  const response = await (json === undefined ? ask(to, {}, method) : askWith(method, to, json));
  await response.arrayBuffer();
}

test("a WebSocket gets the log, newest first, and then each request as it is answered", async () => {
  const store = await makeStore();
  await send(store, "GET", "/v2/pet/1");
  await send(store, "POST", "/v2/pet", { id: 1, name: "Rex", photoUrls: "rex.png" });
  const log = async () => (await ask(`/stores/${store}/requests`)).json<LoggedRequest[]>();
  await expect.poll(log).toHaveLength(2);
  const watcher = await Watcher.of(store);
  await expect.poll(() => watcher.messages.length).toBe(1);
  expect(watcher.messages[0]).toEqual(await log());
  expect(watcher.messages[0]?.map(({ method, status }) => [method, status])).toEqual([
    ["POST", 200],
    ["GET", 404],
  ]);

  await send(store, "GET", "/v2/user/login?username=ada&password=secret");
  await send(store, "POST", "/v2/pet", { name: "", status: "lost" });
  const requests = await watcher.next(2);
  expect(requests).toMatchObject([
    { method: "GET", path: "/v2/user/login", status: 400 },
    { method: "POST", path: "/v2/pet", status: 405 },
  ]);
  expect(requests[1]?.errors?.map(({ path }) => path)).toEqual(["name", "photoUrls", "status"]);
  // Not even the query, where the password is.
  expect(JSON.stringify(requests)).not.toContain("secret");
  watcher.close();
});

test("what is done to the store itself is not in its log", async () => {
  const store = await makeStore();
  const watcher = await Watcher.of(store);
  await send(store, "GET", "");
  await send(store, "GET", "/data");
  await send(store, "PUT", "/data", { data: "classic" });
  await send(store, "GET", "/v2/openapi.json");
  await send(store, "GET", "/v2/store/inventory");
  expect(await watcher.next(1)).toMatchObject([{ path: "/v2/store/inventory" }]);
  watcher.close();
});

test("it shows which answers a rule for faults made", async () => {
  const store = await makeStore();
  const watcher = await Watcher.of(store);
  await send(store, "PUT", "/faults", [{ path: "/pet/{petId}", status: 503, times: 1 }]);
  await send(store, "GET", "/v2/pet/1");
  await send(store, "GET", "/v2/pet/1");
  const requests = await watcher.next(2);
  expect(requests.map(({ status, isOnDemand }) => [status, isOnDemand])).toEqual([
    [503, true],
    [404, undefined],
  ]);
  watcher.close();
});

test("a request that was not written when a page began to watch comes once", async () => {
  const write = gather();
  const store = await makeStore();
  await send(store, "GET", "/v2/pet/1");
  const watcher = await Watcher.of(store);
  await send(store, "GET", "/v2/pet/2");
  write();
  expect(await watcher.next(1)).toMatchObject([{ path: "/v2/pet/2" }]);
  expect(watcher.messages[0]).toMatchObject([{ path: "/v2/pet/1" }]);
  watcher.close();
});

test("each request comes, also if many are too large to be written together", async () => {
  const write = gather();
  const store = await makeStore();
  const watcher = await Watcher.of(store);
  for (let sent = 0; sent < 40; sent++) await send(store, "GET", `/v2/${"x".repeat(15_000)}`);
  write();
  await watcher.next(40);
  expect(watcher.messages.slice(1).map(({ length }) => length)).not.toContain(0);
  watcher.close();
});

test("it ends with the store", async () => {
  const store = await makeStore();
  const watcher = await Watcher.of(store);
  await send(store, "DELETE", "");
  await expect.poll(() => watcher.closed).toBe(1001);
});

test("a watcher that does not hang up when the store ends is no fault of the next", async () => {
  const store = await makeStore();
  const { webSocket } = await upgrade(store);
  webSocket?.accept({ allowHalfOpen: true });
  await send(store, "DELETE", "");
  await send(store, "GET", "/v2/pet/1");
  const log = async () => (await ask(`/stores/${store}/requests`)).json();
  await expect.poll(log).toHaveLength(1);
  expect((await ask(`/stores/${store}`, {}, "DELETE")).status).toBe(204);
  webSocket?.close();
});

test("a store that does not exist cannot be watched, and is not made", async () => {
  const store = crypto.randomUUID();
  const response = await upgrade(store);
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({ code: 404, type: "error", message: "Store not found" });
  expect((await ask(`/stores/${store}`)).status).toBe(404);
});

test("two watchers see the same", async () => {
  const store = await makeStore();
  const [one, other] = await Promise.all([Watcher.of(store), Watcher.of(store)]);
  await send(store, "GET", "/v2/store/inventory");
  expect(await one.next(1)).toEqual(await other.next(1));
  one.close();
  other.close();
});
