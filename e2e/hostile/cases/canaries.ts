import { refused, served } from "../case.ts";
import type { HostileCase } from "../case.ts";
import { request } from "../wire.ts";

const get = (target: string) => request("GET", target);

/** Targets that what stands before the app might read otherwise. test/http sends the app what it alone reads. */
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
    "a username would be a header",
    request("DELETE", "/v2/user/ann%0D%0ASet-Cookie:a=b"),
    400,
    "username",
  ),
  served(
    "a parameter would be a header, which the link to the next page repeats",
    get("/v2/pet/findByStatus?status=available&limit=1&x=%0D%0ASet-Cookie:%20session=stolen"),
  ),
];
