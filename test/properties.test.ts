import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { failing } from "./bindings.ts";
import { createUser, send, uniqueName } from "./client.ts";

const text = fc
  .oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom("", " ", "null", "'; drop table pets; --", "\u{FEFF}", "\r\n"),
  )
  .map((string) => string.replaceAll("\0", ""));
const word = text.filter((string) => string !== "");
const integer = fc.maxSafeInteger();
const url = fc.oneof(
  fc.webUrl({ withQueryParameters: true }).filter((each) => !each.includes(",")),
  fc.constantFrom("string", "a.png", "/photos/1.jpg", "../b.gif", "https://x.example/é.png", "#1"),
);
const urls = fc.array(url, { minLength: 1, maxLength: 3 });
const named = fc.record({ id: integer, name: text }, { requiredKeys: [] });

const pets = (photoUrls: fc.Arbitrary<unknown>, tag: fc.Arbitrary<unknown>) =>
  fc.record(
    {
      name: word,
      photoUrls,
      category: named,
      tags: fc.array(tag, { maxLength: 4 }),
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
const orders = fc.record(
  {
    petId: integer,
    quantity: fc.maxSafeNat(),
    shipDate,
    status: fc.constantFrom("placed", "approved", "delivered"),
    complete: fc.boolean(),
  },
  { requiredKeys: [] },
);
const users = fc.record(
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

const done = async (method: string, path: string, json?: object) => {
  const response = await send(method, path, { json });
  expect(response.status).toBe(200);
  return response.json<{ id: number }>();
};

describe("a valid body is returned exactly as sent:", () => {
  test.each([
    ["/v2/pet", pets(fc.oneof(urls, urls.map(String)), fc.oneof(text, named))],
    ["/api/v3/pet", pets(urls, named)],
  ])("a pet at %s, also after PUT", async (path, pet) => {
    const property = fc.asyncProperty(pet, pet, async (first, second) => {
      const { id, ...shown } = await done("POST", path, first);
      expect(shown).toEqual(first);
      expect(await done("GET", `${path}/${id}`)).toEqual({ ...first, id });
      // Sending the same content again is a retry.
      expect(await done("POST", path, { ...first, id })).toEqual({ ...first, id });
      expect(await done("PUT", path, { ...second, id })).toEqual({ ...second, id });
      expect(await done("GET", `${path}/${id}`)).toEqual({ ...second, id });
    });
    await fc.assert(property, { numRuns: 30 });
  });

  test("an order", async () => {
    const property = fc.asyncProperty(orders, async (order) => {
      const { id, ...shown } = await done("POST", "/v2/store/order", order);
      expect(shown).toEqual(order);
      expect(await done("GET", `/api/v3/store/order/${id}`)).toEqual({ ...order, id });
    });
    await fc.assert(property, { numRuns: 40 });
  });

  test("a user with any name, who can log in only with the right password", async () => {
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 20 }).map((each) => each.replaceAll(/\p{Cc}/gu, "")),
      fc.constantFrom("a/b", "%2F", "a?b=c&d#e", "..a", "a+b", "🐶"),
    );
    const property = fc.asyncProperty(users, name, word, async (fields, anyName, other) => {
      const user = { ...fields, username: `${uniqueName()} ${anyName}` };
      const path = `/v2/user/${encodeURIComponent(user.username)}`;
      await done("POST", "/v2/user", user);
      const { id, ...shown } = await done("GET", path);
      expect(shown).toEqual(user);
      await done("PUT", path, { phone: "1" });
      expect(await done("GET", path)).toEqual({ ...user, phone: "1", id });
      for (const password of [user.password ?? "", other]) {
        const query = new URLSearchParams({ username: user.username, password });
        const { status } = await send("GET", `/v2/user/login?${query.toString()}`);
        expect(status).toBe(password !== "" && password === user.password ? 200 : 400);
      }
    });
    await fc.assert(property, { numRuns: 40 });
  });
});

/** Sends a body. @returns the status, the number of rows written, and the invalid fields that the response names */
async function attempt(method: string, path: string, body: string | Uint8Array<ArrayBuffer>) {
  let written = 0;
  const DB = failing(env.DB, {
    result: (result) => {
      for (const each of [result].flat() as ({ meta?: D1Meta } | null)[]) {
        written += each?.meta?.rows_written ?? 0;
      }
    },
  });
  const headers = { "Content-Type": "application/json" };
  const response = await send(method, path, { body, headers, env: { DB } });
  // A resource has no `errors`, and a list is an array.
  const { errors = [] } = JSON.parse((await response.text()) || "{}") as { errors?: { path: string }[] };
  return { status: response.status, written, paths: errors.map((error) => error.path) };
}

