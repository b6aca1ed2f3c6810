import { refused, served } from "../case.ts";
import type { HostileCase } from "../case.ts";
import { IMAGE, NOBODY, PET } from "../given.ts";
import { FORM_TYPE, json, multipart, request } from "../wire.ts";

const get = (target: string) => request("GET", target);
const remove = (target: string) => request("DELETE", target);
const rename = (target: string) =>
  request("POST", target, { headers: [FORM_TYPE], body: "name=Max&status=sold" });
const upload = (target: string) =>
  multipart(target, [
    { headers: ['Content-Disposition: form-data; name="file"; filename="a"'], content: "a" },
  ]);

/** Path ids: canonical decimal integers only (interface §1.3). */
const ids: readonly HostileCase[] = [
  refused("a pet id has leading zeros", get("/v2/pet/007"), 400, "petId"),
  refused("a pet id has a plus sign", get("/v2/pet/+7"), 400, "petId"),
  refused("a pet id has an escaped plus sign", remove("/v2/pet/%2B7"), 400, "petId"),
  refused("a pet id is minus zero", get("/v2/pet/-0"), 400, "petId"),
  refused("a pet id has a fraction of zero", get("/v2/pet/7.0"), 400, "petId"),
  refused("a pet id has an exponent", get("/v2/pet/7e0"), 400, "petId"),
  refused("a pet id is hexadecimal", get("/v2/pet/0x7"), 400, "petId"),
  refused("a pet id is binary", remove("/v2/pet/0b111"), 400, "petId"),
  refused("a pet id has a space before it", get("/v2/pet/%207"), 400, "petId"),
  refused("a pet id has a line break behind it", remove("/v2/pet/7%0A"), 400, "petId"),
  refused("a pet id has a NUL behind it", get("/v2/pet/7%00"), 400, "petId"),
  refused("a pet id is in fullwidth digits", get("/v2/pet/%EF%BC%97"), 400, "petId"),
  refused(
    "a pet id is in fullwidth digits, not escaped",
    get("/v2/pet/\xef\xbc\x97"),
    400,
    "petId",
  ),
  refused("a pet id is in Arabic digits", remove("/v2/pet/%D9%A7"), 400, "petId"),
  refused("a pet id is an escape that is none", get("/v2/pet/%ZZ"), 400, "path"),
  refused("a pet id ends within an escape", get("/v2/pet/7%"), 400, "path"),
  refused("a pet id is no UTF-8", remove("/v2/pet/%FF"), 400, "path"),
  refused("a pet id is a slash in an overlong form", get("/v2/pet/7%C0%AF8"), 400, "path"),
  refused("a pet id is escaped twice", get("/v2/pet/%2537"), 400, "petId"),
  refused("a pet id has an escaped slash", get("/v2/pet/7%2F8"), 400, "petId"),
  refused("a pet id has a parameter behind it", get("/v2/pet/7;v=1"), 400, "petId"),
  refused("a pet id is several", get("/v2/pet/7,8"), 400, "petId"),
  refused("a pet id is SQL", remove("/v2/pet/1%20OR%201=1"), 400, "petId"),
  refused("a pet id is NaN", get("/v2/pet/NaN"), 400, "petId"),
  refused("a pet id is __proto__", remove("/v2/pet/__proto__"), 400, "petId"),
  refused("a pet id is a template that nobody filled in", get("/v2/pet/%7BpetId%7D"), 400, "petId"),
  refused("a pet id has underscores between its digits", get("/v2/pet/8_000"), 400, "petId"),
  refused("a pet id is negative", get("/v2/pet/-1"), 404),
  refused("a pet id is zero", remove("/v2/pet/0"), 404),
  refused("a pet id is 2^53", get("/v2/pet/9007199254740992"), 404),
  refused("a pet id is 2^63", remove("/v2/pet/9223372036854775808"), 404),
  refused("a pet id has 8,000 digits", get(`/v2/pet/${"7".repeat(8000)}`), 404),
  refused("a negative pet id has 8,000 digits", remove(`/v2/pet/-${"7".repeat(8000)}`), 404),
  refused("a pet id equals another modulo 2^32", get(`/v2/pet/${PET.id + 2 ** 32}`), 404),
  refused("the id of a form is a fraction", rename("/v2/pet/1.5"), 400, "petId"),
  refused("the id of a form ends in a NUL", rename("/v2/pet/%31%00"), 400, "petId"),
  refused("the id of a form is beyond 2^63", rename("/v2/pet/9223372036854775809"), 404),
  refused("an upload is for a pet id that is a word", upload("/v2/pet/rex/uploadImage"), 400),
  refused("an upload is for a pet id of two", upload("/v2/pet/7%2C8/uploadImage"), 400, "petId"),
  refused("an order id is zero", get("/v2/store/order/0"), 400, "orderId"),
  refused("an order id is negative", get("/v2/store/order/-1"), 400, "orderId"),
  refused("an order id is beyond the range for look-up", get("/v2/store/order/11"), 400, "orderId"),
  refused(
    "an order id is 1 modulo 2^64",
    get("/v2/store/order/18446744073709551617"),
    400,
    "orderId",
  ),
  refused("an order id is 10 with an exponent", get("/v2/store/order/1e1"), 400, "orderId"),
  refused("an order id is 1 with a dot", get("/v2/store/order/1."), 400, "orderId"),
  refused("an order id is no UTF-8", get("/v2/store/order/%FF"), 400, "path"),
  refused("an order to delete is -0", remove("/v2/store/order/-0"), 400, "orderId"),
  refused("an order to delete has a space behind its id", remove("/v2/store/order/7%20"), 400),
  refused("an order to delete is null", remove("/v2/store/order/null"), 400, "orderId"),
  refused(
    "an order to delete is 1 modulo 2^64",
    remove("/v2/store/order/18446744073709551617"),
    404,
  ),
  refused("an order to delete is negative", remove("/v2/store/order/-9007199254740993"), 404),
];

