// Sends requests over keep-alive connections, each as soon as the last one is answered. Bare sockets keep the client
// cheap: it shares the machine with the server.
import { connect } from "node:net";
import type { Socket } from "node:net";
import type { Asked } from "./workloads.ts";

/** The result of a load. */
export interface Load {
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Answers with a status other than 200. */
  readonly refused: number;
}

export interface LoadOptions {
  readonly port: number;
  readonly connections: number;
  readonly milliseconds: number;
  /** Returns the next request. */
  readonly next: () => Asked;
}

/** Loads a server for this long, and measures every request. */
export async function load({ port, connections, milliseconds, next }: LoadOptions): Promise<Load> {
  const latencies: number[] = [];
  let refused = 0;
  const begin = performance.now();
  const end = begin + milliseconds;
  const loadOne = async () => {
    const connection = await open(port);
    try {
      for (let asked = performance.now(); asked < end;) {
        if ((await connection.ask(next())) !== 200) refused++;
        const answered = performance.now();
        latencies.push(answered - asked);
        asked = answered;
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: connections }, loadOne));
  const seconds = (performance.now() - begin) / 1000;
  const sorted = Float64Array.from(latencies).toSorted();
  return {
    requestsPerSecond: sorted.length / seconds,
    p50: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    refused,
  };
}

interface Connection {
  /** @returns the status, after the whole answer has arrived */
  ask(asked: Asked): Promise<number>;
  close(): void;
}

async function open(port: number): Promise<Connection> {
  const socket: Socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await new Promise((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  let waiting: { resolve: (status: number) => void; reject: (error: Error) => void } | undefined;
  let received: Buffer = Buffer.alloc(0);
  const fail = (error: Error) => waiting?.reject(error);
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the server closed the connection")));
  socket.on("data", (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const answer = parse(received);
    if (!answer) return;
    received = received.subarray(answer.length);
    waiting?.resolve(answer.status);
  });
  return {
    ask: async ({ method, path, body = "" }) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        const entity =
          body === ""
            ? ""
            : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
        socket.write(
          `${method} ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n${entity}\r\n${body}`,
        );
      }),
    close: () => socket.destroy(),
  };
}

const HEAD_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

/** The first answer in `bytes`; `undefined` if it is not complete. */
function parse(bytes: Buffer): { readonly status: number; readonly length: number } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = bytes.toString("latin1", 0, headEnd);
  const status = Number(head.slice(9, 12));
  const bodyStart = headEnd + HEAD_END.length;
  const [, stated] = /^content-length: *(\d+)/im.exec(head) ?? [];
  if (stated !== undefined) {
    const length = bodyStart + Number(stated);
    return bytes.length < length ? undefined : { status, length };
  }
  // Chunked. Only one request is in flight, so the last chunk ends the received bytes.
  return bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
    ? { status, length: bytes.length }
    : undefined;
}
