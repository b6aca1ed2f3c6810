import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failing } from "./bindings.ts";
import { createPet, createUser, placeOrder, send, uniqueName } from "./client.ts";

const text = fc
  .oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.constantFrom("", " ", "null", "'; drop table pets; --", "\u{FEFF}", "\r\n"),
  )
  .map((string) => string.replaceAll("\0", ""));
const word = text.filter((string) => string !== "");
const integer = fc.maxSafeInteger();
const url = fc.oneof(
  fc.webUrl({ withQueryParameters: true }).filter((each) => !each.includes(",")),
  fc.constantFrom("string", "a.png", "/photos/1.jpg", "../b.gif", "https://x.example/é.png", "#1"),
);
const named = fc.record({ id: integer, name: text }, { requiredKeys: [] });

const pet2 = fc.record(
  {
    name: word,
    photoUrls: fc.oneof(
      fc.array(url, { maxLength: 3 }),
      fc.array(url, { minLength: 1, maxLength: 3 }).map((urls) => urls.join(",")),
    ),
    category: named,
    tags: fc.array(fc.oneof(text, named), { maxLength: 4 }),
    status: fc.constantFrom("available", "pending", "sold"),
  },
  { requiredKeys: ["name", "photoUrls"] },
);
const pet3 = fc.record(
  {
    name: word,
    photoUrls: fc.array(url, { maxLength: 3 }),
    category: named,
    tags: fc.array(named, { maxLength: 4 }),
    status: fc.constantFrom("available", "pending", "sold"),
  },
  { requiredKeys: ["name", "photoUrls"] },
);
const shipDate = fc
  .tuple(
    fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }),
    fc.constantFrom("", ":07", ":07.1", ":07.123456789"),
    fc.constantFrom("", "Z", "+00:00", "+0530", "-11:30"),
  )
  .map(([date, seconds, zone]) => date.toISOString().slice(0, 16) + seconds + zone);
const order = fc.record(
  {
    petId: integer,
    quantity: fc.nat(Number.MAX_SAFE_INTEGER),
    shipDate,
    status: fc.constantFrom("placed", "approved", "delivered"),
    complete: fc.boolean(),
  },
  { requiredKeys: [] },
);
const user = fc.record(
  {
    firstName: text,
    lastName: text,
    email: text,
    password: word,
    phone: text,
    userStatus: integer,
  },
  { requiredKeys: [] },
);

const json = async (answer: Response) => {
  expect(answer.status).toBe(200);
  return answer.json<{ id: number }>();
};

describe("a valid body comes back exactly as it was sent:", () => {
  test.each([
    ["/v2/pet", pet2, pet2],
    ["/api/v3/pet", pet3, pet3],
  ])("a pet at %s, which a valid one replaces", async (path, first, second) => {
    await fc.assert(
      fc.asyncProperty(first, second, async (created, replaced) => {
        const { id, ...shown } = await json(await send("POST", path, { json: created }));
        expect(shown).toEqual(created);
        expect(await json(await send("GET", `${path}/${id}`))).toEqual({ ...created, id });
        // The same content is a retry.
        expect(await json(await send("POST", path, { json: { ...created, id } }))).toEqual({
          ...created,
          id,
        });
        const later = { ...replaced, id };
        expect(await json(await send("PUT", path, { json: later }))).toEqual(later);
        expect(await json(await send("GET", `${path}/${id}`))).toEqual(later);
      }),
      { numRuns: 60 },
    );
  });

  test("an order", async () => {
    await fc.assert(
      fc.asyncProperty(order, async (placed) => {
        const { id, ...shown } = await json(
          await send("POST", "/v2/store/order", { json: placed }),
        );
        expect(shown).toEqual(placed);
        const path = `/api/v3/store/order/${id}`;
        expect(await json(await send("GET", path))).toEqual({ ...placed, id });
      }),
      { numRuns: 60 },
    );
  });

  test("a user, under any name, which logs in with its password and with no other", async () => {
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }).map((each) => each.replaceAll(/\p{Cc}/gu, "")),
      fc.constantFrom("a/b", "%2F", "a?b=c&d#e", "..a", "a+b", "🐶"),
    );
    await fc.assert(
      fc.asyncProperty(user, name, word, async (members, anyName, other) => {
        const username = `${uniqueName()} ${anyName}`;
        const created = { ...members, username };
        const path = `/v2/user/${encodeURIComponent(username)}`;
        await json(await send("POST", "/v2/user", { json: created }));
        const { id, ...shown } = await json(await send("GET", path));
        expect(shown).toEqual(created);
        await json(await send("PUT", path, { json: { phone: "1" } }));
        expect(await json(await send("GET", path))).toEqual({ ...created, phone: "1", id });
        for (const password of [members.password ?? "", other]) {
          const query = new URLSearchParams({ username, password });
          const answer = await send("GET", `/v2/user/login?${query.toString()}`);
          const isRight = password !== "" && password === members.password;
          expect(answer.status).toBe(isRight ? 200 : 400);
        }
      }),
      { numRuns: 40 },
    );
  });
});

