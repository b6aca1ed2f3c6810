import { describe, expect, test } from "vitest";
import * as v from "valibot";
import { PhotoUrls } from "../../src/pet/contract.ts";
import { send } from "../client.ts";
import type { Answer, Sent } from "../client.ts";
import { createPet, createUser, outcome, refusal, success, uniqueName } from "../fixtures.ts";
import { database } from "../engine.ts";
import { MANY, ONE, badPet, badUser, filled, objects, times } from "./worst.ts";

interface Fault {
  readonly path: string;
  readonly message: string;
}

const faultsOf = ({ json }: Answer) => (json as { errors: Fault[] }).errors;

const jsonOf = (body: string): Sent => ({ body, headers: { "Content-Type": "application/json" } });

/** What is refused: request, its first faults, and how many there are. */
interface Worst {
  readonly what: string;
  readonly request: readonly [method: string, path: string, sent?: Sent];
  readonly first: readonly (readonly [path: string, message: string])[];
  readonly count: number;
}

const tooManyValues = (most: number) => [["body", `must have at most ${most} values`]] as const;
const notText = "must be a string, not a number";
const notTag = "must be a string or an object with an id and a name, not a number";

const perPet = (["POST", "PUT"] as const).flatMap((method): Worst[] => [
  {
    what: "members of a pet that are all wrong",
    request: [method, "/pet", { json: badPet }],
    first: [
      ["category.id", "must be an integer, not a string"],
      ["category.name", notText],
      ["name", notText],
      ["photoUrls.0", notText],
      ["photoUrls.1", notText],
    ],
    count: 100,
  },
  {
    what: "zeros for tags",
    request: [method, "/pet", { json: { id: 1, name: "a", photoUrls: "a", tags: times(100, 0) } }],
    first: [
      ["tags.0", notTag],
      ["tags.1", notTag],
    ],
    count: 100,
  },
  {
    what: "101 tags, of which none is right",
    request: [
      method,
      "/pet",
      { json: { ...badPet, tags: times(101, 0), photoUrls: "a", name: "a" } },
    ],
    first: [
      ["category.id", "must be an integer, not a string"],
      ["category.name", notText],
      ["tags", "must have at most 100 tags"],
      ["status", "must be one of available, pending, sold"],
    ],
    count: 4,
  },
  {
    what: "101 photoUrls, of which none is right",
    request: [method, "/pet", { json: { id: 1, name: "a", photoUrls: times(101, 0) } }],
    first: [["photoUrls", "must have at most 100 URLs"]],
    count: 1,
  },
  {
    what: "as many zeros as fit",
    request: [method, "/pet", jsonOf(`{"id":1,"tags":${filled("0", ONE - 20)}}`)],
    first: tooManyValues(1000),
    count: 1,
  },
  {
    what: "as many objects as fit, each with another name",
    request: [method, "/pet", { json: objects(4000) }],
    first: tooManyValues(1000),
    count: 1,
  },
]);

const perList = ["createWithArray", "createWithList"].flatMap((name): Worst[] => [
  {
    what: "as many zeros as fit",
    request: ["POST", `/user/${name}`, jsonOf(filled("0", MANY))],
    first: tooManyValues(2000),
    count: 1,
  },
  {
    what: "1,999 zeros",
    request: ["POST", `/user/${name}`, { json: times(1999, 0) }],
    first: [["body", "must have at most 100 users"]],
    count: 1,
  },
  {
    what: "100 zeros",
    request: ["POST", `/user/${name}`, { json: times(100, 0) }],
    first: [
      ["0", "must be an object"],
      ["1", "must be an object"],
    ],
    count: 100,
  },
  {
    what: "100 users whose members are all wrong",
    request: ["POST", `/user/${name}`, { json: times(100, badUser) }],
    first: [
      ["0.id", "must be an integer, not a string"],
      ["0.username", notText],
      ["0.firstName", notText],
      ["0.lastName", notText],
      ["0.email", notText],
      ["0.password", notText],
      ["0.phone", notText],
      ["0.userStatus", "must be an integer, not a string"],
      ["1.id", "must be an integer, not a string"],
    ],
    count: 100,
  },
]);

