import { describe, expect, test } from "vitest";
import { createPet, getJson, send } from "../client.ts";

const REX = { name: "Rex", photoUrls: ["https://pets.example/rex.png"] };

describe("POST /pet", () => {
  test.each([
    REX,
    { ...REX, tags: ["old", {}, { id: 7 }, { name: "a,b" }, { id: 0, name: "" }] },
    { ...REX, photoUrls: [""] },
    { ...REX, photoUrls: "https://pets.example/1.png, 2.png" },
  ])("creates %j, and returns it as sent", async (json) => {
    const response = await send("POST", "/v2/pet", { json });
    expect(response.status).toBe(200);
    const pet = await response.json<{ id: number }>();
    expect(pet).toEqual({ id: pet.id, ...json });
    const found = await send("GET", `/v2/pet/${pet.id}`);
    expect(await found.json()).toEqual(pet);
    expect(found.headers.get("etag")).toBe(response.headers.get("etag"));
  });

  test("ignores unknown fields, and treats null as absent in optional fields", async () => {
    const nulls = { status: null, tags: null, category: { id: null, name: "Dogs" } };
    const pet = await createPet({ ...REX, ...nulls, version: 7, owner: "x" });
    expect(pet).toEqual({ id: pet.id, ...REX, category: { name: "Dogs" } });
  });

  test.each([
    ..."HTTPS://pets.example:8080/data:1?size=2#top //[2001:db8::1]:8080/rex.png string".split(" "),
    ..."../rex.png ?photo=data:1 javascript.png https://例え.example/rené.png".split(" "),
  ])("accepts the URL %s, in an array and in a string", async (url) => {
    for (const photoUrls of [[url, "2.png"], `${url},2.png`]) {
      expect(await createPet({ photoUrls })).toMatchObject({ photoUrls });
    }
  });

  test.each([
    ..."JavaScript:alert(1) data:image/png;base64,AAAA ftp://a.test/rex.png https://[rex]/".split(" "),
    "\tjava\nscript:alert(1)",
    "\u0001javascript:alert(1)",
  ])("rejects the URL %j, in an array and in a string", async (url) => {
    const message = "must be http or https URLs, or relative ones";
    for (const [photoUrls, path] of [
      [["1.png", url], "photoUrls.1"],
      [`1.png,${url}`, "photoUrls"],
    ]) {
      const response = await send("POST", "/v2/pet", { json: { name: "Rex", photoUrls } });
      expect(await response.json()).toMatchObject({ code: 405, errors: [{ path, message }] });
    }
  });

  test("names every invalid field, but at most 100", async () => {
    const three = await send("POST", "/v2/pet", { json: { name: 7, status: "lost" } });
    const errors = [{ path: "name" }, { path: "photoUrls", message: "is required" }, { path: "status" }];
    expect(await three.json()).toMatchObject({ errors });
    const json = { name: 7, photoUrls: Array(100).fill(7), tags: Array(100).fill(7) };
    const many = await send("POST", "/v2/pet", { json });
    expect((await many.json<{ errors: object[] }>()).errors).toHaveLength(100);
  });
});

const WHOLE = { name: "Rex", category: { id: 1 }, photoUrls: ["rex.png"], status: "sold" };

test("POST /pet with the same ID and content returns the stored pet", async () => {
  const pet = await createPet({ id: 1001, ...WHOLE });
  const { headers } = await send("GET", "/v2/pet/1001");
  const { status, category, ...others } = pet;
  const again = { status, tags: null, ...others, category, unknown: true };
  const response = await send("POST", "/v2/pet", { json: again });
  expect([response.status, await response.json()]).toEqual([200, pet]);
  expect(response.headers.get("etag")).toBe(headers.get("etag"));
});

test.each([
  [2001, { name: "Max" }],
  [2002, { photoUrls: "rex.png" }],
  [2004, { status: undefined }],
  [2006, { tags: [{ id: 1, name: "old" }, "brown"] }],
])("POST /pet with an ID in use and other content returns 405: %i %j", async (id, change) => {
  const pet = await createPet({ id, ...WHOLE, tags: ["brown", { id: 1, name: "old" }] });
  const response = await send("POST", "/v2/pet", { json: { ...pet, ...change } });
  const { message, errors } = await response.json<{ message: string; errors: object[] }>();
  expect([response.status, message]).toEqual([405, "Invalid input"]);
  expect(errors).toMatchObject([{ path: "id", message: expect.stringContaining("in use") }]);
  expect(await getJson(`/v2/pet/${id}`)).toEqual(pet);
});

test("generated pet IDs skip an ID that a client chose, and are not exhausted by 2^53-1", async () => {
  const before = await createPet();
  await createPet({ id: Number.MAX_SAFE_INTEGER });
  await createPet({ id: before.id + 2 });
  expect(await createPet()).toMatchObject({ id: before.id + 1 });
  expect(await createPet()).toMatchObject({ id: before.id + 3 });
});
