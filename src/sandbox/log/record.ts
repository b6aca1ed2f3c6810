import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { JSON_TYPE } from "../../http/body.ts";
import { findOperationId } from "../../http/operation.ts";
import { isDisconnection } from "../disconnect.ts";
import type { SandboxEnv } from "../env.ts";
import type { Rule } from "../rules/rules.ts";
import type { RequestEntry, Text } from "./request-log.ts";

/** How much of a body is logged, in bytes. */
const MAX_LOGGED_BYTES = 8 * 1024;

const SECRET_HEADER = /^(?:authorization|proxy-authorization|cookie|set-cookie|api_key|x-api-key)$/;

/** Headers that Cloudflare adds, some with the client's IP address, or replaces: `accept-encoding`. */
const ADDED_HEADER = /^(?:cf-|x-forwarded-|x-real-ip$|accept-encoding$)/;

const maskSecret = <Value>(name: string, value: Value) => (SECRET_HEADER.test(name.toLowerCase()) ? "***" : value);

const toLoggedHeaders = (headers: Iterable<[string, string]>) =>
  Object.fromEntries(Array.from(headers, ([name, value]) => [name, maskSecret(name, value)]));

const getRequestHeaders = (headers: Headers) =>
  toLoggedHeaders([...headers].filter(([name]) => !ADDED_HEADER.test(name)));

/** Measures a request, and keeps the beginning of both bodies. */
export const logRequest = createMiddleware<SandboxEnv>(async (c, next) => {
  const at = Date.now();
  const request = c.req.raw;
  await next();
  const ms = Date.now() - at;
  c.set("logged", { at, ms, request, requestBody: getRequestText(c), responseBody: await getResponseText(c) });
});

/** Keeps a request out of the log unless a rule changed its response. Mounted before `logRequest`. */
export const logChanged = createMiddleware<SandboxEnv>(async (c, next) => {
  await next();
  if (!c.get("rule")) c.set("logged", undefined);
});

/** Adds a request to the log when its response is complete. Of the bodies, no more than the logged text stays in memory. */
export const completeLog = createMiddleware<SandboxEnv>(async (c, next) => {
  await next();
  const logged = c.get("logged");
  if (!logged || c.get("signal").aborted) return;
  const { at, ms, request, requestBody, responseBody } = logged;
  const isDropped = isDisconnection(c.res);
  const { pathname, search } = new URL(c.req.url);
  const rule = c.get("rule");
  const entry = {
    at,
    ms,
    method: c.req.method,
    path: pathname.slice(c.get("mount").length) + search,
    operationId: findOperationId(c),
    status: isDropped ? 0 : c.res.status,
    requestHeaders: getRequestHeaders(request.headers),
    responseHeaders: isDropped ? {} : toLoggedHeaders(c.res.headers),
    errors: c.get("fieldErrors"),
    rule: rule && maskRuleSecrets(rule),
  };
  c.get("sandbox").requests.add((): RequestEntry => ({
    ...entry,
    requestBody: requestBody(),
    responseBody: responseBody(),
  }));
});

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

/** Returns the request's body as the handler read it. If no handler did, `drain` reads it, and the log reads a copy. */
function getRequestText(c: Context<SandboxEnv>): Text {
  const chunks = c.get("receivedBody");
  if (chunks) {
    const bytes = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
    // An upload has up to 5 MB: copy only its beginning.
    return always(toLoggedText(Buffer.concat(chunks, Math.min(bytes, MAX_LOGGED_BYTES))));
  }
  const { body, bodyUsed } = c.req.raw;
  return !body || bodyUsed || body.locked ? always(undefined) : readBeginning(c.req.raw.clone().body);
}

/** Returns the response's body. JSON is already in memory, so it is read and put back: cloning a response takes 100 µs. */
async function getResponseText(c: Context<SandboxEnv>): Promise<Text> {
  const sent = c.get("sentBody");
  if (sent !== undefined) {
    return always(toLoggedText(typeof sent === "string" ? Buffer.from(sent.slice(0, MAX_LOGGED_BYTES)) : sent));
  }
  if (c.req.method === "HEAD" || isDisconnection(c.res)) return always(undefined);
  const isJson = c.res.headers.get("Content-Type")?.startsWith(JSON_TYPE);
  if (!isJson || c.get("isStreamed")) return readBeginning(c.res.clone().body);
  const body = await c.res.bytes();
  c.res = new Response(body, c.res);
  return always(toLoggedText(body));
}

const always =
  (text: string | undefined): Text =>
  () =>
    text;

/** Reads the beginning of a body while another reader takes all of it. */
function readBeginning(body: ReadableStream<Uint8Array> | null): Text {
  if (!body) return always(undefined);
  const beginning = new Uint8Array(MAX_LOGGED_BYTES);
  let bytes = 0;
  const read = async () => {
    const reader = body.getReader();
    while (bytes < MAX_LOGGED_BYTES) {
      const { value, done } = await reader.read();
      if (done) return;
      const part = value.subarray(0, MAX_LOGGED_BYTES - bytes);
      beginning.set(part, bytes);
      bytes += part.byteLength;
    }
    await reader.cancel();
  };
  // If the body is cut off, the log has its beginning.
  void read().catch(() => undefined);
  return () => toLoggedText(beginning.subarray(0, bytes));
}

/** Returns the logged text of a body, whose last character may be cut; `undefined` if the body is empty or not text. */
function toLoggedText(body: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body.subarray(0, MAX_LOGGED_BYTES), {
      stream: true,
    });
    return text === "" || text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
