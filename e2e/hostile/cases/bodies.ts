import { refused, served } from "../case.ts";
import type { HostileCase } from "../case.ts";
import { NOBODY, USER } from "../given.ts";
import { json, request, utf8 } from "../wire.ts";
import type { Wire } from "../wire.ts";

// What is refused would be seen in the inventory, or under its name, if it were stored all the same.
const pet = (body: string | Wire) => json("POST", "/v2/pet", body);
const replacement = (body: string | Wire) => json("PUT", "/v2/pet", body);
const order = (body: string | Wire) => json("POST", "/v2/store/order", body);
const user = (body: string | Wire) => json("POST", "/v2/user", body);
const change = (body: string | Wire) => json("PUT", `/v2/user/${USER.username}`, body);
const array = (body: string | Wire) => json("POST", "/v2/user/createWithArray", body);
const list = (body: string | Wire) => json("POST", "/v2/user/createWithList", body);
const valid = '"name":"Rex","photoUrls":"rex.png","status":"sold"';
/** Without a status: it may be stored, and the inventory stays as it is. */
const plain = '"name":"Rex","photoUrls":"rex.png"';
const nobody = (name: string) => ({ afterwards: { target: `/v2/user/${name}`, status: 404 } });

/** Not JSON: the operation's own "invalid" (interface §2.2). */
const malformed: readonly HostileCase[] = [
  refused("a pet is cut off", pet(`{${valid}`), 405, "body"),
  refused("a pet is followed by another", pet(`{${valid}}{${valid}}`), 405, "body"),
  refused("a pet is followed by a NUL", pet(`{${valid}}\0`), 405, "body"),
  refused("a pet has a comma too many", pet(`{${valid},}`), 405, "body"),
  refused("a pet is in single quotes", replacement("{'id':1,'name':'Rex'}"), 405, "body"),
  refused("a pet has names without quotes", pet(`{${valid},id:7}`), 405, "body"),
  refused("a pet has a comment", replacement(`{/**/${valid}}`), 405, "body"),
  refused("a pet has a raw line break in a string", pet('{"name":"a\nb"}'), 405, "body"),
  refused("a pet has a raw U+0001 in a string", pet('{"name":"a\u0001b"}'), 405, "body"),
  refused("a pet has an escape that is none", pet(String.raw`{"name":"\x41"}`), 405, "body"),
  refused("a pet has half an escape", pet(String.raw`{"name":"\u00"}`), 405, "body"),
  refused("a pet is a form", pet("name=Rex&photoUrls=rex.png"), 405, "body"),
  refused("a pet is XML with an entity", pet('<!DOCTYPE p [<!ENTITY x SYSTEM "file:///">]>'), 405),
  refused("a pet is white space", pet(" \r\n\t "), 405, "body"),
  refused("a pet begins with a no-break space", pet(`\u{a0}{${valid}}`), 405, "body"),
  refused("a pet is empty", pet(""), 405, "body"),
  refused("a pet is absent", request("POST", "/v2/pet"), 405, "body"),
  refused("an order is empty", order(""), 400, "body"),
  refused("an order is NaN", order('{"quantity":NaN}'), 400, "body"),
  refused("an order has a number with a leading zero", order('{"quantity":01}'), 400, "body"),
  refused("an order has a hexadecimal number", order('{"quantity":0x1}'), 400, "body"),
  refused("an order has a number without its integer", order('{"quantity":.5}'), 400, "body"),
  refused("an order has a plus sign", order('{"quantity":+1}'), 400, "body"),
  refused("an order is minus infinity", order('{"petId":-Infinity}'), 400, "body"),
  refused("a user is a word", user("undefined"), 400, "body"),
  refused("a user is empty", change(""), 400, "body"),
  refused("an array of users is cut off", array('[{"username":"cut"}'), 400, "body", nobody("cut")),
  refused("a list of users has a hole", list("[,]"), 400, "body"),
  refused("a list of users is one JSON a line", list("{}\n{}\n"), 400, "body"),
];

/** JSON, but no object, or for the lists no array. */
const roots: readonly HostileCase[] = [
  refused("a pet is null", pet("null"), 405, "body"),
  refused("a pet is an array of pets", pet(`[{${valid}}]`), 405, "body"),
  refused("a pet is a string of JSON", replacement(JSON.stringify(`{${valid}}`)), 405, "body"),
  refused("an order is an array", order("[]"), 400, "body"),
  refused("an order is true", order("true"), 400, "body"),
  refused("a user is a number", user("0"), 400, "body"),
  refused("a change of a user is an array", change("[]"), 400, "body"),
  refused("an array of users is an object", array('{"0":{},"length":1}'), 400, "body"),
  refused("an array of users is null", array("null"), 400, "body"),
  refused("a list of users is of arrays", list("[[]]"), 400, "0"),
  refused("a list of users has a null", list('[{"username":"beside"},null]'), 400, "1", {
    ...nobody("beside"),
  }),
];

