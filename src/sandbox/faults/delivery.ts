import { time } from "../../platform/retries.ts";
import type { Fault } from "./rules.ts";

// The object tells the Worker by headers how to deliver an answer. The Worker waits, because an object that waits is paid
// for.

/** How many milliseconds the answer is delayed. */
const DELAY = "X-Delay-Ms";

/** How the answer breaks. */
const BREAK = "X-Break";

/** At most this many bytes of a body that breaks are read. Half of them are sent. */
const MAX_BROKEN_BYTES = 1024 * 1024;

/** How long the first half of a body has to leave before the connection ends, in milliseconds. */
const LEAVES_MS = 100;

/** Tells the Worker how to deliver the answer to a request that met this fault. */
export function tellWorker({ headers }: Response, { delayMs, demand }: Fault): void {
  if (delayMs > 0) headers.set(DELAY, String(delayMs));
  if (demand.break) headers.set(BREAK, demand.break);
}

/** Delivers an object's answer: delays and breaks it as the object says. */
export async function deliver(answer: Response): Promise<Response> {
  const { body, headers } = answer;
  const ms = headers.get(DELAY);
  const kind = headers.get(BREAK);
  if (ms === null && kind === null) return answer;
  const left = kind !== null && body ? await broken(body, kind) : body;
  if (ms !== null) await time.wait(Number(ms));
  const delivered = new Response(left, answer);
  for (const name of [DELAY, BREAK]) delivered.headers.delete(name);
  return delivered;
}

/** Half of a body. It ends there, or the connection does, and a body that was read whole keeps its full length. */
async function broken(body: ReadableStream<Uint8Array>, kind: string) {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > MAX_BROKEN_BYTES) break;
  }
  const isWhole = length <= MAX_BROKEN_BYTES;
  const end = Math.floor((isWhole ? length : MAX_BROKEN_BYTES) / 2);
  const half = await new Blob(chunks).slice(0, end).arrayBuffer();
  if (kind === "json") return half;
  const { readable, writable } = isWhole
    ? new FixedLengthStream(length)
    : new IdentityTransformStream();
  // The client may be gone.
  void breakOff(writable, half).catch(() => undefined);
  return readable;
}

async function breakOff(body: WritableStream, part: ArrayBuffer): Promise<void> {
  const writer = body.getWriter();
  await writer.write(new Uint8Array(part));
  await time.wait(LEAVES_MS);
  // The runtime logs other errors as faults of the service.
  await writer.abort(Object.assign(new Error("broken on demand"), { retryable: true }));
}
