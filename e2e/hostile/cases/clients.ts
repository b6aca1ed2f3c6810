import { gone, refused, served } from "../case.ts";
import type { HostileCase } from "../case.ts";
import { NOBODY, PET } from "../given.ts";
import { JSON_TYPE, chunked, dribbled, head, json, request } from "../wire.ts";

const sold = '{"name":"Rex","photoUrls":"rex.png","status":"sold"}';
const BYTE_MS = 15;
const STALL_MS = 4000;

/** Clients that take their time are waited for, and get the answer that others get. */
const slow: readonly HostileCase[] = [
  refused(
    "a look-up comes a byte at a time",
    dribbled(request("GET", "/v2/pet/007"), BYTE_MS),
    400,
    "petId",
  ),
  refused(
    "a user comes a byte a chunk, and a byte at a time",
    dribbled(chunked("POST", "/v2/user", [JSON_TYPE], [..."[1]"]), BYTE_MS),
    400,
    "body",
  ),
  refused(
    "a change of a user stops in the middle of its body",
    [
      head("PUT", "/v2/user/kept", [JSON_TYPE, "Content-Length: 10"]),
      '{"id":',
      { pauseMs: STALL_MS },
      "1.5}",
    ],
    400,
    "id",
  ),
  refused(
    "a list of users stops within a chunk's length",
    [
      head("POST", "/v2/user/createWithList", [JSON_TYPE, "Transfer-Encoding: chunked"]),
      "0",
      { pauseMs: STALL_MS },
      "2\r\n{}\r\n0\r\n\r\n",
    ],
    400,
    "body",
  ),
  refused(
    "a body of 400 KB stops where it is too long already",
    [
      head("POST", "/v2/pet", [JSON_TYPE, "Content-Length: 400000"]),
      { repeat: " ", times: 300_000 },
      { pauseMs: STALL_MS },
      { repeat: " ", times: 100_000 },
    ],
    413,
  ),
  served("a connection says nothing for a while", [
    { pauseMs: STALL_MS },
    ...request("GET", "/v2/store/inventory"),
  ]),
  served("lines come in halves", [
    "GET /v2/store/inventory HTTP/1.1\r",
    { pauseMs: 200 },
    "\nHost: a\r\n\r",
    { pauseMs: 200 },
    "\n",
  ]),
];

/** Clients that end their side, or go away: nothing half-sent is stored, and others are served. */
const leaving: readonly HostileCase[] = [
  refused("a client ends its side after its body", json("POST", "/v2/pet", "{}"), 405, "name", {
    leaves: "ends",
    closes: true,
  }),
  gone("a client resets the connection in the middle of the head", [
    "POST /v2/pet HTTP/1.1\r\nHost:",
  ]),
  gone("a client resets the connection in the middle of a pet", [
    head("POST", "/v2/pet", [JSON_TYPE, "Content-Length: 1000"]),
    sold,
    { pauseMs: 100 },
  ]),
  gone(
    "50 clients reset their connections in the middle of 20 MB",
    [
      head("POST", "/v2/pet", [JSON_TYPE, "Content-Length: 20000000"]),
      { repeat: " ", times: 300_000 },
      { pauseMs: 100 },
    ],
    { connections: 50 },
  ),
  gone("a client resets the connection in the middle of an upload", [
    head("POST", `/v2/pet/${PET.id}/uploadImage`, [
      "Content-Type: multipart/form-data; boundary=x",
      "Content-Length: 5000",
    ]),
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n\x89PNG\r\n\x1a\n',
    { pauseMs: 100 },
  ]),
  gone(
    "20 clients do not wait for the answer",
    request("GET", "/v2/pet/findByStatus?status=available,pending,sold"),
    { connections: 20 },
  ),
  gone(
    "100 clients begin a head and send no more, for a while",
    ["GET /v2/pet/1 HT", { pauseMs: STALL_MS }],
    { connections: 100 },
  ),
];

/** Requests behind one another without a wait are answered in their order, each for itself. */
const pipelines: readonly HostileCase[] = [
  refused(
    "requests come all at once, good and bad",
    [
      ...request("GET", "/v2/pet/007"),
      ...request("GET", "/v2/store/inventory"),
      ...json("POST", "/v2/pet", "{"),
      ...request("DELETE", `/v2/pet/${NOBODY}`),
      ...request("GET", "/v2/user/%20"),
    ],
    400,
    "petId",
    { pipelined: [200, 405, 404, 400] },
  ),
  refused(
    "20 MB are followed by a request without a wait",
    [
      ...json("POST", "/v2/pet", [{ repeat: " ", times: 20_000_000 }]),
      ...request("GET", "/v2/store/order/0"),
    ],
    413,
    undefined,
    { pipelined: [400] },
  ),
  refused(
    "a body of another media type is followed by a request without a wait",
    [
      ...request("POST", "/v2/store/order", {
        headers: ["Content-Type: text/plain"],
        body: head("DELETE", `/v2/pet/${PET.id}`),
      }),
      ...request("GET", `/v2/pet/${PET.id}`),
    ],
    415,
    undefined,
    { pipelined: [200] },
  ),
  refused(
    "200 look-ups come all at once",
    Array.from({ length: 200 }, () => head("GET", "/v2/pet/rex")),
    400,
    "petId",
    {
      pipelined: Array.from({ length: 199 }, () => 400),
    },
  ),
];

export const clients: readonly HostileCase[] = [...slow, ...leaving, ...pipelines];