/** Names of images: whatever they are, they name an image of that pet or nothing. */
const images: readonly HostileCase[] = [
  refused("an image is of a pet id with zeros", get("/v2/pet/007/images/a.png"), 400, "petId"),
  refused(
    "an image's name climbs to another pet's",
    get(`/v2/pet/${NOBODY}/images/..%2F${PET.id}%2Fkept.png`),
    404,
  ),
  refused(
    "an image's name climbs out of the store",
    get("/v2/pet/1/images/..%2F..%2Fwrangler"),
    404,
  ),
  refused("an image's name has a NUL", get("/v2/pet/1/images/a%00.png"), 400, "name"),
  refused("an image's name is no UTF-8", get("/v2/pet/1/images/%C3%28.png"), 400, "path"),
  refused("an image's name is half a pair of surrogates", get("/v2/pet/1/images/%ED%A0%80"), 400),
  refused(
    "an image's name is longer than any key of the store",
    get(`/v2/pet/1/images/${"x".repeat(3000)}`),
    404,
  ),
  refused(
    "an image's name has more than 4,096 characters",
    get(`/v2/pet/1/images/${"x".repeat(4097)}`),
    400,
    "name",
  ),
  refused("an image's name is __proto__", get(`/v2/pet/${PET.id}/images/__proto__`), 404),
  refused("an image's name has a wildcard", get(`/v2/pet/${PET.id}/images/*`), 404),
  refused("an image is asked for with POST", request("POST", IMAGE, { body: "x" }), 405),
  refused("an image is to be deleted", remove(IMAGE), 405, undefined, {
    afterwards: { target: IMAGE, status: 200 },
  }),
];

/** Usernames in the path: 400 by the rule of the body (interface §5.1). */
const usernames: readonly HostileCase[] = [
  refused("a username is a space", get("/v2/user/%20"), 400, "username"),
  refused("a username is a no-break space", remove("/v2/user/%C2%A0"), 400, "username"),
  refused("a username is a NUL", get("/v2/user/%00"), 400, "username"),
  refused("a username has a line break", remove("/v2/user/ann%0D%0ASet-Cookie:a=b"), 400),
  refused("a username has a C1 control character", get("/v2/user/ann%C2%85"), 400, "username"),
  refused("a username has 129 characters", get(`/v2/user/${"x".repeat(129)}`), 400, "username"),
  refused(
    "a username has 129 characters of four bytes",
    remove(`/v2/user/${"%F0%9F%90%B6".repeat(129)}`),
    400,
    "username",
  ),
  refused(
    "a username has 128 characters of four bytes, which is not too long",
    get(`/v2/user/${"%F0%9F%90%B6".repeat(128)}`),
    404,
  ),
  refused("a username is no UTF-8", get("/v2/user/%C3"), 400, "path"),
  refused("a username is half a pair of surrogates", remove("/v2/user/%ED%A0%80"), 400, "path"),
  refused("a username is an escape that is none", get("/v2/user/%u0041"), 400, "path"),
  refused("a username has an escaped slash", get("/v2/user/a%2Fb"), 404),
  refused("a username is __proto__", get("/v2/user/__proto__"), 404),
  refused("a username is SQL", remove("/v2/user/'%20OR%20'1'='1"), 404, undefined, {
    afterwards: { target: "/v2/user/kept", status: 200 },
  }),
  refused("a username is a pattern of SQL", get("/v2/user/%25"), 404),
  refused("a username is another in upper case", get("/v2/user/KEPT"), 404),
  refused("a username ends in a space", get("/v2/user/kept%20"), 404),
  refused("a username to update is a tab", json("PUT", "/v2/user/%09", "{}"), 400, "username"),
  refused("a username to update is no UTF-8", json("PUT", "/v2/user/%FE", "{}"), 400, "path"),
  refused("a username to update is the path of login", json("PUT", "/v2/user/login", "{}"), 405),
  refused("a user to delete is the path of createWithList", remove("/v2/user/createWithList"), 405),
];

