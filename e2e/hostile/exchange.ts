// Sends one case of the catalogue, and looks whether the service is as it was.
import type { HostileCase } from "./case.ts";
import { IMAGE } from "./given.ts";
import { head, requestLine } from "./wire.ts";
import type { Wire } from "./wire.ts";
import { faultsOf, valueFaults } from "./checks.ts";
import { Connection } from "./connection.ts";

/** Where the cases go, and what must be there after each. */
export interface Target {
  readonly origin: URL;
  /** The base path of the interface. */
  readonly base: string;
  /** The path of the image that is stored. */
  readonly image: string;
  inventory: string;
}

/** Runs a case, on as many connections as it wants. @returns what is wrong */
export async function run(hostile: HostileCase, target: Target): Promise<string[]> {
  const attempts = Array.from({ length: hostile.connections ?? 1 }, async () => {
    try {
      return await runOnce(hostile, target);
    } catch (error) {
      return [messageOf(error)];
    }
  });
  return [...new Set((await Promise.all(attempts)).flat())];
}

async function runOnce(hostile: HostileCase, target: Target): Promise<string[]> {
  const connection = await Connection.open(target.origin);
  try {
    const sending = connection.send(addressed(hostile.wire, target));
    if (hostile.leaves === "resets") {
      await sending;
      connection.reset();
      return await aftermath(undefined, hostile, target);
    }
    // An answer may come before all is sent, and a client that does not read might block both.
    const receiving = hostile.leaves === "ends" ? sending.then(() => connection.end()) : sending;
    const [faults] = await Promise.all([answers(connection, hostile), receiving]);
    const over = hostile.closes === true || hostile.status === "none";
    if (over) faults.push(...(await endFaults(connection)));
    faults.push(...(await aftermath(over ? undefined : connection, hostile, target)));
    return faults;
  } finally {
    connection.reset();
  }
}

/** The beginning of a request for `/v2`. */
const BEFORE_BASE = /^([A-Z]+ (?:http:\/\/[^/ ]+)?)\/v2\b/;

/** The size of a chunk, before it: what the chunk holds keeps its length. */
const CHUNK_SIZE = /^[\da-f]+\r\n$/;

/** Puts the path of the image where the catalogue leaves room for it, and the base path in the place of `/v2`. */
function addressed(wire: Wire, { base, image }: Target): Wire {
  return wire.map((piece, index) => {
    const before = wire[index - 1];
    if (typeof piece !== "string") return piece;
    if (typeof before === "string" && CHUNK_SIZE.test(before)) return piece;
    return piece.replaceAll(` ${IMAGE} `, ` ${image} `).replace(BEFORE_BASE, `$1${base}`);
  });
}

/** The path of a look-up of the catalogue. */
const pathOf = (path: string, { base, image }: Target): string =>
  path === IMAGE ? image : path.replace(/^\/v2\b/, base);

async function answers(connection: Connection, hostile: HostileCase): Promise<string[]> {
  if (hostile.status === "none") return [];
  const isHead = requestLine(hostile.wire)[0] === "HEAD";
  const first = await connection.read(isHead);
  const faults =
    hostile.by === "service" ? faultsOf(first, hostile, isHead) : valueFaults(first, hostile);
  for (const expected of hostile.pipelined ?? []) {
    const { status } = await connection.read();
    if (status !== expected) faults.push(`status ${status} instead of ${expected}, pipelined`);
  }
  return faults;
}

/** The server must end the connection, and say nothing more on it. */
async function endFaults(connection: Connection): Promise<string[]> {
  const more = await connection.readToEnd();
  return more === "" ? [] : [`another answer: ${more.slice(0, 80)}`];
}

/**
 * Whether the next request is served, and nothing was stored: the inventory is as it was, since what is refused
 * has a status and what is served has none.
 * @param connection that of the case, where it must still serve
 */
async function aftermath(
  connection: Connection | undefined,
  { afterwards }: HostileCase,
  target: Target,
): Promise<string[]> {
  const faults: string[] = [];
  const next = connection ?? (await Connection.open(target.origin));
  try {
    await next.send([head("GET", `${target.base}/store/inventory`)]);
    const { status, body } = await next.read();
    if (status !== 200) faults.push(`the next request is answered ${status}`);
    else if (body !== target.inventory) {
      faults.push(`the inventory is ${body}`);
      // Told once, not of every case that follows.
      target.inventory = body;
    }
    if (afterwards) {
      const path = pathOf(afterwards.target, target);
      await next.send([head("GET", path)]);
      const found = await next.read();
      if (found.status !== afterwards.status) {
        faults.push(`afterwards ${path} is ${found.status} instead of ${afterwards.status}`);
      }
    }
  } catch (error) {
    faults.push(`the next request: ${messageOf(error)}`);
  } finally {
    if (!connection) next.reset();
  }
  return faults;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