test("a pet is found by each of its tags, unless a comma would separate them", async () => {
  const names = fc.array(
    word.map((each) => each.replaceAll(",", "").trim()).filter((each) => each !== ""),
    { minLength: 1, maxLength: 3 },
  );
  await fc.assert(
    fc.asyncProperty(names, async (tags) => {
      const { id } = await createPet({ tags });
      for (const tag of tags) {
        const found = await send("GET", `/v2/pet/findByTags?tags=${encodeURIComponent(tag)}`);
        expect(await found.json()).toContainEqual(expect.objectContaining({ id, tags }));
      }
    }),
    { numRuns: 40 },
  );
});

/** Sends a body, and tells the status and how many rows the request wrote. */
async function attempt(method: string, path: string, body: string | Uint8Array<ArrayBuffer>) {
  let written = 0;
  const DB = failing(env.DB, {
    result: (result) => {
      for (const each of [result].flat() as ({ meta?: D1Meta } | null | undefined)[]) {
        written += each?.meta?.rows_written ?? 0;
      }
    },
  });
  const headers = { "Content-Type": "application/json" };
  const { status } = await send(method, path, { body, headers, env: { DB } });
  return { status, written };
}

const notText = fc.oneof(integer, fc.boolean(), fc.constant([]), fc.constant({}));
const noString = fc.constantFrom<unknown>("a\0", "\uD800", "x".repeat(4097), "é".repeat(4097));
const notInteger = fc.constantFrom<unknown>("1", 1.5, true, [], {}, 2 ** 53, -(2 ** 53), 1e300);
const notObject = fc.constantFrom<unknown>([], "x", 1, [{}]);
const noUrl = fc.constantFrom(
  "javascript:alert(1)",
  "data:,x",
  " javascript:x",
  "ftp://x.example/",
);
const tooMany = (item: unknown) => fc.constant(Array<unknown>(101).fill(item));

/** Wrong values by member. */
const ofPets = {
  id: fc.constantFrom<unknown>(-1, "1", 1.5, true, 2 ** 53),
  name: fc.oneof(fc.constantFrom<unknown>(null, ""), notText, noString),
  photoUrls: fc.oneof(
    fc.constantFrom<unknown>(null, "", 1, {}, [1], [null], "a,,b", "a,javascript:x"),
    noUrl,
    noUrl.map((each) => ["a.png", each]),
    tooMany("a.png"),
  ),
  category: fc.oneof(
    notObject,
    notText.map((name) => ({ name })),
    notInteger.map((id) => ({ id })),
  ),
  tags: fc.oneof(
    fc.constantFrom<unknown>({}, "dog", 1, [null], [1], [[]]),
    notInteger.map((id) => [{ id }]),
    tooMany({ name: "x" }),
  ),
  status: fc.constantFrom<unknown>("", "Sold", "lost", 1, ["sold"]),
};
const ofOrders = {
  id: ofPets.id,
  petId: notInteger,
  quantity: fc.oneof(notInteger, fc.constant(-1)),
  shipDate: fc.constantFrom<unknown>(
    ...["", "today", "2024-02-30T00:00:00Z", "2024-03-01", "2024-03-01T25:00Z", 1],
    ...["2024-03-01 10:00:00Z", "2024-03-01T10:00:00.0123456789Z", "2024-03-01T10:00:00 Z"],
  ),
  status: fc.constantFrom<unknown>("", "Placed", "sold", 1),
  complete: fc.constantFrom<unknown>("true", 1, 0, []),
};
const ofUsers = {
  username: fc.oneof(
    fc.constantFrom("", "  ", "a\n", "login", "logout", "createWithList", "x".repeat(129)),
    notText,
  ),
  firstName: fc.oneof(notText, noString),
  password: fc.oneof(notText, noString),
  userStatus: notInteger,
};

const pet = { name: "Rex", photoUrls: ["a.png"] };

