import { describe, expect, test } from "vitest";
import { send } from "../client.ts";
import { createUser, outcome, refusal } from "../fixtures.ts";
import { BROKEN_ESCAPES, NO_INTEGERS, NO_USERNAMES, UNHAD_INTEGERS, words } from "../spellings.ts";

const MAX_ID = Number.MAX_SAFE_INTEGER;

/** The id of what was created, as the answer gives it. */
const idIn = (json: unknown) => {
  const { id, message } = json as { id?: number; message?: string };
  return id ?? Number(message);
};

function isDecodable(spelling: string): boolean {
  try {
    decodeURIComponent(spelling);
    return true;
  } catch {
    return false;
  }
}

/** What cannot be decoded is at fault as a path. */
const refusedFor = (name: string, spelling: string) =>
  refusal(400, "Invalid ID supplied", isDecodable(spelling) ? name : "path");

/** The rest of the path of an image, which no pet has. */
const IMAGE = "/images/5f8e3d0e-1c1f-4c8e-9a53-0d6f3f6a2b11.png";

describe("an id in a path", () => {
  const operations = [
    { method: "GET", path: "/pet/", name: "petId", notFound: "Pet not found" },
    { method: "POST", path: "/pet/", name: "petId", notFound: "Pet not found" },
    { method: "DELETE", path: "/pet/", name: "petId", notFound: "Pet not found" },
    { method: "DELETE", path: "/store/order/", name: "orderId", notFound: "Order not found" },
    { method: "GET", path: "/pet/", name: "petId", notFound: "Image not found", rest: IMAGE },
  ];

  for (const { method, path, name, notFound, rest = "" } of operations) {
    test.each(NO_INTEGERS)(
      `that is no canonical integer is 400: ${method} ${path}%s${rest} §1.3.1 §V2.2`,
      async (spelling) => {
        expect(outcome(await send(method, path + spelling + rest))).toEqual(
          refusedFor(name, spelling),
        );
      },
    );

    test.each(UNHAD_INTEGERS)(
      `that nothing has is 404: ${method} ${path}%s${rest} §1.3.2 §1.3.4`,
      async (integer) => {
        expect(outcome(await send(method, path + integer + rest))).toEqual(refusal(404, notFound));
      },
    );
  }

  test.each([...NO_INTEGERS, ...UNHAD_INTEGERS, "11", "100"])(
    "that is not 1 to 10 is 400 when an order is looked up: GET /store/order/%s §1.3.3 §4.4",
    async (spelling) => {
      expect(outcome(await send("GET", `/store/order/${spelling}`))).toEqual(
        refusedFor("orderId", spelling),
      );
    },
  );

  test("may escape its digits", async () => {
    const created = await send("POST", "/pet", {
      json: { id: 77, name: "Rex", photoUrls: "rex.png" },
    });
    expect((await send("GET", "/pet/%37%37")).json).toEqual(created.json);
  });

  test("beyond 2^53 does not reach the pet that has 2^53-1 §1.3.2", async () => {
    const sent = { id: MAX_ID, name: "Rex", photoUrls: "rex.png" };
    expect((await send("POST", "/pet", { json: sent })).status).toBe(200);
    for (const id of ["9007199254740992", "9007199254740993", `${MAX_ID}0`, `-${MAX_ID}`]) {
      expect((await send("GET", `/pet/${id}`)).status).toBe(404);
      expect((await send("DELETE", `/pet/${id}`)).status).toBe(404);
    }
    expect((await send("GET", `/pet/${MAX_ID}`)).json).toEqual(sent);
    expect((await send("DELETE", `/pet/${MAX_ID}`)).status).toBe(200);
  });
});

