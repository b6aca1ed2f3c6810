import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { findOperationId } from "../../http/operation.ts";
import { isDisconnection } from "../disconnect.ts";
import type { SandboxEnv } from "../env.ts";
import { MAX_LOGGED_BYTES, type Beginning, type PendingEntry } from "./entry.ts";

/** Measures a request, and keeps the beginning of both bodies. */
export const logRequest = createMiddleware<SandboxEnv>(async (c, next) => {
  // A rule may replace the request.
  const { method, url, headers } = c.req.raw;
  const entry: PendingEntry = {
    generation: c.get("sandbox").requests.generation,
    at: Date.now(),
    method,
    url,
    mount: c.get("mount"),
    operationId: findOperationId(c),
    requestHeaders: headers,
  };
  c.set("entry", entry);
  await next();
  entry.ms = Date.now() - entry.at;
  if (!entry.isDelayed) entry.requestBody = getRequestBody(c);
  entry.responseBody = getResponseBody(c);
});

/** Adds a request to the log before a rule delays its response. */
export function logDelay(c: Context<SandboxEnv>): void {
  const entry = c.get("entry");
  if (!entry) return;
  entry.isDelayed = true;
  entry.requestBody = getRequestBody(c);
  entry.rule = c.get("rule");
  c.get("sandbox").requests.add(entry);
}

/** Keeps a request out of the log unless a rule changed its response. Mounted before `logRequest`. */
export const logChanged = createMiddleware<SandboxEnv>(async (c, next) => {
  await next();
  if (!c.get("rule")) c.set("entry", undefined);
});

/** Adds a request to the log, or its response if it was delayed, when the response has all its headers. */
export const completeLog = createMiddleware<SandboxEnv>(async (c, next) => {
  await next();
  const entry = c.get("entry");
  if (!entry || c.get("signal").aborted) return;
  entry.rule = c.get("rule");
  entry.errors = c.get("fieldErrors");
  if (!isDisconnection(c.res)) {
    entry.status = c.res.status;
    entry.responseHeaders = c.res.headers;
  }
  const { requests } = c.get("sandbox");
  if (entry.isDelayed) requests.complete(entry);
  else requests.add(entry);
});

/** Returns the request's body as the handler read it. If no handler did, `drain` reads it, and the log reads a copy. */
function getRequestBody(c: Context<SandboxEnv>): Beginning {
  const chunks = c.get("receivedBody");
  if (chunks) {
    const bytes = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
    // An upload has up to 5 MB: copy only its beginning.
    return Buffer.concat(chunks, Math.min(bytes, MAX_LOGGED_BYTES));
  }
  const { body, bodyUsed } = c.req.raw;
  // A client that waits for `100 Continue` has sent no body, and reading would ask for it.
  const isRead = !body || bodyUsed || body.locked || c.req.header("Expect") !== undefined;
  return isRead ? undefined : readBeginning(c.req.raw.clone().body);
}

/** Returns the response's body. Cloning a response takes 100 µs, so it is done only if the body is not in memory. */
function getResponseBody(c: Context<SandboxEnv>): Beginning {
  if (c.req.method === "HEAD" || isDisconnection(c.res)) return undefined;
  const sent = c.get("sent");
  if (sent?.response === c.res) return copyBeginning(sent.body);
  return c.res.body ? readBeginning(c.res.clone().body) : undefined;
}

/** Copies the beginning of a body, because a part of it would keep all of it in memory. */
function copyBeginning(body: string | Uint8Array): Beginning {
  if (typeof body !== "string") return body.slice(0, MAX_LOGGED_BYTES);
  // A character has at most three bytes in UTF-8, or four if it counts as two.
  if (body.length * 3 <= MAX_LOGGED_BYTES) return body;
  const bytes = new Uint8Array(MAX_LOGGED_BYTES);
  return bytes.subarray(0, new TextEncoder().encodeInto(body, bytes).written);
}

/** Reads the beginning of a body while another reader takes all of it. */
function readBeginning(body: ReadableStream<Uint8Array> | null): Beginning {
  if (!body) return undefined;
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
  return () => beginning.subarray(0, bytes);
}
