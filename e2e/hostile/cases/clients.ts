import { gone, refused } from "../case.ts";
import type { HostileCase } from "../case.ts";
import { NOBODY, PET } from "../given.ts";
import { JSON_TYPE, head, json, request } from "../wire.ts";

const sold = '{"name":"Rex","photoUrls":"rex.png","status":"sold"}';
const STALL_MS = 4000;

/** A slow client gets the same answer as any other. */
const slow: readonly HostileCase[] = [
  refused(
    "a change of a user stalls in the middle of its body",
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
    "a body of 400 KB stalls after it is too long",
    [
      head("POST", "/v2/pet", [JSON_TYPE, "Content-Length: 400000"]),
      { repeat: " ", times: 300_000 },
      { pauseMs: STALL_MS },
      { repeat: " ", times: 100_000 },
    ],
    413,
  ),
];

/** Nothing of an incomplete request is stored, and other clients are served. */
const leaving: readonly HostileCase[] = [
  refused("a client ends its side after its body", json("POST", "/v2/pet", "{}"), 405, "name", {
    leaves: "ends",
  }),
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
];

/** Pipelined requests are answered in order, each by itself. */
const pipelines: readonly HostileCase[] = [
  refused(
    "good and bad requests come all at once",
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
    "a request follows a body of another media type without a pause",
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
    { pipelined: Array.from({ length: 199 }, () => 400) },
  ),
];

export const clients: readonly HostileCase[] = [...slow, ...leaving, ...pipelines];
