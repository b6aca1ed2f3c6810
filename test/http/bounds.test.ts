import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import * as v from "valibot";
import { PhotoUrls } from "../../src/pet/pet.ts";
import { send } from "../client.ts";
import type { Answer, Sent } from "../client.ts";
import { clientWith, createPet, createUser, outcome, refusal, uniqueName } from "../fixtures.ts";
import { database } from "../engine.ts";
import { upload } from "../images.ts";
import { words } from "../spellings.ts";
import { MANY, ONE, badPet, badUser, filled, objects, times } from "./worst.ts";

interface Fault {
  readonly path: string;
  readonly message: string;
}

const faultsOf = ({ json }: Answer) => (json as { errors: Fault[] }).errors;

const jsonOf = (body: string): Sent => ({ body, headers: { "Content-Type": "application/json" } });

type Faults = readonly (readonly [path: string, message: string])[];

/** A refused request, its first errors, and how many it has. */
type Worst = [
  what: string,
  method: string,
  path: string,
  sent: Sent,
  first: Faults,
  count?: number | undefined,
];

const tooManyValues = (most: number): Faults => [["body", `must have at most ${most} values`]];
const notText = "must be a string, not a number";
const notInteger = "must be an integer, not a string";
const notTag = "must be a string or an object with an id and a name, not a number";
const noStatus = "must be one of available, pending, sold";
const ofCategory: Faults = [
  ["category.id", notInteger],
  ["category.name", notText],
];
const ofUser = (at = ""): Faults => [
  [`${at}id`, notInteger],
  ...["username", "firstName", "lastName", "email", "password", "phone"].map(
    (member) => [`${at}${member}`, notText] as const,
  ),
  [`${at}userStatus`, notInteger],
];

const plain = { id: 1, name: "a", photoUrls: "a" };
const perPet = ["POST", "PUT"].flatMap((method): Worst[] => {
  const pet = (what: string, sent: Sent, first: Faults, count?: number): Worst => [
    what,
    method,
    "/pet",
    sent,
    first,
    count,
  ];
  const urls = ["name", "photoUrls.0", "photoUrls.1"].map((at) => [at, notText] as const);
  return [
    pet("members that are all wrong", { json: badPet }, [...ofCategory, ...urls], 100),
    pet("zeros for tags", { json: { ...plain, tags: times(100, 0) } }, [["tags.0", notTag]], 100),
    pet("101 tags, none right §2.4.1", { json: { ...badPet, ...plain, tags: times(101, 0) } }, [
      ...ofCategory,
      ["tags", "must have at most 100 tags"],
      ["status", noStatus],
    ]),
    pet("101 photoUrls, none right §2.4.1", { json: { ...plain, photoUrls: times(101, 0) } }, [
      ["photoUrls", "must have at most 100 URLs"],
    ]),
    pet("zeros", jsonOf(`{"id":1,"tags":${filled("0", ONE - 20)}}`), tooManyValues(1000)),
    pet("objects, each with another name", { json: objects(4000) }, tooManyValues(1000)),
  ];
});

const perList = ["/user/createWithArray", "/user/createWithList"].flatMap((path): Worst[] => [
  ["zeros", "POST", path, jsonOf(filled("0", MANY)), tooManyValues(2000)],
  [
    "1,999 zeros §2.4.1",
    "POST",
    path,
    { json: times(1999, 0) },
    [["body", "must have at most 100 users"]],
  ],
  ["100 zeros", "POST", path, { json: times(100, 0) }, [["0", "must be an object"]], 100],
  [
    "100 users, all wrong",
    "POST",
    path,
    { json: times(100, badUser) },
    [...ofUser("0."), ...ofUser("1.")],
    100,
  ],
]);

const badOrder = {
  id: -1,
  petId: "1",
  quantity: -0.5,
  shipDate: 1,
  status: 1,
  complete: "true",
};
const ofOrder: Faults = [
  ["id", "must be an integer from 1 to 9007199254740991"],
  ["petId", notInteger],
  ["quantity", "must be an integer between -9007199254740991 and 9007199254740991"],
  ["shipDate", notText],
  ["status", "must be one of placed, approved, delivered"],
  ["complete", "must be a boolean, not a string"],
];
const form = (fields: string): Sent => ({ body: new URLSearchParams(fields) });
const ofQuery: Faults = [["query", "must be percent-encoded UTF-8 of at most 1000 parameters"]];
const ofForm: Faults = [["body", "is not a form in UTF-8 of at most 1000 fields"]];
const list = (what: string, query: string, ...first: Faults): Worst => [
  what,
  "GET",
  `/pet/${query}`,
  {},
  first,
];

