import { exports } from "cloudflare:workers";
import { BASE_PATH, BASE_PATHS } from "../src/http/base-path.ts";
import { assertDocumented } from "./document.ts";
import { basePath, isSandbox } from "./engine.ts";

/** An answer of the service, with its body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, where it is JSON. */
  readonly json: unknown;
}

/** The base path of an interface. */
export type BasePath = (typeof BASE_PATHS)[number];

/** What a test sends besides method and path. */
export interface Sent {
  /** The base path of the interface. Default: `/v2`. */
  readonly basePath?: BasePath;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly body?: BodyInit;
  readonly headers?: Record<string, string>;
}

/** Sends one request. */
export type Send = (method: string, path: string, sent?: Sent) => Promise<Answer>;

/** The base path on a Worker with this access. A Worker with protected access has the store at `/v2` (clientWith). */
const baseOf = (access?: string): string => (access === "protected" ? BASE_PATH : basePath);

/**
 * A client of the given Worker. `path` is below the base path. It compares every answer with the document, so that no
 * test can avoid this check.
 * @param access the setting `ACCESS` of the Worker, which decides the document
 * @param base the base path; default: that of the store of the tests
 */
export function clientOf(
  fetch: (request: Request) => Response | Promise<Response>,
  access?: string,
  base?: string,
): Send {
  return async (method, path, { basePath: to = BASE_PATH, json, body, headers } = {}) => {
    const below = (base ?? baseOf(access)).replace(/\/v2$/, to);
    const request = new Request(`http://petstore.test${below}${path}`, {
      method,
      redirect: "manual",
      headers: { ...(json !== undefined && { "Content-Type": "application/json" }), ...headers },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(body !== undefined && { body }),
    });
    const response = await fetch(request);
    // Tests of images read the bytes instead.
    const text = new TextDecoder().decode(await response.arrayBuffer());
    const isJson = text !== "" && response.headers.get("content-type") === "application/json";
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
    const interfacePath = BASE_PATHS.find((each) => below.endsWith(each));
    if (interfacePath !== undefined) {
      assertDocumented(method, path, answer, {
        access,
        basePath: interfacePath,
        isSandbox: isSandbox || below !== interfacePath,
      });
    }
    return answer;
  };
}

/** Sends one request to the Worker as it is configured. */
export const send: Send = clientOf((request) => exports.default.fetch(request));
