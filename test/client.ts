import { exports } from "cloudflare:workers";

/** What the service answered, its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; `undefined` where there is none. */
  readonly json: unknown;
}

/** What a test sends besides method and path. */
export interface Sent {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly body?: BodyInit;
  readonly headers?: Record<string, string>;
}

/** Sends one request. */
export type Send = (method: string, path: string, sent?: Sent) => Promise<Answer>;

/** A client of the given Worker; `path` is below `/v2`. */
export function clientOf(fetch: (request: Request) => Response | Promise<Response>): Send {
  return async (method, path, { json, body, headers } = {}) => {
    const request = new Request(`http://petstore.test/v2${path}`, {
      method,
      redirect: "manual",
      headers: { ...(json !== undefined && { "Content-Type": "application/json" }), ...headers },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(body !== undefined && { body }),
    });
    const response = await fetch(request);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text === "" ? undefined : JSON.parse(text),
    };
  };
}

/** Sends one request to the Worker as it is configured. */
export const send: Send = clientOf((request) => exports.default.fetch(request));
