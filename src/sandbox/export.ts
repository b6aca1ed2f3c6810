import type { RecordedRequest } from "./requests.ts";

// The record as a file for other programs, the oldest request first.

const listed = (pairs: Iterable<readonly [string, string]>) => Array.from(pairs, ([name, value]) => ({ name, value }));

/** The part of a HAR that a request and an answer have in common. */
const message = (headers: Readonly<Record<string, string>>, body = "") => ({
  httpVersion: "HTTP/1.1",
  cookies: [],
  headers: listed(Object.entries(headers)),
  headersSize: -1,
  bodySize: Buffer.byteLength(body),
});

const contentOf = (headers: Readonly<Record<string, string>>, text = "") => ({
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
        ...(each.requestBody && { postData: contentOf(each.requestHeaders, each.requestBody) }),
      },
      response: {
        ...message(each.responseHeaders, each.responseBody),
        status: each.status,
        statusText: "",
        redirectURL: "",
        content: {
          ...contentOf(each.responseHeaders, each.responseBody),
          size: Buffer.byteLength(each.responseBody ?? ""),
        },
      },
      cache: {},
      timings: { send: 0, wait: each.ms, receive: 0 },
    })),
  },
});

/** Headers that curl sets itself. */
const OWN_HEADER = /^(?:host|connection|content-length|transfer-encoding|accept-encoding|sec-.*)$/;

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A shell script that sends the requests again. @param url of the sandbox */
export const curlOf = (requests: readonly RecordedRequest[], url: string): string =>
  requests
    .map(({ method, path, status, requestHeaders, requestBody }) => {
      const headers = Object.entries(requestHeaders)
        .filter(([name]) => !OWN_HEADER.test(name))
        .map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
      const body = requestBody === undefined ? [] : [`--data-raw ${quoted(requestBody)}`];
      const how = method === "HEAD" ? "-I" : `-X ${method}`;
      return `# ${status}\n${["curl --globoff", how, quoted(url + path), ...headers, ...body].join(" ")}\n`;
    })
    .join("");