describe("a username in a path", () => {
  for (const method of ["GET", "PUT", "DELETE"]) {
    const message = method === "PUT" ? "Invalid user supplied" : "Invalid username supplied";
    const attempt = async (name: string) => {
      const json = method === "PUT" ? { phone: "1" } : undefined;
      return outcome(await send(method, `/user/${name}`, { json }));
    };

    test.each(NO_USERNAMES)(`that is invalid is 400: ${method} /user/%s §5.1.4`, async (name) => {
      expect(await attempt(name)).toEqual(refusal(400, message, "username"));
    });

    test.each(BROKEN_ESCAPES)(
      `that is no UTF-8 is 400: ${method} /user/%s §5.1.4 §V1.1`,
      async (name) => {
        expect(await attempt(name)).toEqual(refusal(400, message, "path"));
      },
    );
  }

  test.each(["a b", ...words("a/b a%b %20 100% é e\u0301 漢字 🐶 a+b a?b#c '")])(
    "reaches the user of that name, escaped: %s §V1.1",
    async (username) => {
      expect((await send("POST", "/user", { json: { username } })).status).toBe(200);
      const path = `/user/${encodeURIComponent(username)}`;
      expect((await send("GET", path)).json).toMatchObject({ username });
      const escaped = [...new TextEncoder().encode(username)].map(
        (byte) => `%${byte.toString(16)}`,
      );
      expect((await send("GET", `/user/${escaped.join("")}`)).json).toMatchObject({ username });
      expect((await send("PUT", path, { json: { phone: "1" } })).status).toBe(200);
      expect((await send("GET", path)).json).toMatchObject({ username, phone: "1" });
      expect((await send("DELETE", path)).json).toMatchObject({ message: username });
      expect((await send("GET", path)).status).toBe(404);
    },
  );
});

describe("an id in a body", () => {
  const pet = { name: "Rex", photoUrls: "rex.png" };
  const creations = [
    { path: "/pet", content: pet, invalid: 405 },
    { path: "/store/order", content: {}, invalid: 400 },
    { path: "/user", content: {}, invalid: 400 },
  ];
  const bad = ["-1", "1.5", "9007199254740992", "-9007199254740991", "1e300", "1e999", '"1"', '""'];
  const badTypes = ["true", "false", "[]", "[1]", "{}"];

  for (const { path, content, invalid: status } of creations) {
    test.each([...bad, ...badTypes])(
      `that is no id is ${status} at POST ${path}: %s §1.4.3`,
      async (id) => {
        const members = JSON.stringify(content).slice(1);
        const body = `{"id":${id}${members === "}" ? "" : ","}${members}`;
        const headers = { "Content-Type": "application/json" };
        const answer = await send("POST", path, { body, headers });
        expect(answer.status).toBe(status);
        expect(answer.json).toMatchObject({ errors: [{ path: "id" }] });
      },
    );

    test(`that is left out, null or 0 is the next one at POST ${path} §1.4.1 §1.4.2 §1.5.1`, async () => {
      const ids = [];
      for (const id of [undefined, null, 0]) {
        const answer = await send("POST", path, { json: { ...content, id } });
        expect(answer.status).toBe(200);
        ids.push(idIn(answer.json));
      }
      const [first = 0] = ids;
      expect(Number.isSafeInteger(first) && first > 0).toBe(true);
      expect(ids).toEqual([first, first + 1, first + 2]);
    });

    test(`may be anything from 1 to 2^53-1 at POST ${path} §1.4.1`, async () => {
      for (const id of [123_456, 2 ** 31, MAX_ID - 1]) {
        const answer = await send("POST", path, { json: { ...content, id } });
        expect(answer.status).toBe(200);
        expect(idIn(answer.json)).toBe(id);
      }
    });
  }

  test.each([undefined, null, 0, -1, 1.5, "1", true, [], 2 ** 53])(
    "that is missing or invalid is 400 at PUT /pet, whatever else is wrong: %s §1.4.3 §3.5.2",
    async (id) => {
      for (const json of [
        { ...pet, id },
        { id, name: 7, status: "lost" },
      ]) {
        const answer = await send("PUT", "/pet", { json });
        expect(answer.status).toBe(400);
        expect(answer.json).toMatchObject({
          code: 400,
          message: "Invalid ID supplied",
          errors: [{ path: "id" }],
        });
      }
    },
  );

  test("is checked for its type and otherwise ignored at PUT /user/{username} §5.4.3 §API3", async () => {
    const created = await send("POST", "/user", { json: { username: "bodied" } });
    const id = idIn(created.json);
    for (const wrong of ["1", -1, 1.5, true, 2 ** 53]) {
      const answer = await send("PUT", "/user/bodied", { json: { id: wrong } });
      expect(answer.status).toBe(400);
      expect(answer.json).toMatchObject({ errors: [{ path: "id" }] });
    }
    const other = await createUser();
    for (const ignored of [id + 1000, other.id, null, 0, id]) {
      const answer = await send("PUT", "/user/bodied", { json: { id: ignored } });
      expect(answer.json).toMatchObject({ code: 200, message: String(id) });
    }
    expect((await send("GET", "/user/bodied")).json).toEqual({ id, username: "bodied" });
    expect((await send("GET", other.path)).json).toEqual(other.shown);
  });
});
