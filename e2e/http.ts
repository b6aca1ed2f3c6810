// Requests to a running server.

/** The rest of a request, besides method and path. */
export interface Sent {
  readonly json?: unknown;
  readonly body?: string | FormData | URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly etag: string | undefined;
  readonly text: string;
  /** `undefined` if the body is not JSON. */
  readonly json: unknown;
}

/** Long, because machines may be busy. */
const ANSWER_MS = 120_000;

/** The signature of a PNG: all that the service looks at. */
export const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** The body of an upload. */
export function imageForm(): FormData {
  const form = new FormData();
  form.set("file", new File([PNG], "rex.png", { type: "image/png" }));
  return form;
}

/** Sends a request. @param target its method, and its path below `base`: `GET /pet/1` */
export async function send(
  base: string,
  target: string,
  { json, body = json === undefined ? undefined : JSON.stringify(json), headers }: Sent = {},
): Promise<Answer> {
  const [method = "", path = ""] = target.split(" ");
  const response = await fetch(`${base}${path}`, {
    method,
    redirect: "manual",
    signal: AbortSignal.timeout(ANSWER_MS),
    headers: { ...(json !== undefined && { "Content-Type": "application/json" }), ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    etag: response.headers.get("etag") ?? undefined,
    text,
    json: parsed(text),
  };
}

/** The service gave a wrong answer. */
export class WrongAnswer extends Error {
  override readonly name = "WrongAnswer";
}

/** Sends a request that must succeed. @throws WrongAnswer unless the status is 200 */
export async function succeed(base: string, target: string, sent?: Sent): Promise<Answer> {
  const answer = await send(base, target, sent);
  if (answer.status === 200) return answer;
  throw new WrongAnswer(`${target} got ${answer.status}: ${answer.text}`);
}

/** A member of a JSON object. */
export function memberOf(json: unknown, name: string): unknown {
  return typeof json === "object" && json !== null ? Reflect.get(json, name) : undefined;
}

/** The value of a JSON text, or `undefined` if it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
