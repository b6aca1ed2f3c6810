import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { time } from "../../src/platform/failures.ts";
import type { LoggedRequest } from "../../src/sandbox/record/log.ts";
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
  readonly receipts: string[] = [];
  bytes = 0;
  closed: number | undefined;
  readonly #socket: WebSocket;

  /** @param reads whether it says what it has read */
  constructor(socket: WebSocket, reads: boolean) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const text = String(data);
      const message = JSON.parse(text) as { receipt: string; requests: LoggedRequest[] };
      this.bytes += text.length;
      this.messages.push(message.requests);
      this.receipts.push(message.receipt);
      if (reads) this.say(message.receipt);
    });
    socket.addEventListener("close", ({ code }) => {
      this.closed = code;
    });
    socket.accept();
  }

  static async of(store: string, { reads = true } = {}): Promise<Watcher> {
    const { status, webSocket } = await upgrade(store);
    if (!webSocket) throw new Error(`there is no socket, but a ${status}`);
    return new Watcher(webSocket, reads);
  }

  say(text: string): void {
    this.#socket.send(text);
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
    }, 60_000);
  }
}

const upgrade = async (store: string) => ask(`/stores/${store}/requests`, { Upgrade: "websocket" });

async function send(store: string, method: string, path: string, json?: unknown): Promise<void> {
  const to = `/stores/${store}${path}`;
  const response = await (json === undefined ? ask(to, {}, method) : askWith(method, to, json));
  await response.arrayBuffer();
}

test("a WebSocket gets the log, and then each request as it is answered §10.7.12", async () => {
  const store = await makeStore();
  await send(store, "GET", "/v2/pet/1");
  await send(store, "POST", "/v2/pet", { id: 1, name: "Rex", photoUrls: "rex.png" });
  const log = async () => (await ask(`/stores/${store}/requests`)).json<LoggedRequest[]>();
  await expect.poll(log).toHaveLength(2);
  const watcher = await Watcher.of(store);
  await expect.poll(() => watcher.messages.length).toBe(1);
  expect(watcher.messages[0]?.toReversed()).toEqual(await log());
  expect(watcher.messages[0]?.map(({ id, method, status }) => [id, method, status])).toEqual([
    [1, "GET", 404],
    [2, "POST", 200],
  ]);

  await send(store, "GET", "/v2/user/login?username=ada&password=secret");
  await send(store, "POST", "/v2/pet", { name: "", status: "lost" });
  const requests = await watcher.next(2);
  expect(requests).toMatchObject([
    { id: 3, method: "GET", path: "/v2/user/login", status: 400 },
    { id: 4, method: "POST", path: "/v2/pet", status: 405 },
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
  const rule = { path: "/pet/{petId}", status: 503, times: 1 };
  await send(store, "PUT", "/faults", [rule]);
  await send(store, "GET", "/v2/pet/1");
  await send(store, "GET", "/v2/pet/1");
  const requests = await watcher.next(2);
  expect(requests.map(({ status, rule: met }) => [status, met])).toEqual([
    [503, rule],
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

/** Sends requests, each with many errors in the log, and one with a long path. */
async function sendLarge(store: string, count: number): Promise<void> {
  const json = { tags: Array.from({ length: 100 }, () => 1) };
  for (let sent = 1; sent < count; sent++) await send(store, "POST", "/v2/pet", json);
  await send(store, "GET", `/v2/${"x".repeat(10_000)}`);
}

const idsOf = ({ messages }: Watcher) => messages.flat().map(({ id }) => id);
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

test("each request arrives, even if many are too large for one write, and a long path is cut §10.7.1 §10.7.12", async () => {
  const write = gather();
  const store = await makeStore();
  const watcher = await Watcher.of(store);
  await sendLarge(store, 40);
  write();
  const requests = await watcher.next(40);
  expect(watcher.messages.slice(1).map(({ length }) => length)).not.toContain(0);
  expect(requests.at(-1)?.path).toBe(`/v2/${"x".repeat(2044)}`);
  watcher.close();
});

/** Sends requests that are written one by one. */
async function sendSingly(store: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++) {
    await send(store, "GET", "/v2/store/inventory");
    await send(store, "GET", "/requests");
  }
}

test.each<[string, number, typeof sendLarge]>([
  ["large ones", 50, sendLarge],
  ["many", 55, sendSingly],
])(
  "a page that does not say what it reads gets 256 KB and 50 messages, and the rest later: %s §10.7.12",
  async (_, count, sendAll) => {
    const store = await makeStore();
    const watcher = await Watcher.of(store, { reads: false });
    await sendAll(store, count);
    const log = async () => (await ask(`/stores/${store}/requests`)).json();
    await expect.poll(log).toHaveLength(count);
    const before = idsOf(watcher);
    expect(before.length).toBeLessThan(count);
    expect(before).toEqual(upTo(before.length));
    expect(watcher.messages.length).toBeLessThanOrEqual(50);
    expect(watcher.bytes).toBeLessThanOrEqual(256 * 1024 + 50 * 40);

    await evictDurableObject(env.STORES.getByName(store));
    for (let told = 0; idsOf(watcher).length < count; told++) {
      await expect.poll(() => watcher.receipts.length).toBeGreaterThan(told);
      watcher.say(watcher.receipts[told] ?? "");
      await scheduler.wait(10);
    }
    expect(idsOf(watcher)).toEqual(upTo(count));
    watcher.close();
  },
);

test.each(["0", "1000000", "what", "1-1234567", "1-123456789", " 1-12345678"])(
  "a page that returns what has not the form of a receipt is cut off: %s §10.7.12",
  async (text) => {
    const watcher = await Watcher.of(await makeStore(), { reads: false });
    watcher.say(text);
    await expect.poll(() => watcher.closed).toBe(1008);
  },
);

test("a page that returns 50 receipts of no message in a row is cut off §10.7.12", async () => {
  const store = await makeStore();
  const watcher = await Watcher.of(store, { reads: false });
  const guess = (times: number) => {
    for (let told = 0; told < times; told++) watcher.say("1-12345678");
  };
  await expect.poll(() => watcher.receipts.length).toBe(1);
  guess(49);
  watcher.say(watcher.receipts[0] ?? "");
  guess(49);
  await sendSingly(store, 1);
  await expect.poll(() => watcher.receipts.length).toBe(2);
  expect(watcher.closed).toBeUndefined();
  guess(1);
  await expect.poll(() => watcher.closed).toBe(1008);
});

test("a receipt acknowledges the messages before it, whose own may come later §10.7.12", async () => {
  const store = await makeStore();
  const watcher = await Watcher.of(store, { reads: false });
  await sendSingly(store, 4);
  await expect.poll(() => watcher.receipts.length).toBe(5);
  for (const index of [2, 1, 0, 4, 4, 3]) watcher.say(watcher.receipts[index] ?? "");
  await sendSingly(store, 60);
  watcher.say(watcher.receipts.at(-1) ?? "");
  await expect.poll(() => idsOf(watcher).length).toBe(64);
  watcher.say(watcher.receipts[0] ?? "");
  await scheduler.wait(20);
  expect(watcher.closed).toBeUndefined();
  watcher.close();
});

test("at most 20 pages watch a store §10.5.5", async () => {
  const store = await makeStore();
  const watchers = await Promise.all(Array.from({ length: 20 }, async () => Watcher.of(store)));
  const refused = await upgrade(store);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  await refused.arrayBuffer();
  for (const watcher of watchers) watcher.close();
  await expect
    .poll(async () => {
      const { status, webSocket } = await upgrade(store);
      webSocket?.accept();
      webSocket?.close();
      return status;
    })
    .toBe(101);
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
