// Sends one case over a socket, and checks the answers and that the service is unchanged.
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { HostileCase } from "./case.ts";
import { faultsOf } from "./checks.ts";
import type { Answer } from "./checks.ts";
import { IMAGE } from "./given.ts";
import { blocksOf, head } from "./wire.ts";
import type { Wire } from "./wire.ts";

/** Long, because machines may be busy. */
const ANSWER_MS = 120_000;

/** Where the cases go, and what must still be there after each. */
export interface Target {
  readonly origin: URL;
  /** The base path of the interface. */
  readonly base: string;
  /** The path of the stored image. */
  readonly image: string;
  inventory: string;
}

/** Runs a case on all its connections. @returns what is wrong */
export async function run(hostile: HostileCase, target: Target): Promise<string[]> {
  const attempts = Array.from({ length: hostile.connections ?? 1 }, async () =>
    runOnce(hostile, target).catch((error: unknown) => [String(error)]),
  );
  return [...new Set((await Promise.all(attempts)).flat())];
}

/** A look-up of the inventory follows each case: on the same connection, unless the client leaves. */
async function runOnce(hostile: HostileCase, target: Target): Promise<string[]> {
  const { leaves, status, pipelined = [] } = hostile;
  const lookUp = head("GET", "/v2/store/inventory", ["Connection: close"]);
  const exchange = async (wire: Wire, end?: HostileCase["leaves"]) =>
    answersOf(await converse(target.origin, addressed(wire, target), end));
  const answers = await (leaves === undefined
    ? exchange([...hostile.wire, lookUp])
    : exchange(hostile.wire, leaves));
  if (leaves !== undefined) answers.push(...(await exchange([lookUp])));
  const expected = [...(status === undefined ? [] : [status]), ...pipelined, 200].join();
  const statuses = answers.map((answer) => answer.status).join();
  if (statuses !== expected) return [`statuses ${statuses} instead of ${expected}`];

  const [first] = answers;
  const faults = status === undefined || first === undefined ? [] : faultsOf(first, hostile);
  const inventory = answers.at(-1)?.body ?? "";
  if (inventory !== target.inventory) {
    faults.push(`the inventory is ${inventory}`);
    // Report it once, not for each case that follows.
    target.inventory = inventory;
  }
  return faults;
}

/** Sends bytes, and leaves if it is told to. @returns what the server sends until it ends the connection */
async function converse(
  origin: URL,
  wire: Wire,
  leaves: HostileCase["leaves"] | undefined,
): Promise<string> {
  // Half-open: our side stays open when the server ends its own.
  const socket = connect({ host: origin.hostname, port: Number(origin.port), allowHalfOpen: true });
  socket.setNoDelay(true);
  const received: Buffer[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    socket.setTimeout(ANSWER_MS, () => reject(new Error("no answer in time")));
    socket.on("data", (bytes) => received.push(bytes));
    // The server may end the connection before everything is sent.
    for (const event of ["end", "error", "close"]) socket.on(event, () => resolve());
  });
  const send = async () => {
    for (const piece of wire) {
      if (typeof piece === "object" && "pauseMs" in piece) await sleep(piece.pauseMs);
      else {
        for (const block of blocksOf(piece)) {
          await new Promise<void>((resolve) => void socket.write(block, () => resolve()));
        }
      }
    }
    if (leaves === "resets") socket.resetAndDestroy();
    if (leaves === "ends") socket.end();
  };
  try {
    await Promise.all([send(), ended]);
    return Buffer.concat(received).toString();
  } finally {
    socket.destroy();
  }
}

function answersOf(text: string): Answer[] {
  return text.split(/(?=HTTP\/1\.1 \d{3} )/).flatMap((answer) => {
    if (answer === "") return [];
    const [top = "", body = ""] = answer.split("\r\n\r\n");
    const [line = "", ...lines] = top.split("\r\n");
    const headers = new Headers();
    for (const each of lines) headers.append(...pairOf(each));
    return { status: Number(line.split(" ")[1]), headers, body };
  });
}

function pairOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

/** The start of a request for `/v2`. */
const BEFORE_BASE = /^([A-Z]+ )\/v2\b/;

/** The size of a chunk. The chunk behind it must keep its length. */
const CHUNK_SIZE = /^[\da-f]+\r\n$/;

/** Puts the image's path and the base path into a case, which is written for `/v2`. */
function addressed(wire: Wire, { base, image }: Target): Wire {
  return wire.map((piece, index) => {
    const before = wire[index - 1];
    if (typeof piece !== "string") return piece;
    if (typeof before === "string" && CHUNK_SIZE.test(before)) return piece;
    return piece.replaceAll(` ${IMAGE} `, ` ${image} `).replace(BEFORE_BASE, `$1${base}`);
  });
}