const oneOf = (...values: readonly unknown[]) => fc.constantFrom(...values);

// Invalid values of fields.
const noText = oneOf(1, true, [], {}, "a\0", "\uD800", "x".repeat(4097), "é".repeat(4097));
const noInteger = oneOf("1", 1.5, true, [], {}, 2 ** 53, -(2 ** 53), 1e300);
const noId = oneOf(-1, "1", 1.5, true, 2 ** 53);
const noObject = oneOf([], "x", 1, [{}]);
const noUrl = oneOf("javascript:alert(1)", "data:,x", " javascript:x", "ftp://x.example/");
const ofNamed = fc.oneof(
  noText.map((name) => ({ name })),
  noInteger.map((id) => ({ id })),
);
const OF_PETS = {
  name: fc.oneof(noText, oneOf(null, "")),
  photoUrls: fc.oneof(
    noUrl,
    noUrl.map((each) => ["a.png", each]),
    oneOf(null, "", 1, {}, [1], [null], "a,,b", "a,javascript:x", Array(101).fill("a.png"), "a,".repeat(101)),
  ),
  category: fc.oneof(noObject, ofNamed),
  tags: fc.oneof(
    ofNamed.map((tag) => [tag]),
    oneOf({}, "dog", 1, [null], [1], [[]], Array(101).fill("dog")),
  ),
  status: oneOf("", "Sold", "lost", 1, ["sold"]),
};
const OF_ORDERS = {
  id: noId,
  petId: noInteger,
  quantity: fc.oneof(noInteger, oneOf(-1)),
  shipDate: oneOf(
    ..."today 2024-02-30T00:00:00Z 2024-03-01 2024-03-01T25:00Z 2024-03-01T10:00:00.0123456789Z".split(" "),
    "2024-03-01 10:00:00Z",
    "",
    1,
  ),
  status: oneOf("", "Placed", "sold", 1),
  complete: oneOf("true", 1, 0, []),
};
const OF_USERS = {
  username: oneOf("", " ", "\u00A0", "a\n", "a\u0085", "login", "logout", "createWithList", "x".repeat(129), 1, []),
  firstName: noText,
  password: noText,
  userStatus: noInteger,
};

const pet = { name: "Rex", photoUrls: ["a.png"] };

describe("a body with an invalid field returns the operation's status, names the field, and writes nothing:", () => {
  const arraysOnly = {
    ...OF_PETS,
    photoUrls: fc.oneof(OF_PETS.photoUrls, oneOf("a.png")),
    tags: fc.oneof(OF_PETS.tags, oneOf(["a"])),
  };

  test.each<[string, string, object, Record<string, fc.Arbitrary<unknown>>, number]>([
    ["POST", "/v2/pet", pet, { ...OF_PETS, id: noId }, 405],
    ["PUT", "/v2/pet", { ...pet, id: 1 }, OF_PETS, 405],
    ["PUT", "/v2/pet", pet, { id: fc.oneof(noId, oneOf(null, 0, undefined)) }, 400],
    ["POST", "/v2/store/order", {}, OF_ORDERS, 400],
    ["POST", "/v2/user", {}, { ...OF_USERS, id: noId }, 400],
    ["PUT", "/v2/user/:user", {}, OF_USERS, 400],
    ["POST", "/api/v3/pet", pet, { ...arraysOnly, id: noId }, 422],
    ["PUT", "/api/v3/pet", pet, { id: fc.oneof(noId, oneOf(null, 0, undefined)) }, 400],
    ["POST", "/api/v3/store/order", {}, OF_ORDERS, 422],
    ["POST", "/api/v3/user", {}, OF_USERS, 422],
    ["PUT", "/api/v3/user/:user", {}, OF_USERS, 422],
  ])("%s %s", async (method, path, valid, wrong, status) => {
    const to = path.replace(":user", (await createUser()).username);
    const broken = Object.entries(wrong).map(([name, values]) => fc.tuple(fc.constant(name), values));
    const property = fc.asyncProperty(fc.oneof(...broken), async ([name, value]) => {
      const body = { ...valid, [name]: value };
      const { paths, ...response } = await attempt(method, to, JSON.stringify(body));
      expect(response).toEqual({ status, written: 0 });
      for (const at of paths) expect(at.split(".")[0]).toBe(name);
      expect(paths).not.toEqual([]);
      if (method === "PUT" || !path.endsWith("/user")) return;
      const array = JSON.stringify([{ username: uniqueName() }, body]);
      const ofArray = await attempt("POST", `${to}/createWithList`, array);
      expect(ofArray).toEqual({ status, written: 0, paths: paths.map((at) => `1.${at}`) });
    });
    await fc.assert(property, { numRuns: 80 });
  });
});

