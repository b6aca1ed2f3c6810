import { describe, expect, test } from "vitest";
import { createPet, send } from "../client.ts";

const REX = { name: "Rex", photoUrls: ["https://pets.example/rex.png"] };

describe("POST /pet", () => {
  test.each([
    ["the required members only", REX],
    ["every member", { ...REX, category: { id: 1, name: "Dogs" }, status: "sold", tags: [] }],
    ["an empty category", { ...REX, category: {} }],
    [
      "tags of every form",
      { ...REX, tags: ["old", {}, { id: 7 }, { name: "a,b" }, { id: 0, name: "" }] },
    ],
    ["an empty array of photoUrls", { ...REX, photoUrls: [] }],
    ["the empty photoUrl of generated clients", { ...REX, photoUrls: [""] }],
    ["one photoUrl as a string", { ...REX, photoUrls: "https://pets.example/rex.png" }],
    ["several photoUrls in a string", { ...REX, photoUrls: "https://pets.example/1.png, 2.png" }],
    [
      "a photoUrl with a comma in an array",
      { ...REX, photoUrls: ["https://pets.example/a,b.png"] },
    ],
    ["a name of any script", { ...REX, name: "Möbius 漢字 🐕 '\"\\" }],
  ])("creates a pet with %s, and shows it as it was sent", async (_, json) => {
    const response = await send("POST", "/v2/pet", { json });
    expect(response.status).toBe(200);
    const pet = await response.json<{ id: number }>();
    expect(pet).toEqual({ id: pet.id, ...json });
    expect(response.headers.get("content-location")).toBe(`/v2/pet/${pet.id}`);
    const found = await send("GET", `/v2/pet/${pet.id}`);
    expect(await found.json()).toEqual(pet);
    expect(found.headers.get("etag")).toBe(response.headers.get("etag"));
  });

  test("ignores unknown members, and takes null for an absent optional one", async () => {
    const json = {
      ...REX,
      status: null,
      tags: null,
      category: { id: null, name: "Dogs" },
      version: 7,
      owner: "x",
    };
    const pet = await createPet(json);
    expect(pet).toEqual({ id: pet.id, ...REX, category: { name: "Dogs" } });
  });

  test.each([
    "https://pets.example/rex.png",
    "HTTPS://pets.example/rex.png",
    "http://pets.example:8080/rex.png?size=2#top",
    "//pets.example/rex.png",
    "//[2001:db8::1]:8080/rex.png",
    "/images/rex.png",
    "../rex.png",
    "string",
    "?photo=data:1",
    "photos/javascript.png",
    "https://pets.example/javascript:1",
    "https://例え.example/rené.png",
  ])("takes the URL %s, in an array and in a string", async (url) => {
    expect(await createPet({ photoUrls: [url, "2.png"] })).toMatchObject({
      photoUrls: [url, "2.png"],
    });
    expect(await createPet({ photoUrls: `${url},2.png` })).toMatchObject({
      photoUrls: `${url},2.png`,
    });
  });

  test.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " javascript:alert(1)",
    "\tjava\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    "data:image/png;base64,AAAA",
    "vbscript:msgbox(1)",
    "ftp://pets.example/rex.png",
    "file:///rex.png",
    "mailto:rex@pets.example",
    "https://[rex]/",
  ])("refuses the URL %j, in an array and in a string", async (url) => {
    const message = "must be http or https URLs, or relative ones";
    for (const [photoUrls, path] of [
      [["1.png", url], "photoUrls.1"],
      [`1.png,${url}`, "photoUrls"],
    ]) {
      const response = await send("POST", "/v2/pet", { json: { name: "Rex", photoUrls } });
      expect(await response.json()).toEqual({
        code: 405,
        type: "error",
        message: "Invalid input",
        errors: [{ path, message }],
      });
    }
  });
});