/** Unknown paths are 404, and those that a URL resolves are what they resolve to (RFC 3986 §6.2.2). */
const routing: readonly HostileCase[] = [
  refused("the path is unknown", get("/v2/nowhere"), 404),
  refused("the path is __proto__", get("/v2/__proto__"), 404),
  refused("the path is that of a method of every object", get("/v2/constructor/name"), 404),
  refused("the path is of another case", get("/V2/pet/7"), 404),
  refused("the resource is of another case", get("/v2/Pet/7"), 404),
  refused("the path begins with two slashes", get("//v2/pet/7"), 404),
  refused("the path has two slashes in the middle", get("/v2//pet/7"), 404),
  refused("the path ends in two slashes", get("/v2/store/inventory//"), 404),
  refused("the path has escaped slashes", get("/v2%2Fpet%2F7"), 404),
  refused("the path has a NUL in a fixed part", get("/v2/pet%00/7"), 404),
  refused("the path has a parameter in a fixed part", get("/v2/pet;v=1/7"), 404),
  refused("the path has a part too many", get(`/v2/pet/${PET.id}/images`), 404),
  refused("the path is of 10,000 parts", get(`/v2${"/pet".repeat(10_000)}`), 404),
  refused("the path climbs above the root", get("/v2/../../../../etc/passwd"), 404),
  refused("the path asks for the local secrets", get("/.dev.vars"), 404),
  refused("the path asks for the local secrets, escaped", get("/v2/..%2f.dev.vars"), 404),
  refused("the path asks for the settings", get("/wrangler.toml"), 404),
  refused("a body goes outside of the service", json("POST", "/pet", '{"name":"Rex"}'), 404),
  served("the path climbs within the service", get("/v2/pet/../store/inventory"), {
    shows: '"available"',
  }),
  served("the path climbs by escaped dots", get("/v2/pet/%2e%2e/store/inventory"), {
    shows: '"available"',
  }),
  served("the path is escaped where it need not be", get("/v2/%73tore/inventory"), {
    shows: '"available"',
  }),
  served("the target is a whole URL of another host", get("http://a.example/v2/store/inventory"), {
    shows: '"available"',
  }),
];

/** A store that nobody makes. */
const STORE = "of-the-hostile-catalogue";

/** Stores of one's own (interface §10). */
const stores: readonly HostileCase[] = [
  refused("a store has too short a name", get("/stores/short/v2/pet/7"), 404, "store"),
  refused("a store has an escaped slash in its name", get(`/stores/${STORE}%2F../v2/pet/7`), 404),
  refused("a store has an escape in its name", get(`/stores/%61${STORE}/v2/pet/7`), 404, "store"),
  refused("a store has a name that is no UTF-8", get(`/stores/${STORE}%FF/v2/pet/7`), 404, "store"),
  refused(
    "a store is within a store",
    get(`/stores/another-${STORE}/v2/stores/${STORE}/v2/pet/7`),
    404,
  ),
  refused("a store that nobody made is described", get(`/stores/${STORE}`), 404),
  refused("a store that nobody made is deleted", remove(`/stores/${STORE}`), 404),
  refused(
    "a store is filled with a word",
    json("PUT", `/stores/${STORE}/data`, '"full"'),
    400,
    "body",
  ),
  refused(
    "a store is to fail in an unknown way",
    json("PUT", `/stores/${STORE}/faults`, '[{"status":1}]'),
    400,
    "0.status",
  ),
];

export const paths: readonly HostileCase[] = [
  ...ids,
  ...images,
  ...usernames,
  ...routing,
  ...stores,
];
