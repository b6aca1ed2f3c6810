import type { RecordedRequest } from "./request-log.ts";

// The record as a file for other programs, the oldest request first.

const listed = (pairs: Iterable<readonly string[]>) =>
  Array.from(pairs, ([name = "", value = ""]) => ({ name, value }));

/** What a request and an answer have in common in a HAR. */
const message = (headers: Readonly<Record<string, string>>, body = "") => ({
  httpVersion: "HTTP/1.1",
  cookies: [],
  headers: listed(Object.entries(headers)),
  headersSize: -1,
  bodySize: Buffer.byteLength(body),
});

const textOf = (headers: Readonly<Record<string, string>>, text = "") => ({
  mimeType: headers["content-type"] ?? "",
  text,
});

/**
 * HAR 1.2, which the developer tools of browsers open: http://www.softwareishard.com/blog/har-12-spec/
 * @param url of the sandbox
 */
export const harOf = (requests: readonly RecordedRequest[], url: string) => ({
  log: {
    version: "1.2",
    creator: { name: "pet-store-service", version: "1" },
    entries: requests.map((each) => ({
      startedDateTime: new Date(each.at).toISOString(),
      time: each.ms,
      request: {
        ...message(each.requestHeaders, each.requestBody),
        method: each.method,
        url: url + each.path,
        queryString: listed(new URL(url + each.path).searchParams),
        ...(each.requestBody !== undefined && {
          postData: textOf(each.requestHeaders, each.requestBody),
        }),
      },
      response: {
        ...message(each.responseHeaders, each.responseBody),
        status: each.status,
        statusText: "",
        redirectURL: "",
        content: {
          ...textOf(each.responseHeaders, each.responseBody),
          size: Buffer.byteLength(each.responseBody ?? ""),
        },
      },
      cache: {},
      timings: { send: 0, wait: each.ms, receive: 0 },
    })),
  },
});

/** Headers that curl sets itself, or that only say who sent the request. */
const OWN_HEADER =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|upgrade|user-agent|sec-.*)$/;

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A shell script that sends the requests again. @param url of the sandbox */
export const curlOf = (requests: readonly RecordedRequest[], url: string): string =>
  requests
    .map(({ method, path, status, requestHeaders, requestBody }) =>
      [
        `# ${status}\ncurl ${method === "HEAD" ? "-I" : `-X ${method}`} ${quoted(url + path)}`,
        ...Object.entries(requestHeaders)
          .filter(([name]) => !OWN_HEADER.test(name))
          .map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
        ...(requestBody === undefined ? [] : [`--data-raw ${quoted(requestBody)}`]),
      ].join(" "),
    )
    .map((line) => `${line}\n`)
    .join("");