const worst: readonly Worst[] = [
  ...perPet,
  ...perList,
  ["10,000 fields §2.4.2", "POST", "/pet/1", form("a&".repeat(10_000)), ofForm],
  [
    "fields that are all wrong",
    "POST",
    "/pet/1",
    form("name=&status=lost"),
    [
      ["name", "must not be empty"],
      ["status", noStatus],
    ],
  ],
  ["members that are all wrong", "POST", "/store/order", { json: badOrder }, ofOrder],
  ["zeros", "POST", "/store/order", jsonOf(filled("0", ONE)), tooManyValues(1000)],
  ["members that are all wrong", "POST", "/user", { json: badUser }, ofUser()],
  ["members that are all wrong", "PUT", "/user/nobody", { json: badUser }, ofUser()],
  list("101 empty names", `findByTags?tags=${",".repeat(100)}`, [
    "tags",
    "must have at most 100 tags",
  ]),
  list(
    "100 empty names, and bad bounds",
    `findByTags?tags=${",".repeat(99)}&limit=0&after=x`,
    ["tags", "must not be empty"],
    ["limit", "must be from 1 to 1000"],
    ["after", "must be a whole number"],
  ),
  list("101 statuses, none known", `findByStatus?${"status=lost&".repeat(101)}`, [
    "status",
    "must have at most 100 statuses",
  ]),
  list("100 statuses, none known", `findByStatus?status=${times(100, "lost").join(",")}`, [
    "status",
    noStatus,
  ]),
  list("1,001 parameters §2.4.2", `findByStatus?status=sold${"&a".repeat(1000)}`, ...ofQuery),
  list("1,001 parameters §2.4.2", `findByTags?tags=a${"&a".repeat(1000)}`, ...ofQuery),
  list("a query of no UTF-8", "findByStatus?status=sold&x=%FF", ...ofQuery),
  list("a query with half an escape", "findByTags?tags=a&%Z=x", ...ofQuery),
  list("a path of no UTF-8", "%FF", ["path", "must be percent-encoded UTF-8"]),
];

describe("the answer to a request at fault", () => {
  test.each<Worst>(worst)(
    "names at most 100 faults, each once, in 32 KiB: %s at %s %s §2.9.2 §2.9.4",
    async (_, method, path, sent, first, count = first.length) => {
      const answer = await send(method, path, sent);
      const faults = faultsOf(answer);
      expect(answer.status).toSatisfy((status: number) => status >= 400 && status < 500);
      const named = faults.map((fault) => [fault.path, fault.message]);
      expect(named.slice(0, first.length)).toEqual(first);
      expect(named).toHaveLength(count);
      expect(new Set(named.map(String)).size).toBe(count);
      expect(new TextEncoder().encode(answer.text).length).toBeLessThanOrEqual(32 * 1024);
    },
  );

  test("names at most 100 duplicates §2.9.2", async () => {
    const users = Array.from({ length: 60 }, () => ({
      id: undefined as number | undefined,
      username: uniqueName("taken"),
    }));
    expect((await send("POST", "/user/createWithArray", { json: users })).status).toBe(200);
    for (const user of users) {
      user.id = ((await send("GET", `/user/${user.username}`)).json as { id: number }).id;
    }
    const answer = await send("POST", "/user/createWithArray", { json: users });
    expect(answer.status).toBe(409);
    expect(faultsOf(answer).map(({ path }) => path)).toEqual([
      ...users.map((_, index) => `${index}.id`),
      ...users.slice(0, 40).map((_, index) => `${index}.username`),
    ]);
  });
});

/** One more value than this many: a string counts once, whatever it looks like. */
const unknown = (zeros: number) => String.raw`["\\\",[{",${times(zeros, 0).join(",")}]`;

