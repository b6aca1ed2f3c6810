import type { Exchange } from "../../http/exchange.ts";
import { BY_CLIENT } from "../../http/respond.ts";
import { time } from "../../platform/failures.ts";
import type { FaultRule } from "./contract.ts";
import { INTERNAL, placed } from "./headers.ts";
import type { Fault } from "./rules.ts";

// The object changes an answer as its fault demands, and tells the Worker by headers how to deliver it. The Worker waits,
// because an object is billed while it waits.

/** The most bytes of a body that breaks: half of them are sent. */
const MAX_BROKEN_BYTES = 1024 * 1024;

/**
 * The most bytes of a body that breaks or leaves slowly that the Worker reads ahead, so that no object waits for a short one.
 * More would fill its memory when many answers are slow.
 */
const MAX_AHEAD_BYTES = 64 * 1024;

/** How long the first half of a body has to be sent before the connection ends, in milliseconds. */
const LEAVES_MS = 100;

/** About how often a part of a slow body leaves, and how long all of it may take, in milliseconds. */
const TICK_MS = 100;
export const MAX_SLOW_MS = 30_000;

/** The beginning of a body. */
interface Beginning {
  readonly bytes: Uint8Array;
  /** What follows. Unset if that was all. */
  readonly rest: ReadableStream<Uint8Array> | undefined;
}

/** Reads a body until it ends or has more than so many bytes. */
export async function readUpTo(body: ReadableStream<Uint8Array>, most: number): Promise<Beginning> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let isWhole = false;
  for (let length = 0; length <= most && !isWhole;) {
    const { value } = await reader.read();
    if (value) chunks.push(value);
    isWhole = value === undefined;
    length += value?.byteLength ?? 0;
  }
  reader.releaseLock();
  return { bytes: await new Blob(chunks).bytes(), rest: isWhole ? undefined : body };
}

/** What a fault did to an answer. */
export interface Deeds {
  /** The answer on demand was sent instead of the real one. */
  readonly replaced?: true;
  readonly patched?: true;
  /** It leaves slowly. */
  readonly slowed?: true;
  /** How it was cut off. Unset if it left whole. */
  readonly broken?: NonNullable<FaultRule["break"]>;
}

/** An answer as it is meant to leave. */
export interface Outgoing {
  readonly response: Response;
  /** Its content, unless it is streamed. */
  readonly content: string | Uint8Array | undefined;
  readonly deeds?: Deeds;
}

/**
 * Changes an answer as the fault that its request met demands, before it is recorded.
 * @param isPatched whether its patch changed the answer
 */
export async function changed(
  { response, content }: Outgoing,
  { operation, sandbox }: Exchange,
  { delayMs, demand }: Fault,
  isPatched: boolean,
): Promise<Outgoing> {
  const { headers } = response;
  for (const [given, value] of Object.entries(demand.headers ?? {})) {
    const name = given.toLowerCase();
    // Pages of this origin may show these bytes only as what the service found them to be.
    if (operation?.binary && name === "content-type") continue;
    if (value === null) headers.delete(name);
    else headers.set(name, placed(name, value, sandbox?.path ?? ""));
    headers.append("Access-Control-Expose-Headers", name);
  }
  const { status, body, bytesPerSecond } = demand;
  const isReplaced = status !== undefined;
  // An error of the service stays as it is, and so does a late answer.
  const isOwn = isReplaced ? status >= 400 && body === undefined : !isPatched;
  if (!isOwn || (demand.headers ?? demand.break ?? bytesPerSecond) !== undefined) {
    for (const [name, value] of Object.entries(BY_CLIENT)) headers.set(name, value);
  }
  if (delayMs > 0) headers.set(INTERNAL.delay, String(delayMs));
  const isSlowed = bytesPerSecond !== undefined && response.body !== null;
  if (isSlowed) headers.set(INTERNAL.pace, String(bytesPerSecond));
  const deeds: Deeds = {
    ...(isReplaced && { replaced: true }),
    ...(isPatched && { patched: true }),
    ...(isSlowed && { slowed: true }),
  };
  // A proxy that compresses an answer holds it back until it is complete.
  const isWhole = !isSlowed && (!demand.break || response.body === null);
  if (!isWhole && !headers.get("Cache-Control")?.includes("no-transform")) {
    headers.append("Cache-Control", "no-transform");
  }
  return demand.break && response.body
    ? cutOff(response, response.body, demand.break, deeds)
    : { response, content, deeds };
}

