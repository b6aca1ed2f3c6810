import { version } from "../../../package.json";
import { utf8 } from "../../platform/crypto.ts";
import { MAX_SLOW_MS } from "../faults/delivery.ts";
import { deedsOf, explain, textOf } from "../faults/explain.ts";
import { MOST_PATH } from "./log.ts";
import type { LoggedRequest } from "./log.ts";
import type { RecordedBody } from "./recording.ts";

// The record as a file for other programs. The requests are in the order of their answers.

/** Where the requests were sent, and the initial data. */
export interface Origin {
  /** `https://…/stores/{store}`. */
  readonly address: string;
  /** The data of the last reset; `undefined` if it has no name. */
  readonly began: "empty" | "classic" | undefined;
  /** Whether these are all requests since then. */
  readonly isWhole: boolean;
}

interface Format {
  readonly type: string;
  readonly file: string;
  readonly write: (requests: readonly LoggedRequest[], from: Origin) => string;
}

/** Headers that an HTTP client sets itself. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|keep-alive|expect|te|trailer|upgrade|sec-.*)$/;

/** Headers that the service ignores. */
const UNUSED_HEADERS =
  /^(?:accept|accept-language|user-agent|cache-control|pragma|origin|referer)$/;

/** The path with its query, as it is sent. The recorded path has characters instead of their escapes. */
const targetOf = ({ path, query = "" }: LoggedRequest) =>
  (path + (query && `?${query}`)).replaceAll(/[^\w!$%&'()*+,./:;=?@~-]/gu, encodeURIComponent);

/** The status, and whether the answer was cut off. */
const outcomeOf = ({ status, broken }: LoggedRequest) => `${status}${broken ? ", cut off" : ""}`;

const headersOf = ({ requestHeaders = {} }: LoggedRequest) =>
  Object.entries(requestHeaders).filter(([name]) => !OWN_HEADERS.test(name));

/** Why a request cannot be sent again; `undefined` if it can. */
function lackOf({ path, requestHeaders, requestBody, method }: LoggedRequest) {
  if (!requestHeaders) return "only its line was recorded";
  if (path.length >= MOST_PATH) return "it is cut";
  if (/\/\.\.?(?:\/|$)/.test(path)) return "its path has dot segments";
  if (typeof requestBody === "object") return "text" in requestBody ? "it is cut" : "it is no text";
  return /^T|^CON|[^A-Z]/.test(method) ? "no client sends its method" : undefined;
}

/** Why the answer may differ when a request is sent again. */
function doubtOf(request: LoggedRequest): string | undefined {
  const { path, query, status, rule, requestHeaders = {}, requestBody, responseHeaders } = request;
  const sent = JSON.stringify([path, query, requestHeaders, requestBody]);
  if (sent.includes("***")) return "it is masked";
  if (/"if-\w/.test(sent)) return "it is conditional";
  if (path.includes("/images/")) return "images have other names there";
  const isDemanded = rule?.status ?? responseHeaders?.["preference-applied"];
  return !isDemanded && (status >= 500 || [401, 403, 429].includes(status))
    ? "a new store has other limits"
    : undefined;
}

// HAR 1.2: http://www.softwareishard.com/blog/har-12-spec/

const listed = (pairs: Iterable<readonly string[]>) =>
  Array.from(pairs, ([name, value]) => ({ name, value }));

/** What a request and an answer have in common, and the body. */
function message(headers: Readonly<Record<string, string>> = {}, body: RecordedBody = "") {
  const { text, bytes } =
    typeof body === "string" ? { text: body, bytes: utf8(body).byteLength } : { text: "", ...body };
  return {
    body: { mimeType: headers["content-type"] ?? "", text },
    bodySize: bytes,
    common: {
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: listed(Object.entries(headers)),
      headersSize: -1,
      bodySize: bytes,
    },
  };
}

/** What a rule or a `Prefer` did to the answer, for people; `undefined` if there was neither. */
function effectOf(request: LoggedRequest): string | undefined {
  const { rule, replaced } = request;
  const marks = deedsOf(request).map(([mark]) => mark);
  if (rule) return `By a rule: ${marks.join(", ") || "applied"}. ${textOf(explain(rule))}`;
  return replaced && "By Prefer: replaced";
}

const har: Format["write"] = (requests, { address }) =>
  JSON.stringify({
    log: {
      version: "1.2",
      creator: { name: "pet-store-service", version },
      entries: requests.map((request) => {
        const { at, ms, method, status, query } = request;
        const comment = effectOf(request);
        const sent = message(request.requestHeaders, request.requestBody);
        const answered = message(request.responseHeaders, request.responseBody);
        return {
          startedDateTime: new Date(at).toISOString(),
          time: ms,
          request: {
            ...sent.common,
            method,
            url: address + targetOf(request),
            queryString: listed(new URLSearchParams(query)),
            ...(sent.bodySize > 0 && { postData: sent.body }),
          },
          response: {
            ...answered.common,
            status,
            statusText: "",
            redirectURL: request.responseHeaders?.["location"] ?? "",
            content: { ...answered.body, size: answered.bodySize },
          },
          cache: {},
          timings: { send: 0, wait: ms, receive: 0 },
          ...(comment !== undefined && { comment }),
        };
      }),
    },
  });

// A shell script.

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const curl: Format["write"] = (requests, { address }) => `#!/bin/sh
# Requests to a pet store. To send them to another one: sh requests.sh http://…/stores/{store}
store=\${1:-${quoted(address)}}
${requests
  .map((request, index) => {
    const { method, requestBody } = request;
    const lack = lackOf(request);
    const title = `\n# ${index + 1}. ${method} ${targetOf(request)}: ${outcomeOf(request)}\n`;
    if (lack) return `${title}# Not sent: ${lack}.\n`;
    const headers = headersOf(request).map(([name, value]) => name + (value ? `: ${value}` : ";"));
    const isTyped = request.requestHeaders?.["content-type"] !== undefined;
    return `${title}curl -sSig --path-as-is ${[
      method === "HEAD" ? "-I" : `-X ${method}`,
      `"$store"${quoted(targetOf(request))}`,
      ...headers.map((header) => `-H ${quoted(header)}`),
      // Without a type of its own, curl says that a body is a form.
      ...(requestBody === undefined || isTyped ? [] : ["-H content-type:"]),
      ...(typeof requestBody === "string" ? [`--data-raw ${quoted(requestBody)}`] : []),
    ].join(" ")}\necho\n`;
  })
  .join("")}`;

// A test.

/** A string of JavaScript that is easy to read if it has JSON. */
const literal = (text: string) =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;

/** A header as `fetch` takes it: a character for each byte. */
const bytesOf = (value: string) =>
  value.replaceAll(/[^!-~]/gu, (char) => String.fromCharCode(...utf8(char)));

/** Whether `fetch` can send a header value. Other clients can send control characters, too. */
const isSendable = (value: string) => /^[\t -~\u0080-\u00FF]*$/.test(value);

/** Statuses that a client of `fetch` does not get: it fails, or sends the request again. */
const ACTED_ON = new Set([407, 421]);

function stepOf(request: LoggedRequest, index: number): string {
  const { method, status, rule, broken, requestBody } = request;
  const lack = lackOf(request) ?? (ACTED_ON.has(status) ? "fetch acts on its status" : undefined);
  const title = `${index + 1}. ${method} ${targetOf({ ...request, query: "" })}`;
  const outcome = outcomeOf(request);
  if (lack) return `  // ${title}: ${outcome}. Not sent: ${lack}.\n`;
  const { every: _, chance: __, seed: ___, ...met } = rule ?? {};
  const faults = rule ? `  await store.faults([${JSON.stringify({ ...met, times: 1 })}]);\n` : "";
  const headers = headersOf(request)
    .filter(([name]) => !UNUSED_HEADERS.test(name))
    .map(([name, value]) => [name, bytesOf(value)] as const);
  const sendable = headers.filter(([, value]) => isSendable(value));
  const unsent = headers.filter((header) => !sendable.includes(header)).map(([name]) => name);
  const body = typeof requestBody === "string" ? [literal(requestBody)] : [];
  const facts = [method, targetOf(request), Object.fromEntries(sendable)];
  const sent = `await send(${[...facts.map((fact) => JSON.stringify(fact)), ...body].join(", ")})`;
  const doubt =
    unsent.length > 0 ? `fetch cannot send its header ${unsent.join(", ")}` : doubtOf(request);
  // A client cannot see that a body ended early if its connection goes on.
  const expected = broken === "body" ? JSON.stringify(outcome) : status;
  return doubt
    ? `${faults}  // ${title}: ${outcome}. Not expected here: ${doubt}.\n  ${sent};\n`
    : `${faults}  expect(${sent}, ${JSON.stringify(title)}).toBe(${expected});\n`;
}

