import type { Context } from "hono";
import { checkJson, parseJson } from "../../http/body.ts";
import { findOperationId } from "../../http/operation.ts";
import { checkLength, readChunks } from "../../http/read-body.ts";
import { isObject } from "../../http/schemas.ts";
import type { SandboxEnv } from "../env.ts";
import { canonicalize, type Operations } from "./operations.ts";
import type { Rule } from "./rules.ts";

/** The parts of a request that rules match. */
export interface Target {
  readonly operationId: string | undefined;
  readonly method: string;
  /** Canonical, below the API. */
  readonly path: string;
  readonly headers: Headers;
  readonly query: () => URLSearchParams;
}

/** Returns the parts of a request that rules match. Parses the query only if a rule needs it. */
export function toTarget(c: Context<SandboxEnv>, operations: Operations): Target {
  const [, path] = operations.split(c);
  let query: URLSearchParams | undefined;
  return {
    operationId: findOperationId(c),
    method: c.req.method,
    path,
    headers: c.req.raw.headers,
    query: () => (query ??= new URL(c.req.url).searchParams),
  };
}

/** Whether a rule matches a request, ignoring the request's body. */
type Matcher = (target: Target) => boolean;

/** Prepares a rule for many requests. */
export function createMatcher({ operationId, method, path, match = {} }: Rule, operations: Operations): Matcher {
  const literal = path === undefined ? undefined : canonicalize(path);
  const patterns = operations.findPatterns(path ?? "");
  // A request without an operation, such as one with a wrong method, matches the pattern of the path.
  const isAt = (target: Target) =>
    literal === undefined ||
    literal === target.path ||
    (target.operationId === undefined
      ? [...patterns.values()].some((pattern) => pattern.test(target.path))
      : patterns.has(target.operationId));
  const query = Object.entries(match.query ?? {});
  const headers = Object.entries(match.headers ?? {});
  return (target) =>
    // Without an operation, a rule leaves the management alone: otherwise it could lock its author out.
    (operationId === undefined ? target.operationId !== "manageMcp" : operationId === target.operationId) &&
    ((method ?? target.method) === target.method || (method === "GET" && target.method === "HEAD")) &&
    isAt(target) &&
    query.every(([name, value]) => (value === null ? !target.query().has(name) : target.query().has(name, value))) &&
    headers.every(([name, value]) => target.headers.get(name) === value);
}

/** The part of a JSON body that a rule requires, if any. An empty object requires nothing. */
export const requiredBody = ({ match }: Rule): { readonly part: unknown } | undefined =>
  match && "body" in match && !(isObject(match.body) && Object.keys(match.body).length === 0)
    ? { part: match.body }
    : undefined;

/** Whether a JSON value contains a part: each field of an object, where arrays and scalars must be equal. */
export function contains(value: unknown, part: unknown): boolean {
  if (!isObject(part)) return isEqual(value, part);
  return isObject(value) && haveFields(value, part, contains);
}

function isEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isEqual(each, other[index]));
  }
  if (!isObject(one) || !isObject(other)) return one === other;
  return Object.keys(one).length === Object.keys(other).length && haveFields(one, other, isEqual);
}

const haveFields = (value: object, fields: object, compare: (one: unknown, other: unknown) => boolean): boolean =>
  Object.entries(fields).every(([name, each]) => Object.hasOwn(value, name) && compare(Reflect.get(value, name), each));

/**
 * Reads a copy of a request's JSON body before the handler reads the body.
 * @param limit in bytes. A larger body is read no further
 * @returns `undefined` if the body is larger, cut off, or not JSON
 */
export async function peekJson(c: Context, limit: number): Promise<unknown> {
  let body: ReadableStream<Uint8Array> | null = null;
  try {
    // Before the body is read: a client that waits for `100 Continue` would then send it.
    checkLength(c, limit);
    checkJson(c);
    ({ body } = c.req.raw.clone());
    return body ? parseJson(await readChunks(body, limit)) : undefined;
  } catch {
    // The handler gets the same error.
    void body?.cancel();
    return undefined;
  }
}
