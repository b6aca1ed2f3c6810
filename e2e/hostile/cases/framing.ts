import { refused, served } from "../case.ts";
import type { HostileCase } from "../case.ts";
import { PET } from "../given.ts";
import { JSON_TYPE, chunked, head, json, request } from "../wire.ts";
import type { Piece } from "../wire.ts";

const MANY = 20_000_000;
const spaces = (times: number): Piece => ({ repeat: " ", times });
const sold = '{"name":"Rex","photoUrls":"rex.png","status":"sold"}';

/** Lengths and chunks (RFC 9112 §6 and §7). What is behind a body is never taken for its end. */
const lengths: readonly HostileCase[] = [
  refused(
    "a pet has a length and chunks: the chunks count, and the connection ends",
    [
      head("POST", "/v2/pet", [JSON_TYPE, "Content-Length: 4", "Transfer-Encoding: chunked"]),
      "0\r\n\r\n",
      head("DELETE", `/v2/pet/${PET.id}`),
    ],
    405,
    "body",
    { closes: true, afterwards: { target: `/v2/pet/${PET.id}`, status: 200 } },
  ),
  refused(
    "a request hides in a body that is longer than its length says, and is one of its own",
    [...json("POST", "/v2/store/order", "{"), head("GET", "/v2/pet/007")],
    400,
    "body",
    { pipelined: [400] },
  ),
  refused(
    "a request hides in the body of a look-up",
    request("GET", "/v2/pet/-5", { body: head("DELETE", `/v2/pet/${PET.id}`) }),
    404,
    undefined,
    { afterwards: { target: `/v2/pet/${PET.id}`, status: 200 } },
  ),
  refused(
    "a request hides in the chunks of a look-up",
    chunked("GET", "/v2/pet/-5", [], [head("DELETE", `/v2/pet/${PET.id}`)]),
    404,
    undefined,
    { afterwards: { target: `/v2/pet/${PET.id}`, status: 200 } },
  ),
  refused(
    "a length is given twice, the same",
    [head("POST", "/v2/user", [JSON_TYPE, "Content-Length: 2", "Content-Length: 2"]), "[]"],
    400,
    "body",
  ),
  refused(
    "a length has leading zeros",
    [head("POST", "/v2/pet", [JSON_TYPE, "Content-Length: 0000002"]), "{}"],
    405,
    "name",
  ),
  refused("a pet has no chunk", chunked("POST", "/v2/pet", [JSON_TYPE], []), 405, "body"),
  refused(
    "a chunk's length is in capitals and has zeros, an extension and a trailer",
    [
      head("POST", "/v2/store/order", [JSON_TYPE, "transfer-encoding: CHUNKED"]),
      "0000F;name=value\r\n",
      '{"quantity":-1}',
      "\r\n0\r\nX-Trailer: x\r\nContent-Length: 99\r\n\r\n",
    ],
    400,
    "quantity",
  ),
  refused(
    "chunks cut characters in two",
    chunked(
      "POST",
      "/v2/pet",
      [JSON_TYPE],
      ['{"name":"\xc3', '\xa9","photoUrls":"\xf0\x9f', '\x90\xb6","status":"\xe2\x82', '\xac"}'],
    ),
    405,
    "status",
  ),
  served("an order waits to be asked for its body", [
    head("POST", "/v2/store/order", [JSON_TYPE, "Content-Length: 2", "Expect: 100-continue"]),
    { pauseMs: 200 },
    "{}",
  ]),
  refused(
    "an order expects what nobody has heard of",
    [head("POST", "/v2/store/order", [JSON_TYPE, "Content-Length: 1", "Expect: tea"]), "{"],
    400,
    "body",
  ),
  refused(
    "a pet's look-up is of HTTP/1.0 and ends the connection",
    ["GET /v2/pet/-5 HTTP/1.0\r\nHost: petstore.test\r\n\r\n"],
    404,
    undefined,
    { closes: true },
  ),
  refused(
    "a client closes its connection after a bad body",
    request("POST", "/v2/pet", {
      headers: [JSON_TYPE, "Connection: close"],
      body: "{",
    }),
    405,
    "body",
    { closes: true },
  ),
  refused("lines end without a carriage return", ["GET /v2/pet/007 HTTP/1.1\nHost: a\n\n"], 400),
  refused("empty lines come before the request", ["\r\n\r\n", head("GET", "/v2/pet/007")], 400),
];

/** Over 48 KiB: 413, and the connection serves what comes next (interface §2.3). */
const sizes: readonly HostileCase[] = [
  served(
    "an order is of exactly 48 KiB",
    json("POST", "/v2/store/order", ["{", spaces(49_150), "}"]),
  ),
  refused(
    "a pet is of 48 KiB and a byte, in chunks",
    chunked("POST", "/v2/pet", [JSON_TYPE], [sold, " ".repeat(49_153 - sold.length)]),
    413,
  ),
  refused("a pet is of 20 MB", json("POST", "/v2/pet", [sold, spaces(MANY)]), 413),
  refused(
    "a replacement is of 20 MB, in one chunk",
    [
      head("PUT", "/v2/pet", [JSON_TYPE, "Transfer-Encoding: chunked"]),
      `${MANY.toString(16)}\r\n`,
      spaces(MANY),
      "\r\n0\r\n\r\n",
    ],
    413,
  ),
  refused(
    "an order is of 30,000 chunks of ten bytes",
    [
      head("POST", "/v2/store/order", [JSON_TYPE, "Transfer-Encoding: chunked"]),
      { repeat: `a\r\n${" ".repeat(10)}\r\n`, times: 30_000 },
      "0\r\n\r\n",
    ],
    413,
  ),
  refused(
    "an image is of 20 MB",
    request("POST", `/v2/pet/${PET.id}/uploadImage`, {
      headers: ["Content-Type: multipart/form-data; boundary=x"],
      body: [{ repeat: "\x89PNG", times: MANY / 4 }],
    }),
    413,
  ),
  refused("20 MB go to a path that is unknown", json("POST", "/v2/nowhere", [spaces(MANY)]), 404),
  refused("3 MB go to a document", json("POST", "/v2/openapi.json", [spaces(3_000_000)]), 405),
  refused(
    "2 MB go with a look-up",
    request("GET", "/v2/pet/findByTags?tags=", { body: [spaces(2_000_000)] }),
    400,
    "tags",
  ),
  refused(
    "200 KB go to an order that waits to be asked for them, too long",
    [
      head("POST", "/v2/store/order", [
        JSON_TYPE,
        "Content-Length: 400000",
        "Expect: 100-continue",
      ]),
      { pauseMs: 100 },
      spaces(400_000),
    ],
    413,
  ),
];

export const framing: readonly HostileCase[] = [...lengths, ...sizes];
