import { describe, expect, test } from "vitest";
import { createPet, formOf, getJson, send } from "../client.ts";

const URLENCODED = { "content-type": "application/x-www-form-urlencoded" };
const MULTIPART = { "content-type": "multipart/form-data; boundary=b" };

const WHOLE = {
  category: { id: 1, name: "Dogs" },
  name: "Rex",
  photoUrls: ["https://pets.example/rex.png"],
  tags: [{ id: 1, name: "brown" }, "old"],
  status: "available",
};

test("PUT /pet replaces the whole pet, including absent fields", async () => {
  const { id } = await createPet(WHOLE);
  const before = await send("GET", `/v2/pet/${id}`);
  const json = { id, name: "Max", photoUrls: "max.png" };
  const response = await send("PUT", "/v2/pet", { json });
  expect([response.status, await response.json()]).toEqual([200, json]);
  expect(response.headers.get("etag")).not.toBe(before.headers.get("etag"));
  const found = await send("GET", `/v2/pet/${id}`);
  expect(await found.json()).toEqual(json);
  expect(found.headers.get("etag")).toBe(response.headers.get("etag"));
});

type Fields = Readonly<Record<string, string>>;

describe.each([
  ["urlencoded", (fields: Fields) => new URLSearchParams(fields)],
  ["multipart", formOf],
])("POST /pet/{petId} with a %s form", (_, form) => {
  test.each<Fields>([{ name: "Max & Möbius+ 🐕", status: "sold" }, { name: "Max" }, { status: "pending" }, {}])(
    "updates the fields in %j, and keeps the others",
    async (change) => {
      const { id } = await createPet(WHOLE);
      const body = form({ ...change, unknown: "1", id: "7", photoUrls: "max.png" });
      const response = await send("POST", `/v2/pet/${id}`, { body });
      expect(await response.json()).toEqual({ code: 200, type: "unknown", message: String(id) });
      expect(await getJson(`/v2/pet/${id}`)).toEqual({ ...WHOLE, id, ...change });
    },
  );

  test.each<[Fields, string[]]>([
    [{ name: "Max", status: "lost" }, ["status"]],
    [{ name: "Max\0" }, ["name"]],
    [{ name: "", status: "lost" }, ["name", "status"]],
  ])("rejects %j, and changes nothing", async (fields, paths) => {
    const pet = await createPet(WHOLE);
    const response = await send("POST", `/v2/pet/${pet.id}`, { body: form(fields) });
    const errors = paths.map((path) => ({ path }));
    expect(await response.json()).toMatchObject({ code: 405, message: "Invalid input", errors });
    expect(response.headers.get("allow")?.split(", ").toSorted()).toEqual(["DELETE", "GET", "HEAD", "OPTIONS", "POST"]);
    expect(await getJson(`/v2/pet/${pet.id}`)).toEqual(pet);
  });
});