describe("a body with one wrong member gets the operation's own status, and writes nothing:", () => {
  const inV3 = { ...ofPets, photoUrls: fc.oneof(ofPets.photoUrls, fc.constant("a.png")) };
  const { id: _, ...butId } = ofPets;

  test.each<[string, string, object, Record<string, fc.Arbitrary<unknown>>, number]>([
    ["POST", "/v2/pet", pet, ofPets, 405],
    ["PUT", "/v2/pet", { ...pet, id: 1 }, butId, 405],
    ["PUT", "/v2/pet", pet, { id: fc.oneof(ofPets.id, fc.constantFrom(null, 0, undefined)) }, 400],
    ["POST", "/v2/store/order", {}, ofOrders, 400],
    ["POST", "/v2/user", {}, { ...ofUsers, id: ofPets.id }, 400],
    ["PUT", "/v2/user/:user", {}, ofUsers, 400],
    ["POST", "/api/v3/pet", pet, inV3, 422],
    ["POST", "/api/v3/store/order", {}, ofOrders, 422],
    ["POST", "/api/v3/user", {}, ofUsers, 422],
    ["PUT", "/api/v3/user/:user", {}, ofUsers, 422],
  ])("%s %s", async (method, path, valid, wrong, status) => {
    const to = path.replace(":user", (await createUser()).username);
    const broken = fc.oneof(
      ...Object.entries(wrong).map(([name, values]) =>
        values.map((value) => ({ ...valid, [name]: value })),
      ),
    );
    await fc.assert(
      fc.asyncProperty(broken, async (body) => {
        const answer = await attempt(method, to, JSON.stringify(body));
        expect(answer).toEqual({ status, written: 0 });
      }),
      { numRuns: 80 },
    );
  });

  test("an array of users, one of which is wrong", async () => {
    const users = fc.oneof(
      ...Object.entries(ofUsers).map(([name, values]) =>
        values.map((value) => [{ username: uniqueName() }, { [name]: value }]),
      ),
      fc.constantFrom<unknown>({}, [null], [[]], Array<unknown>(101).fill({})),
    );
    await fc.assert(
      fc.asyncProperty(users, async (body) => {
        const answer = await attempt("POST", "/v2/user/createWithList", JSON.stringify(body));
        expect(answer).toEqual({ status: 400, written: 0 });
      }),
      { numRuns: 60 },
    );
  });
});

describe("a body that is no JSON object gets the operation's own status, and writes nothing:", () => {
  test.each([
    ["POST", "/v2/pet", 405],
    ["PUT", "/v2/pet", 405],
    ["POST", "/v2/store/order", 400],
    ["POST", "/v2/user", 400],
    ["POST", "/api/v3/pet", 400],
    ["PUT", "/api/v3/pet", 400],
    ["POST", "/api/v3/store/order", 400],
    ["POST", "/api/v3/user", 400],
  ])("%s %s", async (method, path, status) => {
    const whole = JSON.stringify({ ...pet, id: 1, username: "🐶" });
    const bytes = new TextEncoder().encode(whole);
    const body = fc.oneof(
      fc.nat(whole.length - 1).map((length) => whole.slice(0, length)),
      fc
        .jsonValue()
        .filter((value) => typeof value !== "object" || value === null || Array.isArray(value))
        .map((value) => JSON.stringify(value)),
      fc
        .tuple(fc.nat(bytes.length), fc.constantFrom([0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80]))
        .map(([at, wrong]) => Uint8Array.from([...bytes].toSpliced(at, 0, ...wrong))),
    );
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        expect(await attempt(method, path, sent)).toEqual({ status, written: 0 });
      }),
      { numRuns: 60 },
    );
  });
});

describe("no request is answered 5xx, and none that is refused writes:", () => {
  test("any JSON in any member", async () => {
    const { id } = await createPet();
    const { username } = await createUser();
    const members = ["id", "name", "photoUrls", "category", "tags", "status", "petId", "quantity"];
    const more = [
      "shipDate",
      "complete",
      "username",
      "password",
      "userStatus",
      "__proto__",
      "toString",
    ];
    const value = fc.jsonValue({ maxDepth: 3 });
    const body = fc.oneof(value, fc.dictionary(fc.constantFrom(...members, ...more), value));
    const target = fc.constantFrom(
      ...["/v2", "/api/v3"].flatMap((base) => [
        ["POST", `${base}/pet`],
        ["PUT", `${base}/pet`],
        ["POST", `${base}/store/order`],
        ["POST", `${base}/user`],
        ["POST", `${base}/user/createWithList`],
        ["PUT", `${base}/user/${username}`],
        ["POST", `${base}/pet/${id}/uploadImage`],
      ]),
    );
    await fc.assert(
      fc.asyncProperty(target, body, async ([method = "", path = ""], sent) => {
        const { status, written } = await attempt(method, path, JSON.stringify(sent));
        expect(status).toBeLessThan(500);
        if (status !== 200) expect(written).toBe(0);
      }),
      { numRuns: 400 },
    );
  });

  test("any path and any query", async () => {
    const order10 = await placeOrder();
    const segment = fc.oneof(
      fc.constantFrom(
        "pet",
        "store",
        "order",
        "user",
        "inventory",
        "login",
        "findByTags",
        "images",
      ),
      fc.constantFrom(String(order10.id), "-1", "%00", "%ZZ", "%FF", "%2F", "..", "9".repeat(30)),
      text.map(encodeURIComponent),
    );
    const query = fc.dictionary(
      fc.constantFrom("status", "tags", "tags[]", "limit", "after", "username", "name", "x"),
      text,
    );
    const path = fc.tuple(
      fc.constantFrom("/v2", "/api/v3"),
      fc.array(segment, { maxLength: 5 }),
      query,
    );
    await fc.assert(
      fc.asyncProperty(path, async ([base, segments, parameters]) => {
        const search = new URLSearchParams(parameters).toString();
        const answer = await send("GET", `${[base, ...segments].join("/")}?${search}`);
        expect(answer.status).toBeLessThan(500);
      }),
      { numRuns: 400 },
    );
  });
});
