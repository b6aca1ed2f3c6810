import type { LoggedRequest } from "./log.ts";
import { MOST_TEXT } from "./recording.ts";
import type { RecordedBody } from "./recording.ts";

// The record of requests in forms that other programs read. In each, the requests are in the order of their answers.

/** Where the requests were sent, and what they began with. */
export interface Origin {
  /** `https://…/stores/{store}`. */
  readonly address: string;
  /** What the last reset put into the store; `undefined` if it is neither. */
  readonly began: "empty" | "classic" | undefined;
  /** Whether the requests are all since then. */
  readonly isWhole: boolean;
}

interface Format {
  readonly type: string;
  readonly file: string;
  readonly write: (requests: readonly LoggedRequest[], from: Origin) => string;
}

/** What an HTTP client makes itself. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|keep-alive|expect|te|trailer|upgrade|sec-.*)$/;

/** The path with its query, as it is sent. The log has characters instead of their escapes. */
const targetOf = ({ path, query = "" }: LoggedRequest) =>
  path.replaceAll(/[^!-~]/gu, encodeURIComponent) + (query && `?${query}`);

const headersOf = ({ requestHeaders = {} }: LoggedRequest) =>
  Object.entries(requestHeaders).filter(([name]) => !OWN_HEADERS.test(name));

/** Why a request cannot be sent again; `undefined` if it can. */
function lackOf({ path, query, requestHeaders, requestBody, method }: LoggedRequest) {
  if (requestHeaders === undefined) return "only its line was recorded";
  if (typeof requestBody === "object") {
    return "cut" in requestBody ? "its body is cut" : "its body is no text";
  }
  if (/^(?:CONNECT|TRACE|TRACK)$/.test(method)) return "no client sends this method";
  const texts = [path, query, ...Object.values(requestHeaders)];
  return texts.some((text = "") => text.length >= MOST_TEXT) ? "it is cut" : undefined;
}

