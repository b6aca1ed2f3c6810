// Requests that no HTTP client sends, written to a socket. The package serves, because nothing else stands between its
// clients and workerd.
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { send, startPackage } from "./server.ts";

const KEY = randomUUID();
const { program, origin, port } = await startPackage(["--empty", "--access", "protected", "--api-key", KEY]);

const connections: Connection[] = [];

after(async () => {
  for (const connection of connections) connection.end();
  await program.stop();
});

/** A connection, which reads one response after the other. */
class Connection {
  #received = "";
  readonly #socket: Socket;

  constructor() {
    connections.push(this);
    this.#socket = connect(Number(port), "127.0.0.1");
    this.#socket.setEncoding("latin1").on("data", (text: string) => (this.#received += text));
    // What a closed connection means, the waiting reader tells.
    this.#socket.on("error", () => undefined);
  }

  /** Writes text as Latin-1, so each character is a byte. */
  write(text: string): void {
    this.#socket.write(text, "latin1");
  }

  /** Reads until it has a match, and drops what is before its end. @throws Error if the server closes first */
  async #read(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#received);
      if (found) {
        this.#received = this.#received.slice(found.index + found[0].length);
        return found;
      }
      if (this.#socket.closed) throw new Error(`closed after ${JSON.stringify(this.#received)}`);
      await Promise.race([once(this.#socket, "data"), once(this.#socket, "close")]);
    }
  }

  /** Reads the next response. @param hasBody `false` for a response to HEAD @returns its status */
  async response(hasBody = true): Promise<number> {
    const [head, status] = await this.#read(/HTTP\/1\.[01] (\d+) [^]*?\r\n\r\n/);
    const [, length = "0"] = /^content-length: (\d+)/im.exec(head) ?? [];
    const isChunked = /^transfer-encoding: chunked/im.test(head);
    const whole = isChunked ? /^[^]*?0\r\n\r\n/ : new RegExp(`^[^]{${length}}`);
    if (hasBody) await this.#read(whole);
    return Number(status);
  }

  /** Reads the head of the next response. */
  async head(): Promise<string> {
    const [head] = await this.#read(/HTTP\/1\.1 \d+ [^]*?\r\n\r\n/);
    return head;
  }

  /** Reads bytes as hexadecimal digits. */
  async bytes(length: number): Promise<string> {
    const [bytes] = await this.#read(new RegExp(`^[^]{${length}}`));
    return Buffer.from(bytes, "latin1").toString("hex");
  }

  /** Waits until the server closes. Returns what was not read. */
  async rest(): Promise<string> {
    await this.closed();
    return this.#received;
  }

  /** The number of bytes that were received and not read. */
  get waiting(): number {
    return this.#received.length;
  }

  /** Closes the connection without a FIN. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  get isClosed(): boolean {
    return this.#socket.closed;
  }

  /** Waits until the server closes. */
  async closed(): Promise<void> {
    // `once` of events would fail with the error of a write.
    if (!this.#socket.closed) await new Promise((resolve) => this.#socket.once("close", resolve));
  }

  /** Sends nothing more, but still reads. */
  cutOff(): void {
    this.#socket.end();
  }

  end(): void {
    this.#socket.destroy();
  }
}

/** The head of a request, or the whole of it. */
const request = (line: string, headers: readonly string[] = [], body = "") =>
  [`${line} HTTP/1.1`, "Host: localhost", ...headers, "", body].join("\r\n");

const post = (body: string, ...headers: readonly string[]) =>
  request(
    "POST /v2/pet",
    ["Content-Type: application/json", `X-API-Key: ${KEY}`, `Content-Length: ${body.length}`, ...headers],
    body,
  );

const GET = request("GET /v2/store/inventory");
const REX = JSON.stringify({ name: "Rex", photoUrls: [] });

test("a client that leaves in the middle of a body stores nothing", async () => {
  const connection = new Connection();
  const whole = post(JSON.stringify({ name: "Rex", photoUrls: [], status: "sold" }));
  connection.write(whole.slice(0, -20));
  await sleep(200);
  connection.end();
  await sleep(200);
  const inventory = await fetch(`${origin}/v2/store/inventory`);
  deepEqual(await inventory.json(), { available: 0, pending: 0, sold: 0 });
});

test("a client may wait for 100 Continue", async () => {
  const connection = new Connection();
  const whole = post(REX, "Expect: 100-continue");
  connection.write(whole.slice(0, -REX.length));
  equal(await connection.response(false), 100);
  connection.write(REX);
  equal(await connection.response(), 200);
});

test("pipelined requests get their responses in order", async () => {
  const connection = new Connection();
  connection.write(GET + request("HEAD /v2/store/inventory") + request("GET /v2/pet/x") + GET);
  const [first, second] = [await connection.response(), await connection.response(false)];
  deepEqual([first, second, await connection.response(), await connection.response()], [200, 200, 400, 200]);
});

const sandbox = `/sandboxes/${randomUUID()}`;
const access = { access: "protected", apiKey: KEY };
equal((await send("PUT", `${origin}${sandbox}/access`, access, { "X-API-Key": KEY })).status, 204);

/** An error: its status, the path, and the headers of the request. */
const ERRORS = [
  [401, "/v2/pet", ["Content-Type: application/json"]],
  [404, "/v2/nowhere", []],
  [405, "/v2/store/inventory", []],
  [413, "/v2/pet", ["Content-Type: application/json", `X-API-Key: ${KEY}`]],
  [415, "/v2/pet/1/uploadImage", ["Content-Type: text/plain", `X-API-Key: ${KEY}`]],
] as const;

test("a sandbox is rejected for its media type while its data is being sent", async () => {
  const connection = new Connection();
  connection.write(
    request("POST /sandboxes", [`X-API-Key: ${KEY}`, "Content-Type: text/plain", "Content-Length: 1000"], "abc"),
  );
  equal(await connection.response(), 415);
});

for (const mount of ["", sandbox]) {
  const place = mount === "" ? "the service" : "a sandbox";
  const inventory = request(`GET ${mount}/v2/store/inventory`);
  const rest = "x".repeat(1_300_000);
  for (const [status, path, headers] of ERRORS) {
    const headOf = (...more: readonly string[]) => request(`POST ${mount}${path}`, [...headers, ...more]);

    test(`${place} returns ${status} while a body with a length is being sent, and keeps the connection`, async () => {
      const connection = new Connection();
      connection.write(`${headOf(`Content-Length: ${3 + rest.length}`)}{"n`);
      equal(await connection.response(), status);
      connection.write(rest + inventory);
      equal(await connection.response(), 200);
    });

    test(`${place} returns ${status} while a chunked body is being sent, and keeps the connection`, async () => {
      const connection = new Connection();
      // Large enough to exceed a limit before its end.
      connection.write(`${headOf("Transfer-Encoding: chunked")}5000\r\n${"x".repeat(0x5000)}\r\n`);
      equal(await connection.response(), status);
      connection.write(`${rest.length.toString(16)}\r\n${rest}\r\n0\r\n\r\n${inventory}`);
      equal(await connection.response(), 200);
    });

    test(`${place} returns ${status} to a client that sends slowly, and soon stops reading`, async () => {
      const connection = new Connection();
      connection.write(`${headOf("Content-Length: 100000")}{"n`);
      equal(await connection.response(), status);
      // workerd closes the connection when data arrives that the Worker does not read.
      for (; !connection.isClosed; await sleep(100)) connection.write("x");
    });
  }

  test(`${place} returns 401 for HEAD while a body is being sent`, async () => {
    const connection = new Connection();
    connection.write(request(`HEAD ${mount}/v2/store/order/1`, ["Content-Length: 1000"], '{"n'));
    equal(await connection.response(false), 401);
  });

  test(`${place} sends a response without a body to a client that stops sending`, async () => {
    const connection = new Connection();
    connection.write(request(`OPTIONS ${mount}/v2/pet`, ["Content-Length: 1000"], "abc"));
    equal(await connection.response(), 204);
  });

  test(`${place} keeps the connection after a response without a body to a request with one`, async () => {
    const connection = new Connection();
    const headers = [`X-API-Key: ${KEY}`, "Content-Length: 2"];
    for (let id = 1; id <= 3; id++) {
      await send("POST", `${origin}${mount}/v2/store/order`, { id }, { "X-API-Key": KEY });
      connection.write(request(`DELETE ${mount}/api/v3/store/order/${id}`, headers, "{}"));
      equal(await connection.response(), 200);
    }
    connection.write(inventory);
    equal(await connection.response(), 200);
  });

  test(`${place} reads at most 16 MB of a body that it rejects`, async () => {
    const connection = new Connection();
    const length = 200_000_000;
    connection.write(request(`POST ${mount}/v2/nowhere`, [`Content-Length: ${length}`], "x".repeat(1000)));
    equal(await connection.response(), 404);
    for (let sent = 1000; sent < length && !connection.isClosed; sent += rest.length) {
      connection.write(rest);
      await sleep(1);
    }
    await connection.closed();
  });
}

test("HTTP/1.0 is served with a Host", async () => {
  const connection = new Connection();
  connection.write("GET /v2/store/inventory HTTP/1.0\r\nHost: localhost\r\n\r\n");
  equal(await connection.response(), 200);
  await connection.closed();
});

// workerd itself responds to these.
for (const [title, status, text] of [
  ["HTTP/1.0 without a Host", 400, "GET /v2/store/inventory HTTP/1.0\r\n\r\n"],
  ["an unknown method", 501, request("FETCH /v2/pet/1")],
  ["CONNECT", 500, request("CONNECT localhost:80")],
  ["a raw Latin-1 byte in a path", 400, request("GET /v2/user/Zo\u00eb")],
  ["two different lengths", 400, request("POST /v2/pet", ["Content-Length: 2", "Content-Length: 3"], "{}")],
] as const) {
  test(`${title} is ${status}`, async () => {
    const connection = new Connection();
    connection.write(text);
    equal(await connection.response(), status);
  });
}

for (const mount of ["", sandbox]) {
  const place = mount === "" ? "the service" : "a sandbox";
  const key = `X-API-Key: ${KEY}`;

  for (const [status, line, type, body] of [
    [405, "POST /v2/pet", "application/json", '{"name":"Max","photoUrls":[]'],
    [400, "POST /v2/user/createWithList", "application/json", "[{}"],
    [405, "POST /v2/pet/1", "application/x-www-form-urlencoded", "name=Ma"],
    [400, "POST /v2/pet/1/uploadImage", "multipart/form-data; boundary=b", "--b"],
    [400, "POST /api/v3/pet/1/uploadImage", "image/gif", "GIF89a"],
  ] as const) {
    test(`${place} returns ${status} to a client that cuts off the body of ${line}, and logs no error`, async () => {
      const [method, path = ""] = line.split(" ");
      for (const [header, sent] of [
        ["Content-Length: 99", body],
        ["Transfer-Encoding: chunked", `${body.length.toString(16)}\r\n${body}\r\n`],
      ] as const) {
        const connection = new Connection();
        connection.write(request(`${method} ${mount}${path}`, [`Content-Type: ${type}`, key, header], sent));
        connection.cutOff();
        equal(await connection.response(), status);
      }
      // What workerd logs by itself, as for CONNECT, is not JSON.
      doesNotMatch(program.output, /"error":/);
    });
  }

  test(`${place} rejects a client that waits for 100 Continue, without a 100`, async () => {
    for (const [status, path, headers] of [
      [401, "/v2/pet", ["Content-Type: application/json", "Content-Length: 2"]],
      [404, "/v2/nowhere", ["Content-Length: 2"]],
      [405, "/v2/store/inventory", ["Content-Length: 2"]],
      [413, "/v2/pet", ["Content-Type: application/json", key, "Content-Length: 20000"]],
      [415, "/v2/pet", ["Content-Type: text/plain", key, "Content-Length: 2"]],
    ] as const) {
      const connection = new Connection();
      connection.write(request(`POST ${mount}${path}`, [...headers, "Expect: 100-continue"]));
      equal(await connection.response(), status);
    }
  });

  for (const [host, status] of [
    ["a_b-c.d:80", 200],
    ["[::1]:8787", 200],
    ["a~b", 400],
    ["a!b'(c)", 400],
    ["a%41b", 400],
    ['a"b', 400],
    ["a{b}", 400],
    ["a b", 400],
    ["a/b", 400],
    ["a?b", 400],
    ["a@b", 400],
    ["a|b", 400],
    ["localhost:99999", 400],
  ] as const) {
    test(`${place} returns ${status} for the host ${host}`, async () => {
      // The pages have no host in them, so no host is invalid there.
      const paths = [`${mount}/v2/openapi.json`, `${mount}/v2/store/inventory`, ...(status === 200 ? ["/docs/"] : [])];
      for (const path of paths) {
        const connection = new Connection();
        connection.write(request(`GET ${path}`).replace("Host: localhost", `Host: ${host}`));
        equal(await connection.response(), status);
      }
    });
  }
}

/** Creates a sandbox with a pet and these rules. Returns its path. */
async function sandboxWith(...rules: readonly object[]): Promise<string> {
  const path = `/sandboxes/${randomUUID()}`;
  const pet = { id: 1, name: "Rex", photoUrls: [], status: "sold" };
  equal((await send("PUT", `${origin}${path}/data`, { pets: [pet] }, { "X-API-Key": KEY })).status, 204);
  equal((await send("PUT", `${origin}${path}/faults`, rules)).status, 204);
  return path;
}

/** Reads the request log of a sandbox, newest first. */
async function logOf(path: string) {
  const response = await fetch(`${origin}${path}/requests`);
  return (await response.json()) as {
    readonly method: string;
    readonly status: number;
    readonly requestBody?: string;
  }[];
}

const statusesOf = async (path: string) => (await logOf(path)).map(({ status }) => status);

for (const base of ["/v2", "/api/v3"]) {
  const json = "Content-Type: application/json";
  const create = (path: string, pet: object) => {
    const body = JSON.stringify({ photoUrls: [], ...pet });
    return request(`POST ${path}${base}/pet`, [json, `Content-Length: ${body.length}`], body);
  };

  for (const isPerformed of [false, true]) {
    const work = isPerformed ? "after the request was performed" : "before anything is done";
    test(`${base}: a rule closes the connection without a byte, ${work}`, async () => {
      const path = await sandboxWith({ break: "connection", after: isPerformed, times: 3 }, { delayMs: 1 });
      for (const text of [
        create(path, { id: 7, name: "Max" }),
        request(`HEAD ${path}${base}/pet/1`),
        request(`GET ${path}${base}/pet/1`),
      ]) {
        const connection = new Connection();
        connection.write(text);
        equal(await connection.rest(), "");
      }
      // Nothing repeats a request.
      deepEqual(await statusesOf(path), [0, 0, 0]);
      equal((await fetch(`${origin}${path}${base}/pet/7`)).status, isPerformed ? 200 : 404);
      const faults = (await (await fetch(`${origin}${path}/faults`)).json()) as { readonly used: number }[];
      equal(faults[0]?.used, 3);
    });
  }

  test(`${base}: a rule closes the connection after a delay, for the requests that it matches`, async () => {
    const conditions = { query: { a: "b c" }, headers: { "x-a": "1, 2" }, body: { name: "Max" } };
    const path = await sandboxWith({ match: conditions, break: "connection", delayMs: [100, 120], every: 2, times: 1 });
    const body = '{"name":"Max","photoUrls":[]}';
    const chunks = [body.slice(0, 5), body.slice(5)].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
    const headers = [json, "X-A: 1", "X-A: 2", "Transfer-Encoding: chunked"];
    const matching = request(`POST ${path}${base}/pet?a=b+c`, headers, `${chunks.join("")}0\r\n\r\n`);
    const connection = new Connection();
    connection.write(matching + create(path, { name: "Max" }) + create(path, { name: "Rex" }));
    for (let count = 0; count < 3; count++) equal(await connection.response(), 200);
    const began = Date.now();
    connection.write(matching);
    equal(await connection.rest(), "");
    ok(Date.now() - began >= 100);
    const next = new Connection();
    next.write(matching + matching);
    deepEqual([await next.response(), await next.response()], [200, 200]);
    deepEqual(await statusesOf(path), [200, 200, 0, 200, 200, 200]);
  });

  test(`${base}: a slow body has its length, and comes in parts`, async () => {
    const path = await sandboxWith({ slowMs: 900, times: 1 });
    const connection = new Connection();
    connection.write(request(`GET ${path}${base}/pet/1`));
    const began = Date.now();
    const length = Number(/^content-length: (\d+)/im.exec(await connection.head())?.[1]);
    await connection.bytes(1);
    // The head and the first part come at once.
    ok(connection.waiting < length / 2);
    await connection.bytes(length - 1);
    ok(Date.now() - began >= 800);
    connection.write(request(`GET ${path}${base}/pet/1`));
    equal(await connection.response(), 200);
  });

  test(`${base}: a slow body ends when the sandbox is deleted, and no other request waits for it`, async () => {
    const path = await sandboxWith({ slowMs: 30_000, times: 2 });
    const [hungUp, connection] = [new Connection(), new Connection()];
    for (const each of [hungUp, connection]) {
      each.write(request(`GET ${path}${base}/pet/1`));
      await each.head();
    }
    hungUp.end();
    equal((await fetch(`${origin}${path}${base}/pet/1`)).status, 200);
    equal((await send("DELETE", `${origin}${path}`)).status, 204);
    const rest = await connection.rest();
    ok(rest.length < 20);
  });

  for (const [broken, ends] of [
    ["body", false],
    ["json", true],
  ] as const) {
    test(`${base}: half a body ${ends ? "ends cleanly" : "ends with the connection"}`, async () => {
      const path = await sandboxWith({ break: broken, times: 1 });
      const printed = program.output;
      const connection = new Connection();
      connection.write(request(`GET ${path}${base}/pet/1`));
      const length = Number(/^content-length: (\d+)/im.exec(await connection.head())?.[1]);
      if (ends) {
        await connection.bytes(length);
        connection.write(request(`GET ${path}${base}/pet/1`));
        equal(await connection.response(), 200);
      } else {
        equal((await connection.rest()).length, Math.ceil(length / 2));
      }
      // The runtime would print an error before its next response.
      equal((await fetch(`${origin}${path}${base}/pet/1`)).status, 200);
      equal(program.output, printed);
    });
  }

  test(`${base}: a client waits for a request, also after others hung up`, async () => {
    const path = await sandboxWith();
    const wait = request(`GET ${path}/requests?wait=30&operationId=addPet`);
    const [reset, ended, waiting] = [new Connection(), new Connection(), new Connection()];
    for (const each of [reset, ended, waiting]) each.write(wait);
    equal((await fetch(`${origin}${path}${base}/pet/1`)).status, 200);
    reset.reset();
    ended.end();
    const created = new Connection();
    created.write(create(path, { name: "Max" }));
    equal(await created.response(), 200);
    equal(await waiting.response(), 200);
    const deleted = new Connection();
    deleted.write(request(`GET ${path}/requests?wait=30&status=503`));
    equal((await fetch(`${origin}${path}${base}/pet/1`)).status, 200);
    equal((await send("DELETE", `${origin}${path}`)).status, 204);
    equal(await deleted.response(), 404);
  });

  test(`${base}: a sandbox logs a body that is cut off with the operation's status`, async () => {
    const path = await sandboxWith();
    const connection = new Connection();
    connection.write(create(path, { name: "Max" }).slice(0, -5));
    connection.cutOff();
    const status = base === "/v2" ? 405 : 400;
    equal(await connection.response(), status);
    deepEqual(await statusesOf(path), [status]);
  });
}

test("a delayed fault response does not ask for the body", async () => {
  const path = await sandboxWith({ status: 503, delayMs: 200 });
  const connection = new Connection();
  connection.write(request(`POST ${path}/v2/pet`, ["Content-Length: 2", "Expect: 100-continue"]));
  equal(await connection.response(), 503);
});

test("a rule for a body does not ask for a body that is too large, or compressed", async () => {
  const path = await sandboxWith({ match: { body: { name: "Rex" } }, status: 503 });
  for (const [status, header] of [
    [413, "Content-Length: 20000"],
    [415, "Content-Length: 2\r\nContent-Encoding: gzip"],
  ] as const) {
    const connection = new Connection();
    const headers = ["Content-Type: application/json", header, "Expect: 100-continue"];
    connection.write(request(`POST ${path}/v2/pet`, headers));
    equal(await connection.response(), status);
  }
});

/** Opens a WebSocket that watches a sandbox's request log. */
async function openWebSocket(path: string): Promise<Connection> {
  const upgrade = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"];
  const headers = [...upgrade, `Sec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}`];
  const connection = new Connection();
  connection.write(request(`GET ${path}/requests`, headers));
  match(await connection.head(), /^HTTP\/1\.1 101 /);
  return connection;
}

/** A frame of a client, whose mask changes nothing. */
const frame = (opcode: number, payload: readonly number[]) =>
  String.fromCodePoint(0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0, ...payload);

for (const [title, sent, received] of [
  ["a Close frame with a code", [0x0f, 0xa1], "88020fa1"],
  ["a Close frame with a reason", [0x03, 0xe8, 0x61], "880303e861"],
  ["an empty Close frame", [], "880203e8"],
  ["a Close frame with a code that must not be sent", [0x03, 0xee], "880203ea"],
  ["a Close frame with a code that is not one", [0x03, 0xe7], "880203ea"],
] as const) {
  test(`a WebSocket answers ${title}`, async () => {
    const path = await sandboxWith();
    const connection = await openWebSocket(path);
    connection.write(frame(8, sent));
    equal(await connection.bytes(received.length / 2), received);
    equal(await connection.rest(), "");
  });
}

for (const how of ["FIN", "reset"] as const) {
  test(`after a ${how}, a WebSocket is forgotten, and the sandbox continues`, async () => {
    const path = await sandboxWith();
    const { length } = program.output;
    const connection = await openWebSocket(path);
    if (how === "FIN") connection.cutOff();
    else connection.reset();
    await connection.closed();
    equal((await fetch(`${origin}${path}/v2/pet/1`)).status, 200);
    deepEqual(await statusesOf(path), [200]);
    doesNotMatch(program.output.slice(length), /"error":/);
  });
}