/** Bytes that are no UTF-8, and marks of its order. */
const encodings: readonly HostileCase[] = [
  refused("a name is Latin-1", pet([`{${valid},"name":"Ren\xe9"}`]), 405, "body"),
  refused("a name is a cut sequence of UTF-8", pet([`{${valid},"name":"\xe2\x82"}`]), 405, "body"),
  refused("a name is an overlong slash", replacement([`{"id":1,"name":"\xc0\xaf"}`]), 405, "body"),
  refused("a name is an overlong NUL", pet([`{${valid},"name":"\xc0\x80"}`]), 405, "body"),
  refused("a name is half a pair of surrogates, in bytes", user(['{"phone":"\xed\xa0\x80"}']), 400),
  refused("a name is beyond U+10FFFF", user(['{"phone":"\xf4\x90\x80\x80"}']), 400, "body"),
  refused(
    "a status is in bytes that are never UTF-8",
    order(['{"status":"\xfe\xff"}']),
    400,
    "body",
  ),
  refused("a list of users ends in a lone byte", list(["[]\x80"]), 400, "body"),
  refused("a pet is UTF-16", pet(["\xff\xfe{\0}\0"]), 405, "body"),
  refused("a user is UTF-16 without a mark", user(["\0{\0}"]), 400, "body"),
  refused("a change of a user is UTF-32", change(["\xff\xfe\0\0{\0\0\0}\0\0\0"]), 400, "body"),
  refused("a pet is UTF-7", pet(`{${valid},"name":"+2D3cAA-}`), 405, "body"),
  refused("a pet begins with two byte order marks", pet(`\u{feff}\u{feff}{${valid}}`), 405, "body"),
  refused("an order is a byte order mark", order("\u{feff}"), 400, "body"),
  served("a pet begins with a byte order mark", pet(`\u{feff}{${plain}}`), { shows: '"Rex"' }),
  served(
    "a name is a pair of surrogates, escaped",
    pet(String.raw`{${plain},"name":"\ud83d\udc36"}`),
    {
      shows: "\u{1f436}",
    },
  ),
  served("a name is U+FFFF, which is no character", pet(String.raw`{${plain},"name":"\uffff"}`)),
  served(
    "a name is written from right to left",
    pet(String.raw`{${plain},"name":"\u202egnp.exe"}`),
  ),
];

/** Nesting, repeated names, and names that mean something to JavaScript. */
const structures: readonly HostileCase[] = [
  refused(
    "a pet is 20,000 arrays deep",
    pet([
      { repeat: "[", times: 20_000 },
      { repeat: "]", times: 20_000 },
    ]),
    405,
    "body",
  ),
  refused("a pet is 40,000 arrays that never end", pet([{ repeat: "[", times: 40_000 }]), 405),
  refused(
    "an order is 9,000 objects that never end",
    order([{ repeat: '{"a":', times: 9000 }]),
    400,
    "body",
  ),
  refused(
    "a name is 400 objects deep",
    pet([
      `{${valid},"name":`,
      { repeat: '{"a":', times: 400 },
      "1",
      { repeat: "}", times: 400 },
      "}",
    ]),
    405,
    "name",
  ),
  refused(
    "the items of an array of users are 50,000 arrays deep",
    array([
      { repeat: "[", times: 50_000 },
      { repeat: "]", times: 50_000 },
    ]),
    400,
  ),
  refused("a pet has its name twice, the second bad", pet(`{${valid},"name":""}`), 405, "name"),
  refused(
    "an order has its quantity twice, the second bad",
    order('{"quantity":1,"quantity":-1}'),
    400,
  ),
  refused(
    "a member is repeated under an escaped name",
    pet(String.raw`{${valid},"n\u0061me":7}`),
    405,
    "name",
  ),
  refused("a pet has its members in __proto__ only", pet(`{"__proto__":{${valid}}}`), 405, "name"),
  refused("a pet is made whole by __proto__", pet(`{"name":"Rex","__proto__":{${valid}}}`), 405),
  refused(
    "an id is brought by __proto__",
    replacement(`{${valid},"__proto__":{"id":8000000001}}`),
    400,
    "id",
  ),
  refused("an array of users has a user in __proto__", array('{"__proto__":[{}]}'), 400, "body"),
  refused(
    "a category is an array with the members of one",
    pet(`{${valid},"category":[1,"Dogs"]}`),
    405,
    "category",
  ),
  refused("a tag is an array", pet(`{${valid},"tags":[["dog"]]}`), 405),
  refused(
    "tags are an object with a length",
    pet(`{${valid},"tags":{"length":1,"0":"a"}}`),
    405,
    "tags",
  ),
  served(
    "a pet brings __proto__, constructor and prototype",
    pet(
      `{${plain},"__proto__":{"status":"sold","polluted":1},"constructor":{"prototype":{"polluted":1}}}`,
    ),
    { hides: "polluted", afterwards: { target: "/v2/store/inventory", status: 200 } },
  ),
  served(
    "a pet brings methods that JavaScript would call",
    pet(`{${plain},"toJSON":1,"toString":2,"valueOf":3,"then":4,"length":-1}`),
    { hides: "toJSON" },
  ),
  served(
    "a user brings members that are the service's own",
    user('{"version":7,"owner":"x","credentialId":null,"isAdmin":true,"code":500}'),
  ),
  served(
    "an unknown member is 900 arrays deep",
    order(['{"unknown":', { repeat: "[", times: 900 }, { repeat: "]", times: 900 }, "}"]),
    { hides: "unknown" },
  ),
  refused(
    "an unknown member is 20,000 arrays deep",
    order(['{"unknown":', { repeat: "[", times: 20_000 }, { repeat: "]", times: 20_000 }, "}"]),
    400,
    "body",
  ),
  served("a pet has its name twice, the last counts", pet(`{"name":7,${plain}}`), {
    shows: '"Rex"',
  }),
  served(
    "a pet has 900 unknown members",
    pet(`{${Array.from({ length: 900 }, (_, index) => `"u${index}":0`).join(",")},${plain}}`),
    { hides: "u1" },
  ),
  served("null stands for every optional member of a user", user('{"id":null,"username":null}')),
];

