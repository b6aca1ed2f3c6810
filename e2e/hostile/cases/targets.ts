import { refused, served } from "../case.ts";
import type { HostileCase } from "../case.ts";
import { request } from "../wire.ts";

const get = (target: string) => request("GET", target);

/** Targets that the layers in front of the app may read differently. test/http covers what the app reads alone. */
export const targets: readonly HostileCase[] = [
  refused("the path asks for the local secrets", get("/.dev.vars"), 404),
  refused("an escaped path asks for the settings", get("/v2/..%2fwrangler.toml"), 404),
  refused("the path climbs above the root", get("/v2/../../../../etc/passwd"), 404),
  refused("the path has 10,000 segments", get(`/v2${"/pet".repeat(10_000)}`), 404),
  refused("the path starts with two slashes", get("//v2/pet/7"), 404),
  served("the path climbs with escaped dots", get("/v2/pet/%2e%2e/store/inventory"), {
    shows: '"available"',
  }),
  refused(
    "a username contains a line break and a header",
    request("DELETE", "/v2/user/ann%0D%0ASet-Cookie:a=b"),
    400,
    "username",
  ),
  served(
    "a parameter that the link to the next page repeats contains a line break and a header",
    get("/v2/pet/findByStatus?status=available&limit=1&x=%0D%0ASet-Cookie:%20session=stolen"),
  ),
];
