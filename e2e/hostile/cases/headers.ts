import { gzipSync } from "node:zlib";
import { refused, served } from "../case.ts";
import type { HostileCase } from "../case.ts";
import { IMAGE, NOBODY, ORDER, PET, USER } from "../given.ts";
import { JSON_TYPE, json, request } from "../wire.ts";

const sold = '{"name":"Rex","photoUrls":"rex.png","status":"sold"}';
const typed = (...headers: string[]) => request("POST", "/v2/pet", { headers, body: sold });
const coded = (coding: string) => typed(JSON_TYPE, `Content-Encoding: ${coding}`);
const found = (...headers: string[]) => request("GET", `/v2/pet/${PET.id}`, { headers });
const image = (...headers: string[]) => request("GET", IMAGE, { headers });
const logout = (...headers: string[]) => request("GET", "/v2/user/logout", { headers });
/** Of a pet that no store has. */
const nothing = (...headers: string[]) => request("GET", "/v2/pet/-5", { headers });
const removal = (id: number | string, ...headers: string[]) =>
  request("DELETE", `/v2/pet/${id}`, { headers });
const OK = { shows: '"ok"' };
const inventory = (...headers: string[]) => request("GET", "/v2/store/inventory", { headers });
/** `application/json` in UTF-8, or none; another is 415 (interface §2.1). */
const mediaTypes: readonly HostileCase[] = [
  refused(
    "a pet is of two media types in one header",
    typed("Content-Type: application/json, text/plain"),
    415,
  ),
  refused(
    "a pet is of two media types in two headers",
    typed(JSON_TYPE, "Content-Type: text/plain"),
    415,
  ),
  refused("a pet's media type is half of one", typed("Content-Type: application/"), 415),
  refused(
    "a pet's media type is of 60,000 characters",
    typed(`Content-Type: application/json;${"charset ".repeat(7500)}`),
    415,
  ),
  refused(
    "a list of users is of text",
    request("POST", "/v2/user/createWithList", {
      headers: ["Content-Type: text/json"],
      body: "[{}]",
    }),
    415,
  ),
  served(
    "a type in odd case and quotes is JSON",
    request("POST", "/v2/store/order", {
      headers: ['Content-Type: APPLICATION/Json ; Charset="UTF-8"'],
      body: "{}",
    }),
  ),
];

/** The content is taken as it is: no coding is undone (415). */
const codings: readonly HostileCase[] = [
  refused(
    "a user is compressed",
    request("POST", "/v2/user", {
      headers: [JSON_TYPE, "Content-Encoding: gzip"],
      body: [gzipSync("{}")],
    }),
    415,
  ),
  refused("a pet says it is compressed, and is not", coded("gzip"), 415),
  refused("a pet says it is compressed with Brotli", coded("br"), 415),
  refused("a pet says it is compressed twice", coded("gzip, gzip"), 415),
  refused("a pet is in a coding that nobody knows", coded("rot13"), 415),
  refused(
    "an upload is compressed",
    request("POST", `/v2/pet/${PET.id}/uploadImage`, {
      headers: ["Content-Type: multipart/form-data; boundary=x", "Content-Encoding: deflate"],
      body: "x",
    }),
    415,
  ),
  served(
    "an order says that it is not compressed",
    request("POST", "/v2/store/order", {
      headers: [JSON_TYPE, "Content-Encoding: IDENTITY"],
      body: "{}",
    }),
  ),
];