describe("a body that is not a JSON object returns the operation's status, and writes nothing:", () => {
  test.each([
    ["POST", "/v2/pet", 405],
    ["PUT", "/v2/pet", 405],
    ["POST", "/v2/store/order", 400],
    ["POST", "/v2/user", 400],
    ["POST", "/api/v3/pet", 400],
    ["PUT", "/api/v3/pet", 400],
    ["POST", "/api/v3/store/order", 400],
    ["POST", "/api/v3/user", 400],
    ["PUT", "/v2/user/:user", 400],
    ["PUT", "/api/v3/user/:user", 400],
  ])("%s %s", async (method, path, status) => {
    const to = path.replace(":user", (await createUser()).username);
    const whole = JSON.stringify({ ...pet, id: 1, username: "🐶" });
    const bytes = new TextEncoder().encode(whole);
    const body = fc.oneof(
      fc.nat(whole.length - 1).map((length) => whole.slice(0, length)),
      fc.constantFrom("null", "1", '"x"', "true", "[]", "[{}]", "{}{}", "\uFEFF{}"),
      fc
        .tuple(fc.nat(bytes.length), fc.constantFrom([0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80]))
        .map(([at, wrong]) => Uint8Array.from([...bytes].toSpliced(at, 0, ...wrong))),
    );
    const property = fc.asyncProperty(body, async (sent) => {
      expect(await attempt(method, to, sent)).toMatchObject({ status, written: 0 });
    });
    await fc.assert(property, { numRuns: 40 });
  });
});

describe("no request returns 5xx, and no rejected request writes:", () => {
  test("any JSON in any field", async () => {
    const { username } = await createUser();
    const fields =
      "id name photoUrls category tags status petId quantity shipDate complete username password userStatus __proto__ toString";
    const value = fc.jsonValue({ maxDepth: 3 });
    const body = fc.oneof(value, fc.dictionary(fc.constantFrom(...fields.split(" ")), value));
    const target = fc.constantFrom(
      "POST /pet",
      "PUT /pet",
      "POST /pet/1/uploadImage",
      "POST /store/order",
      "POST /user",
      "POST /user/createWithList",
      `PUT /user/${username}`,
    );
    const base = fc.constantFrom("/v2", "/api/v3");
    const property = fc.asyncProperty(base, target, body, async (at, to, sent) => {
      const [method = "", path = ""] = to.split(" ");
      const { status, written } = await attempt(method, at + path, JSON.stringify(sent));
      expect(status).toBeLessThan(500);
      if (status !== 200) expect(written).toBe(0);
    });
    await fc.assert(property, { numRuns: 250 });
  });

  test("any path and query", async () => {
    const segment = fc.oneof(
      fc.constantFrom("pet", "store", "order", "user", "inventory", "login", "findByTags", "images"),
      fc.constantFrom("1", "-1", "%00", "%ZZ", "%FF", "%2F", "..", "9".repeat(30)),
      text.map(encodeURIComponent),
    );
    const name = fc.constantFrom("status", "tags", "tags[]", "limit", "after", "username", "x");
    const query = fc.dictionary(name, text).map((each) => new URLSearchParams(each).toString());
    const base = fc.constantFrom("/v2", "/api/v3");
    const path = fc.array(segment, { maxLength: 5 }).map((segments) => segments.join("/"));
    const property = fc.asyncProperty(base, path, query, async (at, to, search) => {
      expect((await send("GET", `${at}/${to}?${search}`)).status).toBeLessThan(500);
    });
    await fc.assert(property, { numRuns: 250 });
  });
});
