// Requests that no HTTP client sends, written to a socket. The package serves, because nothing else stands between its
// clients and workerd.
import { deepEqual, doesNotMatch, equal } from "node:assert/strict";
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

/** A connection, which reads one answer after the other. */
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

  /** Reads the next answer. @param hasBody `false` for an answer to HEAD @returns its status */
  async answer(hasBody = true): Promise<number> {
    const [head, status] = await this.#read(/HTTP\/1\.[01] (\d+) [^]*?\r\n\r\n/);
    const [, length = "0"] = /^content-length: (\d+)/im.exec(head) ?? [];
    const isChunked = /^transfer-encoding: chunked/im.test(head);
    const whole = isChunked ? /^[^]*?0\r\n\r\n/ : new RegExp(`^[^]{${length}}`);
    if (hasBody) await this.#read(whole);
    return Number(status);
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

test("a body may come slowly", async () => {
  const connection = new Connection();
  for (const part of post(REX).match(/[^]{1,40}/g) ?? []) {
    connection.write(part);
    await sleep(30);
  }
  equal(await connection.answer(), 200);
});

test("a client may wait for 100 Continue", async () => {
  const connection = new Connection();
  const whole = post(REX, "Expect: 100-continue");
  connection.write(whole.slice(0, -REX.length));
  equal(await connection.answer(false), 100);
  connection.write(REX);
  equal(await connection.answer(), 200);
});

test("pipelined requests are answered in order", async () => {
  const connection = new Connection();
  connection.write(GET + request("HEAD /v2/store/inventory") + request("GET /v2/pet/x") + GET);
  const [first, second] = [await connection.answer(), await connection.answer(false)];
  deepEqual([first, second, await connection.answer(), await connection.answer()], [200, 200, 400, 200]);
});

const sandbox = `/sandboxes/${randomUUID()}`;
const access = { access: "protected", apiKey: KEY };
equal((await send("PUT", `${origin}${sandbox}/access`, access, { "X-API-Key": KEY })).status, 204);

for (const mount of ["", sandbox]) {
  const place = mount === "" ? "the service" : "a sandbox";
  const key = `X-API-Key: ${KEY}`;
  const json = "Content-Type: application/json";
  for (const [status, headers, body] of [
    [401, [json], REX],
    [413, [json, key], REX.padEnd(20_000)],
    [413, [json, key], REX.padEnd(2_000_000)],
    [415, ["Content-Type: text/plain", key], REX],
  ] as const) {
    const title = `after ${status} for ${body.length} bytes, the connection to ${place} goes on`;
    test(title, async () => {
      const connection = new Connection();
      const head = [...headers, `Content-Length: ${body.length}`];
      connection.write(request(`POST ${mount}/v2/pet`, head, body));
      equal(await connection.answer(), status);
      connection.write(request(`GET ${mount}/v2/store/inventory`));
      equal(await connection.answer(), 200);
    });
  }
}

/** A refusal: its status, the path, and the headers of the request. */
const REFUSALS = [
  [401, "/v2/pet", ["Content-Type: application/json"]],
  [404, "/v2/nowhere", []],
  [405, "/v2/store/inventory", []],
  [413, "/v2/pet", ["Content-Type: application/json", `X-API-Key: ${KEY}`]],
  [415, "/v2/pet/1/uploadImage", ["Content-Type: text/plain", `X-API-Key: ${KEY}`]],
] as const;

test("a sandbox is refused for its type while its data is sent", async () => {
  const connection = new Connection();
  connection.write(
    request("POST /sandboxes", [`X-API-Key: ${KEY}`, "Content-Type: text/plain", "Content-Length: 1000"], "abc"),
  );
  equal(await connection.answer(), 415);
});

for (const mount of ["", sandbox]) {
  const place = mount === "" ? "the service" : "a sandbox";
  const inventory = request(`GET ${mount}/v2/store/inventory`);
  const rest = "x".repeat(1_300_000);
  for (const [status, path, headers] of REFUSALS) {
    const headOf = (...more: readonly string[]) => request(`POST ${mount}${path}`, [...headers, ...more]);

    test(`${place} answers ${status} while a body of a stated length is sent, and the connection goes on`, async () => {
      const connection = new Connection();
      connection.write(`${headOf(`Content-Length: ${3 + rest.length}`)}{"n`);
      equal(await connection.answer(), status);
      connection.write(rest + inventory);
      equal(await connection.answer(), 200);
    });

    test(`${place} answers ${status} while a body is sent in chunks, and the connection goes on`, async () => {
      const connection = new Connection();
      // So much that a limit refuses it before its end.
      connection.write(`${headOf("Transfer-Encoding: chunked")}5000\r\n${"x".repeat(0x5000)}\r\n`);
      equal(await connection.answer(), status);
      connection.write(`${rest.length.toString(16)}\r\n${rest}\r\n0\r\n\r\n${inventory}`);
      equal(await connection.answer(), 200);
    });

    test(`${place} answers ${status} to a client that hardly sends, and soon reads no more`, async () => {
      const connection = new Connection();
      connection.write(`${headOf("Content-Length: 100000")}{"n`);
      equal(await connection.answer(), status);
      // workerd closes when something comes that nobody reads.
      for (; !connection.isClosed; await sleep(100)) connection.write("x");
    });
  }

  test(`${place} answers 401 to HEAD while a body is sent`, async () => {
    const connection = new Connection();
    connection.write(request(`HEAD ${mount}/v2/store/order/1`, ["Content-Length: 1000"], '{"n'));
    equal(await connection.answer(false), 401);
  });

  test(`${place} answers without a body to a client that stops sending`, async () => {
    const connection = new Connection();
    connection.write(request(`OPTIONS ${mount}/v2/pet`, ["Content-Length: 1000"], "abc"));
    equal(await connection.answer(), 204);
  });

  test(`after an answer without a body to a request with one, the connection to ${place} goes on`, async () => {
    const connection = new Connection();
    const headers = [`X-API-Key: ${KEY}`, "Content-Length: 2"];
    for (let id = 1; id <= 3; id++) {
      await send("POST", `${origin}${mount}/v2/store/order`, { id }, { "X-API-Key": KEY });
      connection.write(request(`DELETE ${mount}/api/v3/store/order/${id}`, headers, "{}"));
      equal(await connection.answer(), 200);
    }
    connection.write(inventory);
    equal(await connection.answer(), 200);
  });

  test(`${place} reads no more than 16 MB of a body that it refuses`, async () => {
    const connection = new Connection();
    const length = 200_000_000;
    connection.write(request(`POST ${mount}/v2/nowhere`, [`Content-Length: ${length}`], "x".repeat(1000)));
    equal(await connection.answer(), 404);
    for (let sent = 1000; sent < length && !connection.isClosed; sent += rest.length) {
      connection.write(rest);
      await sleep(1);
    }
    await connection.closed();
  });
}

test("a body may come in chunks", async () => {
  const connection = new Connection();
  const headers = ["Content-Type: application/json", `X-API-Key: ${KEY}`, "Transfer-Encoding: chunked"];
  const chunks = [REX.slice(0, 7), REX.slice(7)].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
  connection.write(request("POST /v2/pet", headers, `${chunks.join("")}0\r\n\r\n`));
  equal(await connection.answer(), 200);
});

test("HTTP/1.0 is served with a Host", async () => {
  const connection = new Connection();
  connection.write("GET /v2/store/inventory HTTP/1.0\r\nHost: localhost\r\n\r\n");
  equal(await connection.answer(), 200);
  await connection.closed();
});

// workerd answers these by itself.
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
    equal(await connection.answer(), status);
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
        equal(await connection.answer(), status);
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
      equal(await connection.answer(), status);
    }
  });

  for (const [host, status] of [
    ["a~b", 200],
    ["a!b'(c)", 200],
    ["a%41b", 200],
    ["[::1]:8787", 200],
    ['a"b', 400],
    ["a{b}", 400],
  ] as const) {
    test(`${place} returns ${status} for the host ${host}`, async () => {
      // The pages have no host in them, so no host is invalid there.
      const paths = [`${mount}/v2/openapi.json`, `${mount}/v2/store/inventory`, ...(status === 200 ? ["/docs/"] : [])];
      for (const path of paths) {
        const connection = new Connection();
        connection.write(request(`GET ${path}`).replace("Host: localhost", `Host: ${host}`));
        equal(await connection.answer(), status);
      }
    });
  }
}
