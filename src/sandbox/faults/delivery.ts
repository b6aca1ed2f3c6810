import { time } from "../../platform/retries.ts";
import type { FaultRule } from "./contract.ts";
import type { Fault } from "./rules.ts";

// The object changes an answer as its fault demands, and tells the Worker by headers how to deliver it. The Worker waits,
// because an object that waits is paid for.

/** How many milliseconds the answer is delayed. */
const DELAY = "X-Delay-Ms";

/** The connection ends after this body. The whole would have so many bytes; "" if that is unknown. */
const BREAK = "X-Break";

/** At most this many bytes of a body that breaks are read. Half of them are sent. */
const MAX_BROKEN_BYTES = 1024 * 1024;

/** How long the first half of a body has to leave before the connection ends, in milliseconds. */
const LEAVES_MS = 100;

/** An answer as it is meant to leave. */
export interface Outgoing {
  readonly response: Response;
  /** Its content, unless it is streamed. */
  readonly content: string | Uint8Array | undefined;
  /** How a rule cut it off. */
  readonly broken?: NonNullable<FaultRule["break"]>;
}

/** Changes an answer as the fault that its request met demands, before it is recorded. */
export async function changed(answer: Outgoing, { delayMs, demand }: Fault): Promise<Outgoing> {
  const { response } = answer;
  if (delayMs > 0) response.headers.set(DELAY, String(delayMs));
  if (!demand.break || !response.body) return answer;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > MAX_BROKEN_BYTES) break;
  }
  const isWhole = length <= MAX_BROKEN_BYTES;
  const half = Math.floor((isWhole ? length : MAX_BROKEN_BYTES) / 2);
  const content = await new Blob(chunks).slice(0, half || length).bytes();
  const left = { response: new Response(content, response), content };
  // A body without a half leaves whole.
  if (half === 0) return left;
  left.response.headers.delete("Content-Length");
  if (demand.break === "body") left.response.headers.set(BREAK, isWhole ? String(length) : "");
  return { ...left, broken: demand.break };
}

/** Delivers an object's answer: delays it and ends its connection as the object says. */
export async function deliver(answer: Response): Promise<Response> {
  const ms = answer.headers.get(DELAY);
  const length = answer.headers.get(BREAK);
  if (ms === null && length === null) return answer;
  const half = length === null ? undefined : await answer.arrayBuffer();
  if (ms !== null) await time.wait(Number(ms));
  const delivered = new Response(half ? brokenOff(half, Number(length)) : answer.body, answer);
  // The length is that of the half.
  for (const name of half ? [DELAY, BREAK, "Content-Length"] : [DELAY]) {
    delivered.headers.delete(name);
  }
  return delivered;
}

/** A body whose connection ends after its first half. @param length the bytes of the whole; 0 if that is unknown */
function brokenOff(half: ArrayBuffer, length: number): ReadableStream {
  const { readable, writable } = length
    ? new FixedLengthStream(length)
    : new IdentityTransformStream();
  const send = async () => {
    const writer = writable.getWriter();
    await writer.write(new Uint8Array(half));
    await time.wait(LEAVES_MS);
    // The runtime logs other errors as faults of the service.
    await writer.abort(Object.assign(new Error("broken on demand"), { retryable: true }));
  };
  // The client may be gone.
  void send().catch(() => undefined);
  return readable;
}