/** Conditions that name no version of ours: nothing may be lost by them (interface §7.2). */
const conditions: readonly HostileCase[] = [
  refused(
    "a pet is deleted if it matches nonsense",
    removal(PET.id, "If-Match: nonsense"),
    412,
    undefined,
    { afterwards: { target: `/v2/pet/${PET.id}`, status: 200 } },
  ),
  refused("a pet is deleted if it matches a weak tag", removal(PET.id, 'If-Match: W/"1"'), 412),
  refused(
    "a pet is deleted if it matches a tag of SQL",
    removal(PET.id, `If-Match: "1' OR '1'='1"`),
    412,
  ),
  refused(
    "a pet is replaced if it matches a tag beyond 2^64",
    request("PUT", "/v2/pet", {
      headers: [JSON_TYPE, 'If-Match: "99999999999999999999"'],
      body: JSON.stringify({ ...PET, status: "sold" }),
    }),
    412,
  ),
  refused(
    "a form is to match 15,000 tags",
    request("POST", `/v2/pet/${PET.id}`, {
      headers: [
        "Content-Type: application/x-www-form-urlencoded",
        `If-Match: ${'"1",'.repeat(15_000)}"1"`,
      ],
      body: "status=sold",
    }),
    400,
  ),
  refused(
    "an order is deleted if it matches an empty tag",
    request("DELETE", `/v2/store/order/${ORDER.id}`, { headers: ['If-Match: ""'] }),
    412,
  ),
  refused(
    "a user is deleted if he matches half a tag",
    request("DELETE", `/v2/user/${USER.username}`, { headers: ['If-Match: "1'] }),
    412,
    undefined,
    { afterwards: { target: `/v2/user/${USER.username}`, status: 200 } },
  ),
  refused(
    "a user is changed if he matches a date",
    request("PUT", `/v2/user/${USER.username}`, {
      headers: [JSON_TYPE, "If-Match: Sat, 21 Nov 2026 10:00:00 GMT"],
      body: '{"phone":"1"}',
    }),
    412,
  ),
  refused("an image is asked for beyond its end", image("Range: bytes=99999999999999999999-"), 416),
  refused("an image is asked for without its last 0 bytes", image("Range: bytes=-0"), 416),
  served("an image is asked for in 5,000 ranges", image(`Range: bytes=${"0-,".repeat(5000)}0-`)),
  served("an image's range ends before it begins", image("Range: bytes=5-2")),
  served("a pet is asked for in a range", found("Range: bytes=0-0"), { shows: '"kept.png"' }),
  refused(
    "a pet is asked for if it is none of 60,000 quotes",
    found(`If-None-Match: ${'"'.repeat(60_000)}`),
    400,
  ),
];

/** What proves nothing and asks for nothing is ignored (interface §6.4, §7.5). */
const ignored: readonly HostileCase[] = [
  refused("an api_key is of 64 KB", removal(NOBODY, `api_key: ${"k".repeat(65_536)}`), 404),
  refused("an api_key is not ASCII", removal(NOBODY, "api_key: \xff\xfe"), 404),
  refused(
    "a login's name and password are in a header",
    request("GET", "/v2/user/login", {
      headers: ["Authorization: Basic a2VwdDprZXB0IHBhc3N3b3Jk"],
    }),
    400,
  ),
  refused(
    "headers say that the method is another",
    nothing("X-HTTP-Method-Override: POST", "X-Method: POST"),
    404,
  ),
  refused(
    "headers say that the path is another",
    nothing("X-Original-URL: /v2/store/inventory", "X-Rewrite-URL: /v2/store/inventory"),
    404,
  ),
  refused(
    "an answer in XML only is asked for",
    nothing("Accept: application/xml;q=1, */*;q=0"),
    404,
  ),
  refused("a header is not ASCII", nothing("X-Name: \xe9\xff\x80"), 404),
  refused("a header has a control character", nothing("X-Name: a\x01b\x1bc"), 404),
  refused("one header is of 64 KB", nothing(`X-Long: ${"x".repeat(65_536)}`), 404),
  refused(
    "there are 3,000 headers",
    nothing(...Array.from({ length: 3000 }, (_, index) => `X-${index}: x`)),
    404,
  ),
  refused(
    "one header is given 1,000 times",
    nothing(...Array.from({ length: 1000 }, () => "Accept: */*")),
    404,
  ),
  refused(
    "a pet is refused under a header of 64 KB",
    request("POST", "/v2/pet", {
      headers: [JSON_TYPE, `X-Long: ${"x".repeat(65_536)}`],
      body: "{}",
    }),
    405,
    "name",
  ),
  served("a bookmark is nonsense", inventory("x-d1-bookmark: '; DROP TABLE pets;--")),
  served("a bookmark is of 60 KB", inventory(`x-d1-bookmark: ${"0".repeat(60_000)}`)),
  served(
    "a bookmark is of a time that has not come",
    inventory(`x-d1-bookmark: ffffffff-ffffffff-ffffffff-${"f".repeat(32)}`),
  ),
  served(
    "an address is claimed",
    inventory("X-Forwarded-For: 127.0.0.1", "CF-Connecting-IP: ' OR 1=1", "Forwarded: for=_x"),
  ),
  served(
    "a protocol is claimed",
    inventory("X-Forwarded-Proto: https", "X-Forwarded-Host: a.example"),
  ),
  served(
    "a WebSocket is asked for",
    inventory(
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ),
  ),
  served(
    "HTTP/2 is asked for",
    inventory("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"),
  ),
  served("an origin is none", inventory("Origin: null\x09<script>")),
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
  served(
    "a preflight asks for a header that is none",
    request("OPTIONS", `/v2/user/${USER.username}`, {
      headers: [
        "Origin: \xff",
        "Access-Control-Request-Method: PUT",
        "Access-Control-Request-Headers: a b:\xff",
      ],
    }),
    { status: 204 },
  ),
  served("a logout's cookie is of 64 KB", logout(`Cookie: session=${"x".repeat(65_536)}`), OK),
  served(
    "a logout's cookies are many and none",
    logout(`Cookie: ${"session=;__proto__=x;=;%ZZ;".repeat(500)}`),
    OK,
  ),
  served("a logout's cookie is an escape of no UTF-8", logout("Cookie: session=%FF%ZZ"), OK),
  served("a logout's token is not ASCII", logout("Authorization: Bearer \xc3\x28"), OK),
  served(
    "a logout's scheme is another",
    logout("Authorization: Basic a2VwdDp4", "Authorization: Bearer x"),
    OK,
  ),
];