const worst: readonly Worst[] = [
  ...perPet,
  ...perList,
  {
    what: "a form of 10,000 fields",
    request: ["POST", "/pet/1", { body: new URLSearchParams("a&".repeat(10_000)) }],
    first: [["body", "is not a form in UTF-8 of at most 1000 fields"]],
    count: 1,
  },
  {
    what: "a form whose fields are all wrong",
    request: ["POST", "/pet/1", { body: new URLSearchParams({ name: "", status: "lost" }) }],
    first: [
      ["name", "must not be empty"],
      ["status", "must be one of available, pending, sold"],
    ],
    count: 2,
  },
  {
    what: "an order whose members are all wrong",
    request: [
      "POST",
      "/store/order",
      { json: { id: -1, petId: "1", quantity: -0.5, shipDate: 1, status: 1, complete: "true" } },
    ],
    first: [
      ["id", "must be an integer from 1 to 9007199254740991"],
      ["petId", "must be an integer, not a string"],
      ["quantity", "must be an integer between -9007199254740991 and 9007199254740991"],
      ["shipDate", notText],
      ["status", "must be one of placed, approved, delivered"],
      ["complete", "must be a boolean, not a string"],
    ],
    count: 6,
  },
  {
    what: "as many zeros as fit",
    request: ["POST", "/store/order", jsonOf(filled("0", ONE))],
    first: tooManyValues(1000),
    count: 1,
  },
  ...[["POST", "/user"] as const, ["PUT", "/user/nobody"] as const].map(
    ([method, path]): Worst => ({
      what: "a user whose members are all wrong",
      request: [method, path, { json: badUser }],
      first: [
        ["id", "must be an integer, not a string"],
        ["username", notText],
      ],
      count: 8,
    }),
  ),
  {
    what: "a bad image",
    request: ["POST", "/pet/1/uploadImage", { body: formOf({ file: "text" }) }],
    first: [["file", "must be a file"]],
    count: 1,
  },
  {
    what: "101 empty names",
    request: ["GET", `/pet/findByTags?tags=${",".repeat(100)}`],
    first: [["tags", "must have at most 100 tags"]],
    count: 1,
  },
  {
    what: "100 empty names, and bad bounds",
    request: ["GET", `/pet/findByTags?tags=${",".repeat(99)}&limit=0&after=x`],
    first: [
      ["tags", "must not be empty"],
      ["limit", "must be from 1 to 1000"],
      ["after", "must be a whole number"],
    ],
    count: 3,
  },
  {
    what: "101 statuses, none known",
    request: ["GET", `/pet/findByStatus?${"status=lost&".repeat(101)}`],
    first: [["status", "must have at most 100 statuses"]],
    count: 1,
  },
  {
    what: "100 statuses, none known",
    request: ["GET", `/pet/findByStatus?status=${times(100, "lost").join(",")}`],
    first: [["status", "must be one of available, pending, sold"]],
    count: 1,
  },
  ...["findByStatus", "findByTags"].map((list): Worst => ({
    what: "a query of 1,001 parameters",
    request: ["GET", `/pet/${list}?status=sold&tags=a${"&a".repeat(999)}`],
    first: [["query", "must be percent-encoded UTF-8 of at most 1000 parameters"]],
    count: 1,
  })),
];

