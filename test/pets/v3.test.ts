import { describe, expect, test } from "vitest";
import { createPet, getJson, send, uniqueName, type ShownPet } from "../client.ts";

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0);

const show = async (id: number) => getJson<ShownPet>(`/api/v3/pet/${id}`);

test("POST /pet with an ID in use returns the pet for the same content, and 409 for other content", async () => {
  const pet = await createPet({ id: 1003, photoUrls: "a.png, b.png", tags: ["old", { id: 1 }] });
  const shown = { ...pet, photoUrls: ["a.png", "b.png"], tags: [{ name: "old" }, { id: 1 }] };
  const again = await send("POST", "/api/v3/pet", { json: { ...shown, status: null } });
  expect([again.status, await again.json()]).toEqual([200, shown]);
  for (const change of [{ name: "Max" }, { photoUrls: ["a.png"] }, { tags: [] }]) {
    const rejected = await send("POST", "/api/v3/pet", { json: { ...shown, ...change } });
    expect(await rejected.json()).toMatchObject({ code: 409, errors: [{ path: "id" }] });
    expect(rejected.headers.get("allow")).toBeNull();
  }
  expect(await getJson("/v2/pet/1003")).toEqual(pet);
});

const hundred = Array<string>(100).fill("a");

test.each([
  [{ photoUrls: " a.png , /b.png  ,c.png " }, { photoUrls: ["a.png", "/b.png", "c.png"] }],
  [{ photoUrls: hundred.join(",") }, { photoUrls: hundred }],
  [{ tags: hundred }, { tags: hundred.map((name) => ({ name })) }],
  [{ photoUrls: ["", "a,b.png"] }, {}],
  [{ tags: ["a", `"`, "},"] }, { tags: [{ name: "a" }, { name: `"` }, { name: "}," }] }],
])("a pet stored through /v2 as %j is returned with arrays of strings and objects", async (fields, shown) => {
  const category = { name: uniqueName("category") };
  const pet = await createPet({ status: "pending", category, ...fields });
  const expected = { ...pet, ...shown };
  expect(await show(pet.id)).toEqual(expected);
  const list = await send("GET", "/api/v3/pet/findByStatus?status=pending");
  expect(await list.json()).toContainEqual(expected);
  const changed = await send("POST", `/api/v3/pet/${pet.id}?status=pending`);
  expect(await changed.json()).toEqual(expected);
  expect(await getJson(`/v2/pet/${pet.id}`)).toEqual(pet);
  expect((await send("PUT", "/api/v3/pet", { json: expected })).status).toBe(200);
});

describe("POST /pet/{petId}", () => {
  test.each([
    ["name=Max%20%26+M%C3%B6bius%20%F0%9F%90%95", { name: "Max & Möbius 🐕" }],
    ["status=sold&unknown=1&id=7", { status: "sold" }],
    ["status=sold&unknown=%FF&%FF=1", { status: "sold" }],
    ["name=%ZZ+100%", { name: "%ZZ 100%" }],
    ["name=%EF%BF%BD", { name: "\uFFFD" }],
  ])("updates the fields in ?%s, and returns the pet", async (query, change) => {
    const pet = await createPet({ tags: [{ name: "a" }] });
    const response = await send("POST", `/api/v3/pet/${pet.id}?${query}`);
    expect([response.status, await response.json()]).toEqual([200, { ...pet, ...change }]);
    expect(response.headers.get("content-location")).toBe(`/api/v3/pet/${pet.id}`);
  });

  test.each([
    ..."?unknown=1 ?name= ?status=sold,pending ?name=a&name=b ?name=Max&status=lost".split(" "),
    `?name=${"x".repeat(4097)}`,
    ..."?name=%FF ?name=Max%C3%A9%C3 ?name=%ED%A0%80&status=sold ?status=sold&name[0]=%FF ?n%61me=%FF".split(" "),
  ])("%s returns 400, and changes nothing", async (query) => {
    const pet = await createPet();
    const response = await send("POST", `/api/v3/pet/${pet.id}${query}`);
    expect(await response.json()).toMatchObject({ code: 400, message: "Invalid input" });
    expect(await show(pet.id)).toEqual(pet);
  });
});

