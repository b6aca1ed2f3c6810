import type { FieldError } from "../../http/errors.ts";
import type { Rule } from "../rules/rules.ts";

/** How much of a body is logged, in bytes. */
export const MAX_LOGGED_BYTES = 8 * 1024;

/** A logged request as it is stored. */
export interface StoredEntry {
  readonly at: number;
  readonly ms: number;
  readonly method: string;
  readonly path: string;
  readonly operationId: string | undefined;
  /** 0 if a rule closed the connection without a response, or the response is still delayed. */
  readonly status: number;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string | undefined;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string | undefined;
  readonly errors: readonly FieldError[] | undefined;
  readonly rule: Rule | undefined;
}

/** A logged request as clients see it. IDs ascend and are never reused. */
export interface LogEntry extends StoredEntry {
  readonly id: number;
  /** Set until the delayed response is complete. */
  readonly waiting?: true;
}

/** The beginning of a body: bytes, JSON, or a function that returns what has been read of a stream. */
export type Beginning = Uint8Array | string | (() => Uint8Array) | undefined;

/** A response that is not in the log yet. */
interface PendingResponse {
  ms?: number;
  status?: number;
  responseHeaders?: Headers;
  responseBody?: Beginning;
  errors?: readonly FieldError[] | undefined;
}

/**
 * A request that is not in the log yet, or whose response is not. It is converted only when it is written, because under load
 * most requests are dropped before that.
 */
export interface PendingEntry extends PendingResponse {
  /** Unset until the entry is written. */
  id?: number;
  /** The log's generation when the request arrived. */
  readonly generation: number;
  readonly at: number;
  readonly method: string;
  readonly url: string;
  /** The sandbox's path, with which the request's path begins. */
  readonly mount: string;
  readonly operationId: string | undefined;
  readonly requestHeaders: Headers;
  requestBody?: Beginning;
  rule?: Rule | undefined;
  /** Whether a rule delays the response, so that the request is added before its response. */
  isDelayed?: true;
}

/** Converts a request for the log, with its response unless that is still delayed. */
export function toStoredEntry(entry: PendingEntry, isWaiting: boolean): StoredEntry {
  const { at, method, url, mount, operationId, requestHeaders, requestBody, rule } = entry;
  const { ms = 0, status = 0, responseHeaders, responseBody, errors }: PendingResponse = isWaiting ? {} : entry;
  const { pathname, search } = new URL(url);
  return {
    at,
    ms,
    method,
    path: pathname.slice(mount.length) + search,
    operationId,
    status,
    requestHeaders: toLoggedHeaders([...requestHeaders].filter(([name]) => !ADDED_HEADER.test(name))),
    requestBody: toLoggedText(requestBody),
    responseHeaders: toLoggedHeaders(responseHeaders ?? []),
    responseBody: toLoggedText(responseBody),
    errors,
    rule: rule && maskRuleSecrets(rule),
  };
}

const SECRET_HEADER = /^(?:authorization|proxy-authorization|cookie|set-cookie|api_key|x-api-key)$/;

/** Headers that Cloudflare adds, some with the client's IP address, or replaces: `accept-encoding`. */
const ADDED_HEADER = /^(?:cf-|x-forwarded-|x-real-ip$|accept-encoding$)/;

const maskSecret = <Value>(name: string, value: Value) => (SECRET_HEADER.test(name.toLowerCase()) ? "***" : value);

const toLoggedHeaders = (headers: Iterable<[string, string]>) =>
  Object.fromEntries(Array.from(headers, ([name, value]) => [name, maskSecret(name, value)]));

/** Masks the credentials that a rule matches. */
function maskRuleSecrets(rule: Rule): Rule {
  const { match } = rule;
  if (!match?.headers) return rule;
  const headers = Object.entries(match.headers).map(([name, value]) => [
    name,
    value === null ? null : maskSecret(name, value),
  ]);
  return { ...rule, match: { ...match, headers: Object.fromEntries(headers) } };
}

/** Returns the logged text of a body, whose last character may be cut; `undefined` if the body is empty or not text. */
function toLoggedText(body: Beginning): string | undefined {
  if (!body || typeof body === "string") return body;
  const bytes = typeof body === "function" ? body() : body;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    return text === "" || text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
