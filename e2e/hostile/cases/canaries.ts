import { refused, served } from "../case.ts";
import type { HostileCase } from "../case.ts";
import { NOBODY, PET } from "../given.ts";
import { json, request } from "../wire.ts";

const get = (target: string) => request("GET", target);
const plain = '"name":"Rex","photoUrls":"rex.png"';

/**
 * The most dangerous of what test/http and test/properties send to the app itself: here everything that serves it is in
 * the way, and a process that they share would fall.
 */
export const canaries: readonly HostileCase[] = [
  refused("the path asks for the local secrets", get("/.dev.vars"), 404),
  refused("the path asks for the settings, escaped", get("/v2/..%2fwrangler.toml"), 404),
  refused("the path climbs above the root", get("/v2/../../../../etc/passwd"), 404),
  refused("the path is of 10,000 parts", get(`/v2${"/pet".repeat(10_000)}`), 404),
  refused("the path begins with two slashes", get("//v2/pet/7"), 404),
  served("the path climbs by escaped dots", get("/v2/pet/%2e%2e/store/inventory"), {
    shows: '"available"',
  }),
  served("the target is a whole URL of another host", get("http://a.example/v2/store/inventory"), {
    shows: '"available"',
  }),
  refused(
    "an image's name climbs to another pet's",
    get(`/v2/pet/${NOBODY}/images/..%2F${PET.id}%2Fkept.png`),
    404,
  ),
  refused(
    "a username would be a header",
    request("DELETE", "/v2/user/ann%0D%0ASet-Cookie:a=b"),
    400,
    "username",
  ),
  served(
    "a parameter would be a header, which the link to the next page repeats",
    get("/v2/pet/findByStatus?status=available&limit=1&x=%0D%0ASet-Cookie:%20session=stolen"),
  ),
  served("a tag is SQL", get("/v2/pet/findByTags?tags=';DROP%20TABLE%20pets;--"), {
    shows: "[]",
    afterwards: { target: "/v2/pet/findByTags?tags=kept", status: 200 },
  }),
  served(
    "a pet brings __proto__, constructor and prototype",
    json(
      "POST",
      "/v2/pet",
      `{${plain},"__proto__":{"status":"sold","polluted":1},"constructor":{"prototype":{"polluted":1}}}`,
    ),
    { hides: "polluted" },
  ),
  refused(
    "users are arrays within 50,000 arrays",
    json("POST", "/v2/user/createWithArray", [
      { repeat: "[", times: 50_000 },
      { repeat: "]", times: 50_000 },
    ]),
    400,
  ),
];