/** Cuts a body in half. A body too short to halve is sent whole. */
async function cutOff(
  response: Response,
  body: ReadableStream<Uint8Array>,
  broken: NonNullable<FaultRule["break"]>,
  deeds: Deeds,
): Promise<Outgoing> {
  const { bytes, rest } = await readUpTo(body, MAX_BROKEN_BYTES);
  await rest?.cancel();
  const half = Math.floor((rest ? MAX_BROKEN_BYTES : bytes.byteLength) / 2);
  const left = bytes.subarray(0, half || bytes.byteLength);
  const cut = new Response(left, response);
  if (half === 0) return { response: cut, content: left, deeds };
  cut.headers.delete("Content-Length");
  if (broken === "body") cut.headers.set(INTERNAL.break, rest ? "" : String(bytes.byteLength));
  return { response: cut, content: left, deeds: { ...deeds, broken } };
}

/** Delivers an object's answer: late, slowly, or with a connection that ends, as the object says. */
export async function deliver(answer: Response): Promise<Response> {
  const { body, headers } = answer;
  const ms = headers.get(INTERNAL.delay);
  const rate = headers.get(INTERNAL.pace);
  const whole = headers.get(INTERNAL.break);
  const internal = Object.values(INTERNAL).filter((name) => headers.has(name));
  if (internal.length === 0) return answer;
  const isBroken = whole !== null;
  const isRead = rate !== null || isBroken;
  const most = Math.min(MAX_AHEAD_BYTES, Number(rate ?? Infinity) * (MAX_SLOW_MS / 1000));
  const ahead = body && isRead ? await readUpTo(body, most) : undefined;
  if (ms !== null) await time.wait(Number(ms));
  const delivered = new Response(
    ahead
      ? leaving(
          paced(ahead, Number(rate ?? Infinity)),
          isBroken,
          Number(whole ?? (ahead.rest ? headers.get("Content-Length") : ahead.bytes.byteLength)),
        )
      : body,
    answer,
  );
  // The length is that of the half.
  for (const name of [...internal, ...(isBroken ? ["Content-Length"] : [])]) {
    delivered.headers.delete(name);
  }
  return delivered;
}

/** Yields the parts of a body at a rate. @param rate bytes in a second */
async function* paced({ bytes, rest }: Beginning, rate: number): AsyncGenerator<Uint8Array> {
  const size = Math.max(1, Math.round((rate * TICK_MS) / 1000));
  const began = time.now();
  let sent = 0;
  for await (const chunk of rest ? chained(bytes, rest) : [bytes]) {
    for (let at = 0; at < chunk.byteLength;) {
      const due = Math.min((sent / rate) * 1000, MAX_SLOW_MS);
      const early = began + due - time.now();
      if (early > 0) await time.wait(early);
      const part = chunk.subarray(at, due < MAX_SLOW_MS ? at + size : undefined);
      yield part;
      at += part.byteLength;
      sent += part.byteLength;
    }
  }
}

async function* chained(first: Uint8Array, rest: ReadableStream<Uint8Array>) {
  yield first;
  yield* rest;
}

/**
 * A body of these parts.
 * @param isBroken whether the connection ends after them
 * @param length the bytes of the whole; 0 if that is unknown
 */
function leaving(
  parts: AsyncIterable<Uint8Array>,
  isBroken: boolean,
  length: number,
): ReadableStream {
  const { readable, writable } = length
    ? new FixedLengthStream(length)
    : new IdentityTransformStream();
  const writer = writable.getWriter();
  const send = async () => {
    for await (const part of parts) await writer.write(part);
    if (!isBroken) return writer.close();
    await time.wait(LEAVES_MS);
    // The runtime logs other errors as faults of the service. With a debugger it reports this one, too: scripts/start.ts.
    throw Object.assign(new Error("broken on demand"), { retryable: true });
  };
  // The client may be gone.
  void send().catch((error: unknown) => writer.abort(error).catch(() => undefined));
  return readable;
}
