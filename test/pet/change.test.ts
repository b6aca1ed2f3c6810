import { describe, expect, test } from "vitest";
import { createPet, send } from "../client.ts";

const WHOLE = {
  category: { id: 1, name: "Dogs" },
  name: "Rex",
  photoUrls: ["https://pets.example/rex.png"],
  tags: [{ id: 1, name: "brown" }, "old"],
  status: "available",
};

describe("PUT /pet", () => {
  test("replaces the whole pet, also the members that it leaves out", async () => {
    const { id } = await createPet(WHOLE);
    const before = await send("GET", `/v2/pet/${id}`);
    const json = { id, name: "Max", photoUrls: "max.png" };
    const response = await send("PUT", "/v2/pet", { json });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(json);
    expect(response.headers.get("content-location")).toBe(`/v2/pet/${id}`);
    expect(response.headers.get("etag")).not.toBe(before.headers.get("etag"));
    const found = await send("GET", `/v2/pet/${id}`);
    expect(await found.json()).toEqual(json);
    expect(found.headers.get("etag")).toBe(response.headers.get("etag"));
  });

  test.each([undefined, null, 0, -1, 1.5, "1", true, [], 2 ** 53])(
    "with the id %s is 400, whatever else is wrong",
    async (id) => {
      for (const json of [
        { ...WHOLE, id },
        { id, name: 7, status: "lost" },
      ]) {
        const response = await send("PUT", "/v2/pet", { json });
        expect(await response.json()).toMatchObject({
          code: 400,
          message: "Invalid ID supplied",
          errors: expect.arrayContaining([expect.objectContaining({ path: "id" })]) as object,
        });
      }
    },
  );

  test("checks the body, then the id, then the fields, then whether the pet exists", async () => {
    const missing = 987_654_321;
    const attempt = async (body: string) =>
      (
        await send("PUT", "/v2/pet", { body, headers: { "content-type": "application/json" } })
      ).json();
    expect(await attempt("[]")).toMatchObject({ code: 405, message: "Validation exception" });
    expect(await attempt("{")).toMatchObject({ code: 405, message: "Validation exception" });
    expect(await attempt('{"id":0,"name":7}')).toMatchObject({ code: 400 });
    expect(await attempt(`{"id":${missing},"name":"Rex"}`)).toMatchObject({
      code: 405,
      errors: [{ path: "photoUrls" }],
    });
    expect(await attempt(`{"id":${missing},"name":"Rex","photoUrls":[]}`)).toEqual({
      code: 404,
      type: "error",
      message: "Pet not found",
    });
  });

  test("never creates a pet", async () => {
    await send("PUT", "/v2/pet", { json: { ...WHOLE, id: 3001 } });
    expect((await send("GET", "/v2/pet/3001")).status).toBe(404);
  });
});

describe("DELETE /pet/{petId}", () => {
  test("answers with the id, and 404 from then on", async () => {
    const { id } = await createPet();
    const response = await send("DELETE", `/v2/pet/${id}`, { headers: { api_key: "any" } });
    expect(await response.json()).toEqual({ code: 200, type: "unknown", message: String(id) });
    expect((await send("DELETE", `/v2/pet/${id}`)).status).toBe(404);
    expect(await (await send("GET", `/v2/pet/${id}`)).json()).toEqual({
      code: 404,
      type: "error",
      message: "Pet not found",
    });
  });

  test("frees an id that a client chose, and the new pet has another ETag", async () => {
    await createPet({ id: 3002 });
    const { headers } = await send("GET", "/v2/pet/3002");
    await send("DELETE", "/v2/pet/3002");
    expect(await createPet({ id: 3002, name: "Max" })).toMatchObject({ name: "Max" });
    expect((await send("GET", "/v2/pet/3002")).headers.get("etag")).not.toBe(headers.get("etag"));
  });
});

function multipart(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
}