test.each<[string, number, (values: string) => [string, string, string]]>([
  ["a pet", 1000, (values) => ["POST", "/pet", `{"name":"a","photoUrls":"a","u":${values}}`]],
  ["an order", 1000, (values) => ["POST", "/store/order", `{"u":${values}}`]],
  ["users", 2000, (values) => ["POST", "/user/createWithArray", `[{"u":${values}}]`]],
])(
  "%s may have unknown members of %i values in all, and no more §2.3.2",
  async (_, most, request) => {
    const [, , least] = request('["",0]');
    // An object counts twice.
    const values = least.replaceAll("{", "{{").replaceAll(/[^,[{]/g, "").length;
    const statusWith = async (zeros: number) => {
      const [method, path, body] = request(unknown(zeros));
      return (await send(method, path, jsonOf(body))).status;
    };
    expect(await statusWith(1 + most - values)).toBe(200);
    expect(await statusWith(2 + most - values)).toBeGreaterThanOrEqual(400);
  },
);

/** Whether a browser would leave the web. It ignores what it cannot parse. */
const leavesTheWeb = (text: string) =>
  !["https:", "http:", undefined].includes(URL.parse(text, "https://pets.example/")?.protocol);

test("a URL is never taken where a browser would leave the web for it §3.1.2", () => {
  const part = fc.constantFrom(
    ...words(String.raw`http: HTTPS: javascript: data: a : / // \ @ ? # . .. % %41 [ ] é 1 - + &`),
  );
  const texts = fc.sample(
    fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("")),
    { numRuns: 20_000, seed: 7 },
  );
  const taken = texts.filter((text) => v.is(PhotoUrls, [text]));
  expect(taken.length).toBeGreaterThan(1000);
  expect(taken.filter(leavesTheWeb)).toEqual([]);
});

/** Bytes of the INSERT by which a database is exported: quotes double, and line ends are written as replacements. */
async function exportedBytes(table: string, id: number): Promise<number> {
  const row = await database
    .prepare(`SELECT * FROM ${table} WHERE id = ?`)
    .bind(id)
    .first<Record<string, string | number | null>>();
  const shell = "replace(replace(,'\\r',char(13)),'\\n',char(10))".length;
  const names = Object.keys(row ?? {});
  const quoted = await database
    .prepare(
      `SELECT ${names.map((name) => `octet_length(quote(replace(replace("${name}", char(10), '\\n'), char(13), '\\r'))) + ${shell} AS "${name}"`).join(", ")} FROM ${table} WHERE id = ?`,
    )
    .bind(id)
    .first<Record<string, number>>();
  const values = Object.values(quoted ?? {}).reduce((sum, bytes) => sum + bytes, 0);
  const columns = names.map((name) => `"${name}"`).join(",");
  return values + names.length + `INSERT INTO "${table}" (${columns}) VALUES();`.length;
}

/** Characters that take more room where they are stored than where they are sent, or as much. */
const GROWING = ["'", '"', "\\", "\n", "\r", "\t", "\b", "\u0001", "\u007f", "🐕", "é", "\u2028"];

/** D1's longest statement, in bytes. */
const STATEMENT = 100_000;

/** A pet whose JSON has as many bytes as a body may have. */
function largestPet(character: string) {
  const pet = {
    id: Number.MAX_SAFE_INTEGER,
    category: { id: 9e15, name: "" },
    name: character,
    photoUrls: [] as string[],
    tags: [] as { id: number; name: string }[],
    status: "available",
  };
  const size = () => new TextEncoder().encode(JSON.stringify(pet)).length;
  const most = (text: string) => {
    const room = Math.floor(
      (ONE - size()) / (new TextEncoder().encode(JSON.stringify(text)).length - 2),
    );
    return text.repeat(Math.max(0, Math.min(4096, room)));
  };
  pet.name = character + most(character).slice(character.length);
  pet.category.name = most(character);
  while (size() < ONE - 60 && pet.tags.length < 100) {
    pet.tags.push({ id: 9e15, name: "" });
    const last = pet.tags.at(-1);
    if (last) last.name = most(character);
  }
  return pet;
}

describe("the row of the largest", () => {
  test.each(GROWING)(
    "pet fits a statement of 100 KB when it is exported: of %j §2.3.3",
    async (character) => {
      const pet = largestPet(character);
      // Written short: 9e15 becomes sixteen digits.
      const body = JSON.stringify(pet).replaceAll("9000000000000000", "9e15");
      await database.prepare("DELETE FROM pets WHERE id = ?").bind(pet.id).run();
      expect((await send("POST", "/pet", jsonOf(body))).status).toBe(200);
      expect(await exportedBytes("pets", pet.id)).toBeLessThan(STATEMENT);
    },
  );

  test("pet comes close to that: quotes double §2.3.3", async () => {
    const pet = largestPet("'");
    const { id } = await createPet();
    expect((await send("PUT", "/pet", { json: { ...pet, id } })).status).toBe(200);
    expect(await exportedBytes("pets", id)).toBeGreaterThan(96_000);
  });

  test("order fits a statement of 100 KB when it is exported §2.3.3", async () => {
    const order = {
      id: Number.MAX_SAFE_INTEGER,
      petId: Number.MIN_SAFE_INTEGER,
      quantity: Number.MAX_SAFE_INTEGER,
      shipDate: "2026-12-01T09:30:00.000000000+00:00",
      status: "delivered",
      complete: true,
    };
    expect((await send("POST", "/store/order", { json: order })).status).toBe(200);
    expect(await exportedBytes("orders", order.id)).toBeLessThan(STATEMENT);
  });

  test.each(GROWING)(
    "user fits a statement of 100 KB when it is exported, however it became so large: of %j §2.3.3",
    async (character) => {
      const { id, path } = await createUser();
      const text = character.repeat(4096);
      for (const member of ["firstName", "lastName", "email", "password", "phone"]) {
        expect((await send("PUT", path, { json: { [member]: text } })).status).toBe(200);
      }
      expect((await send("GET", path)).json).toMatchObject({ password: text });
      expect(await exportedBytes("users", id)).toBeLessThan(STATEMENT);
    },
  );

  test("pet that a form and an upload made larger fits too §2.3.3", async () => {
    const { id, path } = await createPet({ photoUrls: times(11, "'".repeat(3950)) });
    const renamed = { body: new URLSearchParams({ name: "'".repeat(4096) }) };
    expect((await send("POST", path, renamed)).status).toBe(200);
    let images = -1;
    for (let status = 200; status === 200; images++) {
      ({ status } = await send("POST", `${path}/uploadImage`, upload()));
    }
    expect(images).toBeGreaterThan(0);
    expect(await exportedBytes("pets", id)).toBeLessThan(STATEMENT);
    const whole = await send("GET", path);
    expect(whole.text.length).toBeLessThanOrEqual(ONE);
    expect((await send("PUT", "/pet", { json: whole.json })).status).toBe(200);
  });
});

test.each<[string, number, number, boolean]>([
  // A control character is six bytes of JSON, also where it came.
  ["\u0001", 8, 990, true],
  ["\u0001", 37, 200, false],
  ["🐕", 50, 220, false],
  ['"', 20, 1000, true],
  ['"', 100, 190, false],
])(
  "an error echoes 200 characters of the name of a member, and leaves out what exceeds 32 KiB: %j, %i × %i §2.9.4",
  async (letter, count, length, isComplete) => {
    const names = Array.from({ length: count }, (__, at) => `${at}${letter.repeat(length)}`);
    const json = names.map((name) => ({ status: 503, [name]: 1 }));
    const path = `/stores/${uniqueName("errors-of-a-sandbox")}/faults`;
    const answer = await clientWith({}, { base: "" })("PUT", path, { json });
    const faults = faultsOf(answer);
    const wrong = faults.filter(({ path: shown }, at) => {
      const [...characters] = `${at}.${names[at] ?? ""}`;
      return shown !== `${characters.slice(0, 200).join("")}${characters.length > 200 ? "…" : ""}`;
    });
    expect([answer.status, wrong]).toEqual([400, []]);
    const bytes = new TextEncoder().encode(answer.text).length;
    expect([faults.length === count, bytes > 31 * 1024]).toEqual([isComplete, !isComplete]);
    expect(bytes).toBeLessThanOrEqual(32 * 1024);
  },
);

test("an error names no more of a request than which field is at fault §2.9.2", async () => {
  const name = "x".repeat(2000);
  const answer = await send("POST", "/pet", {
    json: { [name]: 1, name: [name], photoUrls: { [name]: 1 }, status: name },
  });
  expect(outcome(answer)).toEqual(refusal(405, "Invalid input", "name", "photoUrls", "status"));
  expect(answer.text).not.toContain(name);
});