/** Known path, other method: 405 with `Allow`; unknown path: 404 (interface §1.2). */
const methods: readonly HostileCase[] = [
  refused(
    "a request is to be sent back",
    request("TRACE", "/v2/pet", { headers: ["Cookie: session=secret"] }),
    405,
    undefined,
    { hides: "secret" },
  ),
  refused("a request to an unknown path is to be sent back", request("TRACE", "/v2/nowhere"), 404),
  refused("a pet is to be patched", json("PATCH", `/v2/pet/${PET.id}`, '{"status":"sold"}'), 405),
  refused("a pet is to be put under its id", json("PUT", `/v2/pet/${PET.id}`, sold), 405),
  refused("all pets are to be deleted", request("DELETE", "/v2/pet"), 405),
  refused(
    "pets are looked for with SEARCH",
    request("SEARCH", "/v2/pet/findByStatus?status=sold"),
    405,
  ),
  refused("pets by tags are posted", json("POST", "/v2/pet/findByTags?tags=kept", sold), 405),
  refused(
    "properties are looked for",
    request("PROPFIND", "/v2/user/kept", { headers: ["Depth: infinity"] }),
    405,
  ),
  refused("a cache is to be purged", request("PURGE", `/v2/pet/${PET.id}`), 405),
  refused(
    "a resource is to be moved",
    request("MOVE", `/v2/user/${USER.username}`, { headers: ["Destination: /v2/user/stolen"] }),
    405,
    undefined,
    { afterwards: { target: "/v2/user/stolen", status: 404 } },
  ),
  refused("an order is to be reported", request("REPORT", `/v2/store/order/${ORDER.id}`), 405),
  refused("the inventory is to be replaced", json("PUT", "/v2/store/inventory", '{"sold":0}'), 405),
  refused("an order is replaced", json("PUT", "/v2/store/order", "{}"), 405),
  refused(
    "a login is posted",
    json("POST", "/v2/user/login", '{"username":"kept","password":"kept password"}'),
    405,
  ),
  refused("a logout is posted", request("POST", "/v2/user/logout", { body: "" }), 405),
  refused("users are listed", request("GET", "/v2/user"), 405),
  refused("the list of users is read", request("GET", "/v2/user/createWithArray"), 405),
  refused("an upload is read", request("GET", `/v2/pet/${PET.id}/uploadImage`), 405),
  refused("the head of a pet is asked for by a bad id", request("HEAD", "/v2/pet/007"), 400),
  refused("the head of a path is asked for that has no GET", request("HEAD", "/v2/pet"), 405),
  served(
    "the head of the inventory is asked for with a body",
    request("HEAD", "/v2/store/inventory", { body: "x".repeat(1000) }),
  ),
  served(
    "the options of a pet are asked for by a bad id, with a body",
    request("OPTIONS", "/v2/pet/%ZZ", { body: "{" }),
    { status: 204 },
  ),
];

export const headers: readonly HostileCase[] = [
  ...mediaTypes,
  ...codings,
  ...conditions,
  ...ignored,
  ...methods,
];
