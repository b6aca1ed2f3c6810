import { refused, served } from "../case.ts";
import type { HostileCase } from "../case.ts";
import { IMAGE, NOBODY, PET, USER } from "../given.ts";
import { JSON_TYPE, request } from "../wire.ts";

const sold = '{"name":"Rex","photoUrls":"rex.png","status":"sold"}';
const typed = (...headers: string[]) => request("POST", "/v2/pet", { headers, body: sold });
const get = (target: string, ...headers: string[]) => request("GET", target, { headers });
/** A pet that no store has. */
const NOTHING = "/v2/pet/-5";
const LOGOUT = "/v2/user/logout";
const INVENTORY = "/v2/store/inventory";
const removal = (id: number | string, ...headers: string[]) =>
  request("DELETE", `/v2/pet/${id}`, { headers });
const long = "x".repeat(65_536);
const OK = { shows: '"ok"' };

/** How the body is to be read, and on which condition (interface §2.1, §7.2). */
const read: readonly HostileCase[] = [
  refused(
    "a pet is of two media types in two headers",
    typed(JSON_TYPE, "Content-Type: text/plain"),
    415,
  ),
  refused(
    "a pet's media type is of 60,000 characters",
    typed(`${JSON_TYPE};${"charset ".repeat(7500)}`),
    415,
  ),
  refused(
    "a pet is deleted if it matches one of 15,000 tags",
    removal(PET.id, `If-Match: ${'"1",'.repeat(15_000)}"1"`),
    400,
  ),
  refused(
    "a pet is asked for if it is none of 60,000 quotes",
    get(`/v2/pet/${PET.id}`, `If-None-Match: ${'"'.repeat(60_000)}`),
    400,
  ),
  served(
    "an image is asked for in 5,000 ranges",
    get(IMAGE, `Range: bytes=${"0-,".repeat(5000)}0-`),
  ),
];

/** What proves nothing and asks for nothing is ignored (interface §6.4, §7.5). */
const ignored: readonly HostileCase[] = [
  refused("an api_key is of 64 KB", removal(NOBODY, `api_key: ${long}`), 404),
  refused("an api_key is not ASCII", removal(NOBODY, "api_key: \xff\xfe"), 404),
  refused("a header is not ASCII", get(NOTHING, "X-Name: \xe9\xff\x80"), 404),
  refused("a header has a control character", get(NOTHING, "X-Name: a\x01b\x1bc"), 404),
  refused("one header is of 64 KB", get(NOTHING, `X-Long: ${long}`), 404),
  refused(
    "there are 3,000 headers",
    get(NOTHING, ...Array.from({ length: 3000 }, (_, index) => `X-${index}: x`)),
    404,
  ),
  refused(
    "one header is given 1,000 times",
    get(NOTHING, ...Array.from({ length: 1000 }, () => "Accept: */*")),
    404,
  ),
  refused("a pet is refused under a header of 64 KB", typed("Content-Type: a", `X: ${long}`), 415),
  served("a bookmark is of 60 KB", get(INVENTORY, `x-d1-bookmark: ${"0".repeat(60_000)}`)),
  served(
    "an address is claimed",
    get(INVENTORY, "X-Forwarded-For: 127.0.0.1", "CF-Connecting-IP: ' OR 1=1", "Forwarded: for=_x"),
  ),
  served(
    "a WebSocket is asked for",
    get(
      INVENTORY,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ),
  ),
  served(
    "HTTP/2 is asked for",
    get(
      INVENTORY,
      "Connection: Upgrade, HTTP2-Settings",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABk",
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
  served("a logout's cookie is of 64 KB", get(LOGOUT, `Cookie: session=${long}`), OK),
  served("a logout's cookie is an escape of no UTF-8", get(LOGOUT, "Cookie: session=%FF%ZZ"), OK),
  served("a logout's token is not ASCII", get(LOGOUT, "Authorization: Bearer \xc3\x28"), OK),
];

/** Methods that the app's tests cannot send: 405 where the path is known (interface §1.2). */
const methods: readonly HostileCase[] = [
  refused(
    "a request is to be sent back",
    request("TRACE", "/v2/pet", { headers: ["Cookie: session=secret"] }),
    405,
    undefined,
    { hides: "secret" },
  ),
  refused("a request to an unknown path is to be sent back", request("TRACE", "/v2/nowhere"), 404),
  refused("a cache is to be purged", request("PURGE", `/v2/pet/${PET.id}`), 405),
  refused(
    "a resource is to be moved",
    request("MOVE", `/v2/user/${USER.username}`, { headers: ["Destination: /v2/user/stolen"] }),
    405,
    undefined,
    { afterwards: { target: "/v2/user/stolen", status: 404 } },
  ),
  served(
    "the head of the inventory is asked for with a body",
    request("HEAD", INVENTORY, { body: "x".repeat(1000) }),
  ),
  served(
    "the options of a pet are asked for by a bad id, with a body",
    request("OPTIONS", "/v2/pet/%ZZ", { body: "{" }),
    { status: 204 },
  ),
];

export const headers: readonly HostileCase[] = [...read, ...ignored, ...methods];