function formOf(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

describe("the answer to a request at fault", () => {
  test.each(
    worst.map(({ request: [method, path, sent], ...one }) => ({
      ...one,
      method,
      path,
      sent,
      name: `${method} ${path.slice(0, 40)}`,
    })),
  )(
    "names the first faults, at most 100 of them, none twice, in 32 KiB: $name with $what §2.4.1 §2.4.2 §2.7.1 §2.9.2",
    async ({ method, path, sent, first, count }) => {
      const answer = await send(method, path, sent);
      const faults = faultsOf(answer);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(faults.slice(0, first.length).map((fault) => [fault.path, fault.message])).toEqual(
        first,
      );
      expect(faults).toHaveLength(count);
      expect(new Set(faults.map((fault) => JSON.stringify(fault))).size).toBe(count);
      expect(answer.text.length).toBeLessThanOrEqual(32 * 1024);
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

describe("an array", () => {
  test("may have 100 tags and 100 photoUrls §2.4.1", async () => {
    const tags = Array.from({ length: 100 }, (_, index) => `tag ${index}`);
    const photoUrls = tags.map((_, index) => `${index}.png`);
    const { shown } = await createPet({ tags, photoUrls });
    expect(shown).toMatchObject({ tags, photoUrls });
  });

  test("may have a value that a query repeats, up to 100 of them §2.4.1", async () => {
    const tag = uniqueName("repeated");
    const { shown } = await createPet({ tags: [tag] });
    const found = await send("GET", `/pet/findByTags?tags=${times(100, tag).join(",")}`);
    expect(outcome(found)).toEqual(success([shown]));
  });
});

/** So many values and one. Quotes and what looks like structure count for nothing in a string. */
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

describe("a URL", () => {
  const base = "https://pets.example/";
  /** A text that is no URL to a browser leads nowhere. */
  const leavesTheWeb = (text: string) =>
    !["https:", "http:", undefined].includes(URL.parse(text, base)?.protocol);

  test("is never taken where a browser would leave the web for it §3.1.2", () => {
    const parts = [
      "http:",
      "HTTPS:",
      "javascript:",
      "data:",
      "a",
      ":",
      "/",
      "//",
      "\\",
      "@",
      "?",
      "#",
      ".",
      "..",
      "%",
      "%41",
      "[",
      "]",
      "é",
      "1",
      "-",
      "+",
      "&",
    ];
    // A linear congruential generator (Numerical Recipes): the same texts each time.
    let state = 7;
    const next = (count: number) => {
      state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
      return Math.floor((state / 2 ** 32) * count);
    };
    const texts = Array.from({ length: 20_000 }, () =>
      Array.from({ length: 1 + next(6) }, () => parts[next(parts.length)]).join(""),
    );
    const taken = texts.filter((text) => v.is(PhotoUrls, [text]));
    expect(taken.length).toBeGreaterThan(1000);
    expect(taken.filter(leavesTheWeb)).toEqual([]);
  });
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
    expect(
      (await send("PUT", "/pet", { json: { ...pet, id: (await createPet()).id } })).status,
    ).toBe(200);
    await database.prepare("DELETE FROM pets WHERE id = ?").bind(pet.id).run();
    expect((await send("POST", "/pet", { json: pet })).status).toBe(200);
    expect(await exportedBytes("pets", pet.id)).toBeGreaterThan(96_000);
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
      expect(await exportedBytes("users", id)).toBeLessThan(STATEMENT);
    },
  );

  test("pet that a form and an upload made larger fits too §2.3.3", async () => {
    const { id, path } = await createPet({ photoUrls: times(11, "'".repeat(3950)) });
    const renamed = { body: new URLSearchParams({ name: "'".repeat(4096) }) };
    expect((await send("POST", path, renamed)).status).toBe(200);
    let status = 200;
    let images = 0;
    while (status === 200) {
      const form = new FormData();
      const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0);
      form.set("file", new File([png], "a.png"));
      ({ status } = await send("POST", `${path}/uploadImage`, { body: form }));
      if (status === 200) images += 1;
    }
    expect(status).toBe(400);
    expect(images).toBeGreaterThan(0);
    expect(await exportedBytes("pets", id)).toBeLessThan(STATEMENT);
    const whole = await send("GET", path);
    expect(whole.text.length).toBeLessThanOrEqual(ONE);
    expect((await send("PUT", "/pet", { json: whole.json })).status).toBe(200);
  });
});

test("an error names no more of a request than which field is at fault §2.9.2", async () => {
  const name = "x".repeat(2000);
  const answer = await send("POST", "/pet", {
    json: { [name]: 1, name: [name], photoUrls: { [name]: 1 }, status: name },
  });
  expect(outcome(answer)).toEqual(refusal(405, "Invalid input", "name", "photoUrls", "status"));
  expect(answer.text).not.toContain(name);
});
