import { refused } from "../case.ts";
import type { HostileCase } from "../case.ts";
import { PET } from "../given.ts";
import { JSON_TYPE, chunked, head, json, request } from "../wire.ts";
import type { Piece } from "../wire.ts";

const spaces = (times: number): Piece => ({ repeat: " ", times });
const removal = head("DELETE", `/v2/pet/${PET.id}`);
const lookUp = head("GET", `/v2/pet/${PET.id}`);
const kept = { pipelined: [200] };

/** A body must never be read as the next request. */
const smuggled: readonly HostileCase[] = [
  refused(
    "a request hides in the body of a look-up",
    [...request("GET", "/v2/pet/-5", { body: removal }), lookUp],
    404,
    undefined,
    kept,
  ),
  refused(
    "a request hides in the chunks of a look-up",
    [...chunked("GET", "/v2/pet/-5", [], [removal]), lookUp],
    404,
    undefined,
    kept,
  ),
];

const split = refused(
  "chunks split characters",
  chunked(
    "POST",
    "/v2/pet",
    [JSON_TYPE],
    ['{"name":"\xc3', '\xa9","photoUrls":"\xf0\x9f', '\x90\xb6","status":"\xe2\x82', '\xac"}'],
  ),
  405,
  "status",
);

/** A body that is too long, or not wanted, is discarded, and the connection serves the next request (interface §2.3). */
const large: readonly HostileCase[] = [
  refused("a pet has 20 MB", json("POST", "/v2/pet", [spaces(20_000_000)]), 413),
  refused(
    "an order has 30,000 chunks of ten bytes",
    [
      head("POST", "/v2/store/order", [JSON_TYPE, "Transfer-Encoding: chunked"]),
      { repeat: `a\r\n${" ".repeat(10)}\r\n`, times: 30_000 },
      "0\r\n\r\n",
    ],
    413,
  ),
  refused(
    "an image has 20 MB",
    request("POST", `/v2/pet/${PET.id}/uploadImage`, {
      headers: ["Content-Type: multipart/form-data; boundary=x"],
      body: [{ repeat: "\x89PNG", times: 5_000_000 }],
    }),
    413,
  ),
  refused("an unknown path gets 20 MB", json("POST", "/v2/nowhere", [spaces(20_000_000)]), 404),
  refused("a document gets 3 MB", json("POST", "/v2/openapi.json", [spaces(3_000_000)]), 405),
  refused(
    "a look-up has 2 MB",
    request("GET", "/v2/pet/findByTags?tags=", { body: [spaces(2_000_000)] }),
    400,
    "tags",
  ),
];

export const bodies: readonly HostileCase[] = [...smuggled, split, ...large];
