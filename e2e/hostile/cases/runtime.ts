// What the local runtime answers itself: workerd, whose HTTP parser is the first to see a request, and what
// wrangler puts between it and the Worker. Seen with wrangler 4.155 (workerd 1.20261023.1); Cloudflare's network has
// its own front, so these say how local requests end and that the service survives them, no more.
import { byRuntime } from "../case.ts";
import type { HostileCase } from "../case.ts";
import { JSON_TYPE, head } from "../wire.ts";
import type { Wire } from "../wire.ts";

const post = (...headers: string[]) => head("POST", "/v2/pet", [JSON_TYPE, ...headers]);
const get = (target: string, ...headers: string[]) => head("GET", target, headers);
const chunks = post("Transfer-Encoding: chunked");

/** The parser refuses a request, and ends the connection. */
const parser = (
  status: number,
  shows: string,
  wires: Readonly<Record<string, Wire | string>>,
): HostileCase[] =>
  Object.entries(wires).map(([name, wire]) =>
    byRuntime(name, typeof wire === "string" ? [wire] : wire, status, { closes: true, shows }),
  );

/** Answered before the service sees the request: some of each kind that its parser tells apart. */
export const runtime: readonly HostileCase[] = [
  ...parser(400, "invalid content-length parsed", {
    "a length is negative": [post("Content-Length: -2"), "{}"],
    "a length is beyond 2^64": post("Content-Length: 99999999999999999999"),
    "a length is a list": [post("Content-Length: 2, 2"), "{}"],
    "there are two lengths": [post("Content-Length: 2", "Content-Length: 3"), "{} "],
  }),
  ...parser(400, "invalid transfer-encoding parsed", {
    "a transfer coding only ends like chunked": post("Transfer-Encoding: xchunked"),
    "a transfer coding is followed by another": post("Transfer-Encoding: chunked, gzip"),
  }),
  ...parser(400, "invalid HTTP header parsed", {
    "a header has a space before its colon": post("Transfer-Encoding : chunked"),
    "a header is folded": get("/v2/pet/1", "X-Name: a\r\n b"),
    "a header has a carriage return alone": get("/v2/pet/1", "X-Name: a\rX-Other: b"),
  }),
  ...parser(500, "Network connection lost", {
    "a chunk's length is no number": [chunks, "zz\r\n{}\r\n0\r\n\r\n"],
    "a chunk is longer than its length": [chunks, "2\r\n{}xx\r\n0\r\n\r\n"],
  }),
  ...parser(400, "invalid URI", {
    "a path has bytes that are no UTF-8": get("/v2/pet/\xff"),
    "a target does not begin with a slash": get("v2/pet/7"),
    "the version is left out": "GET /v2/pet/1\r\n\r\n",
  }),
  ...parser(414, "URI too long", {
    "a path is of 64 KB": get(`/v2/pet/${"7".repeat(65_536)}`),
    "a query has 100 long tags": get(
      `/v2/pet/findByTags?${`tags=${"x".repeat(700)}&`.repeat(100)}`,
    ),
  }),
  ...parser(400, "invalid HTTP version parsed", {
    "a path has a space": get("/v2/pet/ 7"),
    "the version is HTTP/9.9": "GET /v2/pet/1 HTTP/9.9\r\nHost: a\r\n\r\n",
  }),
  ...parser(400, "invalid HTTP method parsed", {
    "TLS is spoken": "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
  }),
  ...parser(501, "Unrecognized request method", {
    "a method is unknown": head("BREW", "/v2/pet"),
    "a method is of 10,000 letters": head("A".repeat(10_000), "/v2/pet/1"),
  }),
  ...parser(500, "Internal Server Error", {
    "a tunnel is asked for": head("CONNECT", "a.example:443"),
    "there are two hosts": get("/v2/pet/1", "Host: a.example"),
    "a host is no host": "GET /v2/pet/1 HTTP/1.1\r\nHost: a b/c?d\r\n\r\n",
  }),
  byRuntime(
    "a client ends its side in the middle of a body",
    [post("Content-Length: 9"), "{}"],
    500,
    { closes: true, shows: "Network connection lost", leaves: "ends" },
  ),
  byRuntime(
    "a client ends its side in the middle of a head",
    ["GET /v2/pet/1 HTTP/1.1\r\nHo"],
    "none",
    { leaves: "ends" },
  ),
  byRuntime("HTTP/2 is spoken", ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], "none"),
  byRuntime("there is no host", ["GET /v2/pet/1 HTTP/1.1\r\n\r\n"], 400, { shows: "Bad Request" }),
  byRuntime("a host is empty", ["GET /v2/pet/1 HTTP/1.1\r\nHost:\r\n\r\n"], 400, {
    shows: "Bad Request",
  }),
  byRuntime("the options of the server are asked for", [head("OPTIONS", "*")], 500, {
    shows: "Fetch API cannot load",
  }),
];

/** Answered by the service, but not for what the client sent: the runtime tidies it first. */
export const tidied: readonly HostileCase[] = [
  // RFC 9112 §6.1: a coding that is not understood should get 501.
  byRuntime(
    "a pet is compressed for transfer: taken for chunks",
    [post("Transfer-Encoding: gzip, chunked"), "0\r\n\r\n"],
    405,
    {
      shows: "is required",
    },
  ),
  // RFC 9112 §6.1: chunked must not be applied twice.
  byRuntime(
    "a pet is chunked twice: taken for once",
    [post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), "2\r\n{}\r\n0\r\n\r\n"],
    405,
    { shows: "is required" },
  ),
  byRuntime("a target has a fragment: dropped", [get("/v2/store/order/0#/../1")], 400, {
    shows: "orderId",
  }),
  byRuntime("a path has backslashes: taken for slashes", [get("/v2\\store\\order\\0")], 400, {
    shows: "orderId",
  }),
];