/** Numbers that a double rounds, or cannot hold. Nothing is coerced. */
const numbers: readonly HostileCase[] = [
  refused("a pet's id is 2^63-1", pet(`{"id":9223372036854775807,${valid}}`), 405, "id"),
  refused("a pet's id is 1e-400, which is not 0", replacement(`{"id":1e-400,${valid}}`), 400, "id"),
  refused("a replacement's id is an array of one", replacement(`{"id":[1],${valid}}`), 400, "id"),
  refused("a replacement's id is that of no pet", replacement(`{"id":${NOBODY},${valid}}`), 404),
  refused("a replacement's id is 2^53-1", replacement(`{"id":9007199254740991,${valid}}`), 404),
  refused(
    "a category's id is 1e999",
    pet(`{${valid},"category":{"id":1e999}}`),
    405,
    "category.id",
  ),
  refused("a quantity is 1e400", order('{"quantity":1e400}'), 400, "quantity"),
  refused("an order's pet is -2^53", order('{"petId":-9007199254740992}'), 400, "petId"),
  refused(
    "an order's pet is a number of 100,000 digits",
    order(['{"petId":', { repeat: "9", times: 40_000 }, "}"]),
    400,
    "petId",
  ),
  refused(
    "an order's pet is a fraction of 100,000 digits",
    order(['{"petId":0.', { repeat: "3", times: 40_000 }, "}"]),
    400,
    "petId",
  ),
  refused("a user of an array has an id of 0.5", array('[{"id":0.5}]'), 400, "0.id"),
  served("an order's quantity is -0", order('{"quantity":-0}'), { hides: "-0" }),
  served("an order's quantity is 1e2, an integer", order('{"quantity":1e2}'), { shows: "100" }),
];

/** Strings that mean something elsewhere. */
const strings: readonly HostileCase[] = [
  served("a name is SQL", pet(`{${plain},"name":"Robert'); DROP TABLE pets;--"}`), {
    shows: "Robert'",
  }),
  served(
    "a name is HTML, which is sent as JSON",
    pet(`{${plain},"name":"<script>alert(1)</script>"}`),
  ),
  served(
    "a name has U+2028, which ends a line of JavaScript",
    pet(String.raw`{${plain},"name":"a\u2028b"}`),
  ),
];

export const bodies: readonly HostileCase[] = [
  ...malformed,
  ...roots,
  ...encodings,
  ...structures,
  ...numbers,
  ...strings,
  refused(
    "a body is sent where a user is looked up",
    json("GET", "/v2/user/nobody", [utf8("{")]),
    404,
  ),
  refused(
    "a body that is no JSON is sent with a deletion",
    json("DELETE", `/v2/pet/${NOBODY}`, "{"),
    404,
  ),
  refused(
    "a body is sent with the deletion of a user",
    json("DELETE", "/v2/user/nobody", "\0"),
    404,
  ),
];