describe.each([
  ["urlencoded", (fields: Record<string, string>) => new URLSearchParams(fields)],
  ["multipart", multipart],
])("POST /pet/{petId} with a %s form", (_, form) => {
  test.each([
    { name: "Max & Möbius+ 🐕", status: "sold" },
    { name: "Max" },
    { status: "pending" },
    { status: "sold", unknown: "1", id: "7" },
  ])(
    "sets what %j names, and keeps the rest",
    async ({ unknown: _unknown, id: _id, ...change }: Record<string, string>) => {
      const { id } = await createPet(WHOLE);
      const body = form({ ...change, unknown: "1", id: "7", photoUrls: "max.png" });
      const response = await send("POST", `/v2/pet/${id}`, { body });
      expect(await response.json()).toEqual({ code: 200, type: "unknown", message: String(id) });
      expect(await (await send("GET", `/v2/pet/${id}`)).json()).toEqual({
        ...WHOLE,
        id,
        ...change,
      });
    },
  );

  test.each([
    [{ name: "Max", status: "lost" }, ["status"]],
    [{ status: "Sold" }, ["status"]],
    [{ status: "" }, ["status"]],
    [{ name: "", status: "sold" }, ["name"]],
    [{ name: "x".repeat(4097) }, ["name"]],
    [{ name: "Max\0" }, ["name"]],
    [{ name: "", status: "lost" }, ["name", "status"]],
  ])("refuses %j, and changes nothing", async (fields, paths) => {
    const pet = await createPet(WHOLE);
    const response = await send("POST", `/v2/pet/${pet.id}`, {
      body: form(fields as Record<string, string>),
    });
    expect(await response.json()).toMatchObject({
      code: 405,
      message: "Invalid input",
      errors: paths.map((path) => ({ path })),
    });
    expect(response.headers.get("allow")).toContain("POST");
    expect(await (await send("GET", `/v2/pet/${pet.id}`)).json()).toEqual(pet);
  });

  test("is 404 for a pet that does not exist, and 400 for an id that is none", async () => {
    const body = { name: "Max" };
    expect((await send("POST", "/v2/pet/987654321", { body: form(body) })).status).toBe(404);
    expect((await send("POST", "/v2/pet/seven", { body: form(body) })).status).toBe(400);
  });
});

describe("POST /pet/{petId}", () => {
  test.each([
    ["JSON", "application/json", '{"name":"Max"}'],
    ["text", "text/plain", "name=Max"],
    ["a type that only begins like a form's", "application/x-www-form-urlencoded-x", "name=Max"],
  ])("refuses %s with 415, and names the types of forms", async (_, type, body) => {
    const { id } = await createPet();
    const response = await send("POST", `/v2/pet/${id}`, {
      body,
      headers: { "content-type": type },
    });
    expect(await response.json()).toMatchObject({ code: 415, errors: [{ path: "Content-Type" }] });
    expect(response.headers.get("accept")).toBe(
      "application/x-www-form-urlencoded, multipart/form-data",
    );
  });

  test("takes an empty form, which changes nothing", async () => {
    const pet = await createPet(WHOLE);
    const response = await send("POST", `/v2/pet/${pet.id}`, { body: new URLSearchParams() });
    expect(response.status).toBe(200);
    expect(await (await send("GET", `/v2/pet/${pet.id}`)).json()).toEqual(pet);
  });

  test("refuses a malformed multipart form, and a form of more than 16 KiB", async () => {
    const { id } = await createPet();
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    expect((await send("POST", `/v2/pet/${id}`, { body: "name=Max", headers })).status).toBe(405);
    const body = new URLSearchParams({ unknown: "x".repeat(16 * 1024) });
    expect((await send("POST", `/v2/pet/${id}`, { body })).status).toBe(413);
  });

  test("takes no file for a name", async () => {
    const { id } = await createPet();
    const body = new FormData();
    body.set("name", new File(["Max"], "max.txt"));
    const response = await send("POST", `/v2/pet/${id}`, { body });
    expect(await response.json()).toMatchObject({ code: 405, errors: [{ path: "name" }] });
  });
});