describe.each([
  ["POST", "Invalid input"],
  ["PUT", "Validation exception"],
])("%s /pet", (method, message) => {
  test.each([
    ["name", undefined, "name"],
    ["name", null, "name"],
    ["name", "", "name"],
    ["name", 7, "name"],
    ["name", ["Rex"], "name"],
    ["name", "a\0b", "name"],
    ["name", "x".repeat(4097), "name"],
    ["photoUrls", undefined, "photoUrls"],
    ["photoUrls", null, "photoUrls"],
    ["photoUrls", "", "photoUrls"],
    ["photoUrls", "1.png,,2.png", "photoUrls"],
    ["photoUrls", "1.png, ", "photoUrls"],
    ["photoUrls", 7, "photoUrls"],
    ["photoUrls", { 0: "rex.png" }, "photoUrls"],
    ["photoUrls", [null], "photoUrls.0"],
    ["photoUrls", ["rex.png", 7], "photoUrls.1"],
    ["photoUrls", Array(101).fill("a"), "photoUrls"],
    ["photoUrls", Array(101).fill("a").join(","), "photoUrls"],
    ["status", "Available", "status"],
    ["status", "available,sold", "status"],
    ["status", "", "status"],
    ["status", 1, "status"],
    ["status", ["sold"], "status"],
    ["category", "Dogs", "category"],
    ["category", [], "category"],
    ["category", { id: "1" }, "category.id"],
    ["category", { id: 1.5 }, "category.id"],
    ["category", { name: "\0" }, "category.name"],
    ["tags", "brown", "tags"],
    ["tags", { name: "brown" }, "tags"],
    ["tags", [7], "tags.0"],
    ["tags", [[]], "tags.0"],
    ["tags", ["brown", null], "tags.1"],
    ["tags", ["brown", "\uDFFF"], "tags.1"],
    ["tags", [{ id: "1" }], "tags.0.id"],
    ["tags", [{ name: "brown" }, { name: 7 }], "tags.1.name"],
    ["tags", Array(101).fill(7), "tags"],
  ])("with %s %j is refused with 405, which names %s", async (member, value, path) => {
    const { id } = method === "PUT" ? await createPet() : { id: undefined };
    const response = await send(method, "/v2/pet", { json: { ...REX, id, [member]: value } });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toContain("POST, PUT");
    expect(await response.json()).toMatchObject({ message, errors: [{ path }] });
  });

  test("names a member that is missing, and says so", async () => {
    const { id } = method === "PUT" ? await createPet() : { id: undefined };
    const response = await send(method, "/v2/pet", { json: { id, name: "Rex" } });
    expect(await response.json()).toMatchObject({
      errors: [{ path: "photoUrls", message: expect.stringMatching(/required|missing/) as string }],
    });
  });

  test("names every member at fault, but no more than a hundred", async () => {
    const { id } = method === "PUT" ? await createPet() : { id: undefined };
    const some = await send(method, "/v2/pet", {
      json: { id, name: 7, photoUrls: [7], status: "lost" },
    });
    const paths = (await some.json<{ errors: { path: string }[] }>()).errors.map(
      ({ path }) => path,
    );
    expect(paths.toSorted()).toEqual(["name", "photoUrls.0", "status"]);
    const json = { id, name: 7, photoUrls: Array(100).fill(7), tags: Array(100).fill(7) };
    const many = await send(method, "/v2/pet", { json });
    expect((await many.json<{ errors: object[] }>()).errors).toHaveLength(100);
  });

  test("takes a hundred URLs and a hundred tags", async () => {
    const { id } = method === "PUT" ? await createPet() : { id: undefined };
    for (const photoUrls of [Array(100).fill("a"), Array(100).fill("a").join(",")]) {
      const json = { id, ...REX, photoUrls, tags: Array(100).fill("a") };
      const response = await send(method, "/v2/pet", { json });
      expect(await response.json()).toMatchObject({ photoUrls, tags: json.tags });
    }
  });
});

describe("POST /pet with an id", () => {
  test("that is taken answers a retry of the same content with the stored pet", async () => {
    const pet = await createPet({ id: 1001, category: { id: 1, name: "Dogs" }, status: "sold" });
    const { headers } = await send("GET", "/v2/pet/1001");
    const again = {
      status: "sold",
      tags: null,
      category: { name: "Dogs", id: 1 },
      photoUrls: pet.photoUrls,
      name: pet.name,
      id: 1001,
      unknown: true,
    };
    const response = await send("POST", "/v2/pet", { json: again });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(pet);
    expect(response.headers.get("etag")).toBe(headers.get("etag"));
  });

  test.each([
    [2001, { name: "Max" }],
    [2002, { photoUrls: "rex.png" }],
    [2003, { status: "available" }],
    [2004, { status: undefined }],
    [2005, { category: { id: 2 } }],
    [2006, { tags: [{ id: 1, name: "old" }, "brown"] }],
  ])("that is taken by other content is refused and changes nothing: %i %j", async (id, change) => {
    const pet = await createPet({
      id,
      photoUrls: ["rex.png"],
      category: { id: 1 },
      tags: ["brown", { id: 1, name: "old" }],
      status: "sold",
    });
    const response = await send("POST", "/v2/pet", { json: { ...pet, ...change } });
    expect(await response.json()).toMatchObject({
      code: 405,
      message: "Invalid input",
      errors: [{ path: "id", message: expect.stringContaining("taken") as string }],
    });
    expect(await (await send("GET", `/v2/pet/${id}`)).json()).toEqual(pet);
  });

  test.each(["-1", "1.5", "9007199254740992", "1e300", '"1"', '""', "true", "[]", "{}"])(
    "that is none is refused: %s",
    async (id) => {
      const body = `{"id":${id},"name":"Rex","photoUrls":[]}`;
      const response = await send("POST", "/v2/pet", {
        body,
        headers: { "content-type": "application/json" },
      });
      expect(await response.json()).toMatchObject({ code: 405, errors: [{ path: "id" }] });
    },
  );

  test.each([undefined, null, 0])("of %s generates the next one", async (id) => {
    const before = await createPet();
    expect(await createPet({ id })).toMatchObject({ id: before.id + 1 });
  });

  test("of 2^53-1 leaves the generated ids as they are, and one right ahead is passed over", async () => {
    const before = await createPet();
    await createPet({ id: Number.MAX_SAFE_INTEGER });
    await createPet({ id: before.id + 1 });
    expect(await createPet()).toMatchObject({ id: before.id + 2 });
  });
});