describe("POST /pet/{petId}", () => {
  test.each([
    ["application/json", '{"name":"Max"}'],
    ["text/plain", "name=Max"],
  ])("rejects %s with 415, and names the accepted types", async (type, body) => {
    const { id } = await createPet();
    const headers = { "content-type": type };
    const response = await send("POST", `/v2/pet/${id}`, { body, headers });
    expect(await response.json()).toMatchObject({ code: 415, errors: [{ path: "Content-Type" }] });
    const types = "application/x-www-form-urlencoded, multipart/form-data";
    expect(response.headers.get("accept")).toBe(types);
  });

  test.each([
    ["name=Max&name=Moritz", ["name"]],
    ["status=sold&status=sold", ["status"]],
    ["name=Max&status=sold&unknown=1&name=Max&status=pending", ["name", "status"]],
  ])("rejects the repeated field in %s, in both kinds of forms", async (text, paths) => {
    const pet = await createPet(WHOLE);
    const multipart = new FormData();
    for (const [name, value] of new URLSearchParams(text)) multipart.append(name, value);
    for (const body of [new URLSearchParams(text), multipart]) {
      const response = await send("POST", `/v2/pet/${pet.id}`, { body });
      const errors = paths.map((path) => ({ path, message: "must be given once" }));
      expect(await response.json()).toMatchObject({ code: 405, errors });
    }
    expect(await getJson(`/v2/pet/${pet.id}`)).toEqual(pet);
  });

  test.each(["name=%FF", "name=a%C3%", "name=%C3%C3", "name=%ED%A0%80", "status=sold&name=%C3é", "%FF=1&name=a"])(
    "rejects the urlencoded form %s, whose escapes are not UTF-8",
    async (text) => {
      const pet = await createPet(WHOLE);
      const response = await send("POST", `/v2/pet/${pet.id}`, {
        body: new TextEncoder().encode(text),
        headers: URLENCODED,
      });
      expect(await response.json()).toMatchObject({
        code: 405,
        errors: [{ message: expect.stringContaining("UTF-8") as string }],
      });
      expect(await getJson(`/v2/pet/${pet.id}`)).toEqual(pet);
    },
  );

  test("rejects raw bytes that are not UTF-8, in both kinds of forms", async () => {
    const pet = await createPet(WHOLE);
    const bytes = Uint8Array.of(0x61, 0xff);
    const part = '--b\r\ncontent-disposition: form-data; name="name"\r\n\r\n';
    for (const [headers, parts] of [
      [URLENCODED, ["name=", bytes]],
      [MULTIPART, [part, bytes, "\r\n--b--\r\n"]],
      [MULTIPART, [part, "Max\uFFFD", "\r\n--b--\r\n"]],
    ] as const) {
      const body = await new Blob([...parts]).arrayBuffer();
      const response = await send("POST", `/v2/pet/${pet.id}`, { body, headers });
      expect(await response.json()).toMatchObject({ code: 405, type: "error" });
    }
    expect(await getJson(`/v2/pet/${pet.id}`)).toEqual(pet);
  });

  test.each([
    ["name=%", "%"],
    ["name=100%", "100%"],
    ["name=%ZZ%2", "%ZZ%2"],
    ["name=%F0%9F%90%95+%C3%A9", "🐕 é"],
    ["name=%EF%BF%BD", "\uFFFD"],
    ["name=é", "é"],
  ])("accepts the urlencoded form %s", async (text, name) => {
    const { id } = await createPet(WHOLE);
    const response = await send("POST", `/v2/pet/${id}`, { body: new TextEncoder().encode(text), headers: URLENCODED });
    expect(response.status).toBe(200);
    expect(await getJson(`/v2/pet/${id}`)).toMatchObject({ name });
  });

  test.each(["?name=Max", "?status=sold", "?status=&x=1", "?name=Max&status=sold"])(
    "rejects an empty form with %s, and says to send it in the body",
    async (query) => {
      const pet = await createPet(WHOLE);
      const names = ["name", "status"].filter((name) => query.includes(`${name}=`));
      for (const body of [new URLSearchParams(), new URLSearchParams({ unknown: "1" }), formOf({ unknown: "1" })]) {
        const response = await send("POST", `/v2/pet/${pet.id}${query}`, { body });
        const errors = names.map((path) => ({ path, message: expect.stringContaining("body") as string }));
        expect(await response.json()).toMatchObject({ code: 405, errors });
        expect(response.headers.get("allow")).toContain("POST");
      }
      expect(await getJson(`/v2/pet/${pet.id}`)).toEqual(pet);
    },
  );

  test("accepts an empty form, and ignores the query if the form has a field", async () => {
    const { id } = await createPet(WHOLE);
    for (const [query, fields] of [
      ["", {}],
      ["?unknown=1", {}],
      ["?name=Moritz&status=pending", { name: "Max" }],
    ] as const) {
      const response = await send("POST", `/v2/pet/${id}${query}`, { body: new URLSearchParams(fields) });
      expect(response.status).toBe(200);
      expect(await getJson(`/v2/pet/${id}`)).toEqual({ ...WHOLE, id, ...fields });
    }
  });

  test("accepts a repeated unknown field", async () => {
    const { id } = await createPet(WHOLE);
    const body = new URLSearchParams("name=Max&unknown=1&unknown=2&toString=1&toString=2");
    expect((await send("POST", `/v2/pet/${id}`, { body })).status).toBe(200);
  });

  test.each(["multipart/form-data", "Multipart/Form-Data; charset=utf-8", "multipart/form-data; boundary="])(
    "says that %j has no boundary",
    async (type) => {
      const { id } = await createPet();
      const headers = { "content-type": type };
      for (const [path, code] of [
        [`/v2/pet/${id}`, 405],
        [`/v2/pet/${id}/uploadImage`, 400],
      ] as const) {
        const response = await send("POST", path, { body: "--x\r\n", headers });
        const errors = [{ path: "Content-Type", message: "must have a boundary" }];
        expect(await response.json()).toMatchObject({ code, errors });
      }
    },
  );

  test("rejects a malformed multipart form, a form of more than 16 KiB, and a file", async () => {
    const path = `/v2/pet/${(await createPet()).id}`;
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    expect((await send("POST", path, { body: "name=Max", headers })).status).toBe(405);
    const large = new URLSearchParams({ unknown: "x".repeat(16 * 1024) });
    expect((await send("POST", path, { body: large })).status).toBe(413);
    const response = await send("POST", path, { body: formOf({ name: new Blob(["Max"]) }) });
    expect(await response.json()).toMatchObject({ code: 405, errors: [{ path: "name" }] });
  });
});