/** How long the store may take to start, and the test besides what its requests took, in milliseconds. */
const TEST_MS = 60_000;

const test: Format["write"] = (requests, { began, isWhole }) => {
  const times = requests.map(
    ({ ms, rule, slowed }) =>
      Math.max(ms, ...[rule?.delayMs ?? 0].flat()) + (slowed ? MAX_SLOW_MS : 0),
  );
  return `// Requests to a pet store, and the statuses that it answered. Run it: npx vitest run requests.test.js
import { startPetStore } from "pet-store-service";
import { afterAll, beforeAll, expect, test } from "vitest";

let store;
beforeAll(async () => {
${began ? "" : "  // It began with other data: put that into it here.\n"}\
${isWhole ? "" : "  // It got other requests, too, which are not here.\n"}\
  store = await startPetStore({ data: "${began ?? "empty"}" });
}, ${TEST_MS});
afterAll(async () => store?.stop());

async function send(method, path, headers, body) {
  // A string would get a type of its own.
  const sent = body && new TextEncoder().encode(body);
  // A rule may redirect.
  const request = { method, headers, body: sent, redirect: "manual" };
  const answer = await fetch(store.url.slice(0, -"/v2".length) + path, request);
  const { status } = answer;
  // A rule may end the connection.
  return answer.arrayBuffer().then(() => status, () => status + ", cut off");
}

test("the store answers as it did", async () => {
${requests.map(stepOf).join("")}}, ${times.reduce((sum, ms) => sum + ms, TEST_MS)});
`;
};

export const FORMATS = {
  har: { type: "application/json", file: "requests.har", write: har },
  curl: { type: "text/x-shellscript; charset=utf-8", file: "requests.sh", write: curl },
  test: { type: "text/javascript; charset=utf-8", file: "requests.test.js", write: test },
} as const satisfies Readonly<Record<string, Format>>;
