import { refused, served } from "../case.ts";
import type { HostileCase } from "../case.ts";
import { IMAGE, NOBODY, PET } from "../given.ts";
import { JSON_TYPE, request } from "../wire.ts";

const sold = '{"name":"Rex","photoUrls":"rex.png","status":"sold"}';
const typed = (...headers: string[]) => request("POST", "/v2/pet", { headers, body: sold });
const get = (target: string, ...headers: string[]) => request("GET", target, { headers });
const LOGOUT = "/v2/user/logout";
const INVENTORY = "/v2/store/inventory";
const removal = (id: number | string, ...headers: string[]) =>
  request("DELETE", `/v2/pet/${id}`, { headers });
const long = "x".repeat(65_536);
const OK = { shows: '"ok"' };

/** Headers that the service parses (interface §2.1, §7.2). */
const parsed: readonly HostileCase[] = [
  refused(
    "a pet has two headers with different media types",
    typed(JSON_TYPE, "Content-Type: text/plain"),
    415,
  ),
  refused(
    "a pet's media type has 60,000 characters",
    typed(`${JSON_TYPE};${"charset ".repeat(7500)}`),
    415,
  ),
  refused(
    "a delete is conditional on 15,000 tags",
    removal(PET.id, `If-Match: ${'"1",'.repeat(15_000)}"1"`),
    400,
  ),
  refused(
    "a look-up is conditional on 60,000 quotes",
    get(`/v2/pet/${PET.id}`, `If-None-Match: ${'"'.repeat(60_000)}`),
    400,
  ),
  served(
    "an image is asked for in 5,000 ranges",
    get(IMAGE, `Range: bytes=${"0-,".repeat(5000)}0-`),
  ),
];

/** Headers that the service reads and ignores if they prove nothing (interface §6.4, §7.5). */
const ignored: readonly HostileCase[] = [
  refused("an api_key has 64 KB", removal(NOBODY, `api_key: ${long}`), 404),
  refused("an api_key is not ASCII", removal(NOBODY, "api_key: \xff\xfe"), 404),
  refused(
    "there are 3,000 headers",
    get("/v2/pet/-5", ...Array.from({ length: 3000 }, (_, index) => `X-${index}: x`)),
    404,
  ),
  served("a bookmark has 60 KB", get(INVENTORY, `x-d1-bookmark: ${"0".repeat(60_000)}`)),
  served(
    "a client claims another address",
    get(INVENTORY, "X-Forwarded-For: 127.0.0.1", "CF-Connecting-IP: ' OR 1=1", "Forwarded: for=_x"),
  ),
  served(
    "an operation is asked for a WebSocket",
    get(
      INVENTORY,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ),
  ),
  served(
    "a preflight asks for 60 KB of headers",
    request("OPTIONS", "/v2/pet", {
      headers: [
        "Access-Control-Request-Method: BREW",
        `Access-Control-Request-Headers: ${"x,".repeat(30_000)}x`,
      ],
    }),
    { status: 204 },
  ),
  served("a logout's cookie has 64 KB", get(LOGOUT, `Cookie: session=${long}`), OK),
  served("a logout's cookie is not UTF-8", get(LOGOUT, "Cookie: session=%FF%ZZ"), OK),
  served("a logout's token is not ASCII", get(LOGOUT, "Authorization: Bearer \xc3\x28"), OK),
];

/** Methods that the tests in workerd cannot send (interface §1.2). */
const methods: readonly HostileCase[] = [
  refused(
    "TRACE is sent with a cookie",
    request("TRACE", "/v2/pet", { headers: ["Cookie: session=secret"] }),
    405,
    undefined,
    { hides: "secret" },
  ),
  refused("PURGE is sent to a pet", request("PURGE", `/v2/pet/${PET.id}`), 405),
  served("HEAD is sent with a body", request("HEAD", INVENTORY, { body: "x".repeat(1000) })),
  served(
    "OPTIONS is sent with a bad id and a body",
    request("OPTIONS", "/v2/pet/%ZZ", { body: "{" }),
    { status: 204 },
  ),
];

export const headers: readonly HostileCase[] = [...parsed, ...ignored, ...methods];