/** Why a request that is sent again may be answered otherwise. */
function doubtOf(request: LoggedRequest): string | undefined {
  const { path, query, status, rule, requestHeaders = {}, requestBody, responseHeaders } = request;
  const isDemanded = rule?.status !== undefined || responseHeaders?.["preference-applied"];
  if (JSON.stringify([query, requestHeaders, requestBody]).includes("***")) return "it is masked";
  if (Object.keys(requestHeaders).some((name) => name.startsWith("if-")))
    return "it is conditional";
  if (/\/images\//.test(path)) return "images get other names";
  const isOfPlace = status === 401 || status === 403 || status === 429 || status >= 500;
  return isOfPlace && !isDemanded ? "a new store has other limits and faults" : undefined;
}

// HAR 1.2: http://www.softwareishard.com/blog/har-12-spec/

type Pairs = Iterable<readonly [string, string]>;
const listed = (pairs: Pairs) => Array.from(pairs, ([name, value]) => ({ name, value }));

/** The cookies of a header, without their attributes. */
const cookiesIn = (header = "", isSet = false) =>
  (isSet ? header.split(";", 1) : header.split(";")).flatMap((cookie) => {
    const [, name, value] = /^\s*([^=]+)=(.*)$/.exec(cookie) ?? [];
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });

function bodyOf(body: RecordedBody = "") {
  if (typeof body === "string") return { text: body, bytes: new Blob([body]).size };
  return "cut" in body ? { ...body, comment: "It is cut." } : body;
}

function harEntry(request: LoggedRequest, { address }: Origin) {
  const { at, ms, method, status, rule, query = "" } = request;
  const { requestHeaders: sent = {}, responseHeaders: got = {} } = request;
  const { bytes: sentBytes, type: _, ...posted } = { type: "", ...bodyOf(request.requestBody) };
  const { bytes: size, type: __, ...content } = { type: "", ...bodyOf(request.responseBody) };
  const common = { httpVersion: "HTTP/1.1", headersSize: -1 };
  return {
    startedDateTime: new Date(at).toISOString(),
    time: ms,
    request: {
      ...common,
      method,
      url: address + targetOf(request),
      cookies: cookiesIn(sent["cookie"]),
      headers: listed(Object.entries(sent)),
      queryString: listed(new URLSearchParams(query)),
      ...(sentBytes > 0 && {
        postData: { mimeType: sent["content-type"] ?? "", text: "", ...posted },
      }),
      bodySize: sentBytes,
    },
    response: {
      ...common,
      status,
      statusText: "",
      cookies: cookiesIn(got["set-cookie"], true),
      headers: listed(Object.entries(got)),
      content: { size, mimeType: got["content-type"] ?? "", ...content },
      redirectURL: "",
      bodySize: size,
    },
    cache: {},
    timings: { send: 0, wait: ms, receive: 0 },
    ...(rule && { comment: `A rule applied: ${JSON.stringify(rule)}` }),
  };
}

const har: Format["write"] = (requests, from) =>
  JSON.stringify({
    log: {
      version: "1.2",
      creator: { name: "pet-store-service", version: "1.0.0" },
      entries: requests.map((request) => harEntry(request, from)),
    },
  });

// A shell script.

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function curlOf(request: LoggedRequest, index: number): string {
  const { method, status, requestBody } = request;
  const target = targetOf(request);
  const lack = lackOf(request);
  const title = `# ${index + 1}. ${method} ${target}: ${status}`;
  if (lack !== undefined) return `${title}\n# Not sent: ${lack}.\n`;
  const headers = headersOf(request).map(([name, value]) =>
    value ? `${name}: ${value}` : `${name};`,
  );
  // Without a type of its own, curl says that a body is a form.
  if (!headers.some((header) => header.startsWith("content-type:"))) headers.push("content-type:");
  const body = requestBody === undefined ? [] : ["--data-raw", quoted(requestBody as string)];
  const parts = [
    "curl -sSig --path-as-is",
    method === "HEAD" ? "-I" : `-X ${method}`,
    `"$store"${quoted(target)}`,
    ...headers.map((header) => `-H ${quoted(header)}`),
    ...body,
  ];
  return `${title}\n${parts.join(" ")}\necho\n`;
}

const curl: Format["write"] = (requests, { address }) =>
  [
    `#!/bin/sh
# The requests to a pet store. To send them to another one: sh requests.sh http://…/stores/{store}
store=\${1:-${quoted(address)}}
`,
    ...requests.map(curlOf),
  ].join("\n");

// A test.

/** A string of JavaScript that is easy to read where it has JSON. */
const literal = (text: string) =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;

function stepOf(request: LoggedRequest, index: number): string {
  const { method, status, rule, requestBody } = request;
  const title = `${index + 1}. ${method} ${targetOf(request)}`;
  const lack = lackOf(request);
  if (lack !== undefined) return `  // ${title}: ${status}. Not sent: ${lack}.\n`;
  const headers = JSON.stringify(Object.fromEntries(headersOf(request)));
  const isRead = method === "GET" || method === "HEAD";
  const body = isRead || requestBody === undefined ? "" : `, ${literal(requestBody as string)}`;
  const sent = `await send("${method}", ${literal(targetOf(request))}, ${headers}${body})`;
  const doubt = doubtOf(request);
  const { times: _, every: __, ...met } = rule ?? {};
  return [
    ...(rule ? [`  await store.faults([${JSON.stringify({ ...met, times: 1 })}]);\n`] : []),
    doubt === undefined
      ? `  expect(${sent}, ${literal(title)}).toBe(${status});\n`
      : `  // ${title} was ${status}. It is not expected here: ${doubt}.\n  ${sent};\n`,
  ].join("");
}

/** How long the test may take besides what rules delay, in milliseconds. */
const TEST_MS = 30_000;

const test: Format["write"] = (requests, { began, isWhole }) => {
  const delays = requests.map(({ rule }) => [rule?.delayMs ?? 0].flat().at(-1) ?? 0);
  return `// The requests to a pet store, and the statuses that it answered: npx vitest run requests.test.js
import { startPetStore } from "pet-store-service";
import { afterAll, beforeAll, expect, test } from "vitest";

let store;
beforeAll(async () => {
${began ? "" : "  // It began with other data. Put that into it here.\n"}\
${isWhole ? "" : "  // Other requests came before and between these, and may have changed it.\n"}\
  store = await startPetStore({ data: "${began ?? "empty"}" });
});
afterAll(async () => store.stop());

async function send(method, path, headers, body) {
  // A string would get a type of its own.
  const request = { method, headers, body: body && new TextEncoder().encode(body) };
  const answer = await fetch(store.url.slice(0, -"/v2".length) + path, request);
  // A rule may break the body.
  await answer.arrayBuffer().catch(() => undefined);
  return answer.status;
}

test("the store answers as it did", async () => {
${requests.map(stepOf).join("")}}, ${delays.reduce((sum, ms) => sum + ms, TEST_MS)});
`;
};

export const FORMATS = {
  har: { type: "application/json", file: "requests.har", write: har },
  curl: { type: "text/x-shellscript; charset=utf-8", file: "requests.sh", write: curl },
  test: { type: "text/javascript; charset=utf-8", file: "requests.test.js", write: test },
} as const satisfies Readonly<Record<string, Format>>;