test("DELETE /pet/{petId} responses with a line of text, of the same type as a logout", async () => {
  const { id } = await createPet();
  const deleted = await send("DELETE", `/api/v3/pet/${id}`);
  expect([deleted.status, await deleted.text()]).toEqual([200, "Pet deleted"]);
  const logout = await send("GET", "/api/v3/user/logout");
  expect(deleted.headers.get("content-type")).toBe(logout.headers.get("content-type"));
});

describe("the lists", () => {
  test("by status contain the available pets if there is no status", async () => {
    const available = await createPet({ status: "available" });
    const sold = await createPet({ status: "sold" });
    for (const query of ["", "?", "?after=0", "?status=available"]) {
      const pets = await getJson<ShownPet[]>(`/api/v3/pet/findByStatus${query}`);
      expect(pets).toContainEqual(available);
      expect(pets).not.toContainEqual(sold);
    }
  });

  test.each(["?status[a]=sold", "?status[a]=available", "?status[][]=sold", "?status[0=sold", "?status[-1]=sold"])(
    "by status reject %s, which names no list",
    async (query) => {
      const response = await send("GET", `/api/v3/pet/findByStatus${query}`);
      const body = {
        code: 400,
        message: "Invalid status value",
        errors: [{ path: expect.stringMatching(/^status/) as string }],
      };
      expect(await response.json()).toMatchObject(body);
    },
  );

  test("by tags link to their next page under the same API", async () => {
    const tag = uniqueName("tag");
    const tags = [{ name: tag }];
    const pets = [await createPet({ tags }), await createPet({ tags })];
    const page = await send("GET", `/api/v3/pet/findByTags?tags=${tag}&limit=1`);
    expect(await page.json()).toEqual([pets[0]]);
    const link = page.headers.get("link") ?? "";
    const [, next = ""] = /^<(\/api\/v3\/.+)>; rel="next"$/.exec(link) ?? [];
    expect(await getJson(next)).toEqual([pets[1]]);
  });
});

const upload = async (id: number, type: string, query = "", body: BodyInit = PNG) => {
  const headers: HeadersInit = type ? { "content-type": type } : {};
  return send("POST", `/api/v3/pet/${id}/uploadImage${query}`, { body, headers });
};

describe("POST /pet/{petId}/uploadImage", () => {
  test.each(["application/octet-stream", "image/png", "Image/X-Any; a=b", ""])(
    "accepts a body of the type %j as the file, whose URL is under /v2",
    async (type) => {
      for (const photoUrls of ["a.png", ["a.png"]]) {
        const { id } = await createPet({ photoUrls });
        const response = await upload(id, type, "?additionalMetadata=at%20the%20lake");
        const { message } = await response.json<{ message: string }>();
        expect(message).toMatch(/^additionalMetadata: at the lake\nFile uploaded to .*, 10 bytes$/);
        const [first, url = ""] = (await show(id)).photoUrls;
        expect(first).toBe("a.png");
        expect(url).toMatch(new RegExp(`^/v2/pet/${id}/images/[0-9a-f-]{36}\\.png$`));
        expect(await (await send("GET", url)).bytes()).toEqual(PNG);
      }
    },
  );

  test.each([
    ["multipart/form-data; boundary=x", "", PNG, 415],
    ["application/x-www-form-urlencoded", "", PNG, 415],
    ["Application/JSON; charset=utf-8", "", PNG, 415],
    ["text/xml", "", PNG, 415],
    ["image/png", "", new Uint8Array(), 400],
    ["image/png", "", new Uint8Array(5 * 1024 * 1024 + 1), 413],
    ["image/png", "?additionalMetadata=a&additionalMetadata=b", PNG, 400],
    ["image/png", "?additionalMetadata=%FF", PNG, 400],
  ])("rejects a body of the type %s with %j", async (...[type, query, body, code]) => {
    const pet = await createPet();
    const response = await upload(pet.id, type, query, body);
    const message = code === 400 ? { message: "No file uploaded" } : {};
    expect(await response.json()).toMatchObject({ code, ...message });
    expect(response.headers.has("accept")).toBe(code === 415);
    expect(await show(pet.id)).toEqual(pet);
  });
});
