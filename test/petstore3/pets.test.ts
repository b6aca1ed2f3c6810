import { describe, expect, test } from "vitest";
import { MAX_IMAGE_BYTES } from "../../src/pet/contract.ts";
import type { Pet } from "../../src/pet/pet.ts";
import { send } from "../client.ts";
import type { Answer, Sent } from "../client.ts";
import { basePath, database, isSandbox } from "../engine.ts";
import {
  createPet,
  done,
  etagOf,
  outcome,
  refusal,
  success,
  uniqueId,
  uniqueName,
  withKey,
} from "../fixtures.ts";
import { PNG } from "../images.ts";
import { idsOf, storePets } from "../pet/lists.ts";
import { basePath3, createPet3, send3 } from "./client.ts";

/** A pet of Petstore 3. */
interface ListedPet extends Pet {
  photoUrls: string[];
}

const dogs = { id: 1, name: "Dogs" };

/** Pets as they are sent to /v2, and what Petstore 3 shows in place of some members. */
const FORMS: readonly (readonly [string, object, object])[] = [
  ["one URL", { photoUrls: "a.png" }, { photoUrls: ["a.png"] }],
  [
    "URLs with white space around their commas",
    { photoUrls: " a.png ,\thttps://pets.example/b.png  ,c.png " },
    { photoUrls: ["a.png", "https://pets.example/b.png", "c.png"] },
  ],
  [
    "as many URLs in a string as there may be",
    { photoUrls: Array(100).fill("a.png").join(",") },
    { photoUrls: Array(100).fill("a.png") },
  ],
  ["a URL with a quote and a bracket", { photoUrls: `["a"` }, { photoUrls: [`["a"`] }],
  ["an array, one item with a comma", { photoUrls: ["", "a,b.png"] }, {}],
  ["an empty array, and no tags", { photoUrls: [], tags: [] }, {}],
  [
    "strings as tags",
    { tags: ["a", `"`, "},"] },
    { tags: ["a", `"`, "},"].map((name) => ({ name })) },
  ],
  [
    "a string after objects",
    { tags: [{}, { id: 1 }, { name: "a" }, "b", { id: 2, name: "c" }] },
    { tags: [{}, { id: 1 }, { name: "a" }, { name: "b" }, { id: 2, name: "c" }] },
  ],
  ["objects that look like strings", { tags: [{ name: `},"` }, { id: 1, name: `["` }] }, {}],
  [
    "members that look like others",
    { name: `"photoUrls":"a"`, category: { name: `},"tags":["a"]` }, photoUrls: "a,b" },
    { photoUrls: ["a", "b"] },
  ],
];

/** The first pet of a list. */
const firstOf = async (list: string) =>
  ((await send3("GET", `${list}&limit=1`)).json as ListedPet[])[0];

describe.each(FORMS)("a pet that was stored at /v2 with %s", (_, members, changed) => {
  const shownAs = { photoUrls: ["rex.png"], ...members, ...changed } as ListedPet;

  test("is shown in lists, and at /v2 as it was sent §11.3.2", async () => {
    const tag = { name: uniqueName("tag") };
    const { tags = [] } = members as Partial<Pet>;
    const sent = { status: "pending", ...members, tags: [...tags, tag] };
    const { id, path, shown: stored } = await createPet(sent);
    const shown = { ...stored, ...shownAs, tags: [...(shownAs.tags ?? []), tag] };
    expect((await send3("GET", path)).json).toEqual(shown);
    expect(await firstOf(`/pet/findByStatus?status=pending&after=${id - 1}`)).toEqual(shown);
    expect(await firstOf(`/pet/findByTags?tags=${tag.name}`)).toEqual(shown);
    expect((await send3("POST", `${path}?status=pending`)).json).toEqual(shown);
    expect((await send("GET", path)).json).toEqual(stored);
  });

  test("is the same pet when Petstore 3 sends what it shows §11.3.3", async () => {
    const { path, etag, shown: stored } = await createPet({ id: uniqueId(), ...members });
    const json = { ...stored, ...shownAs };
    const again = await send3("POST", "/pet", { json });
    expect(outcome(again)).toEqual(success(json));
    const kept = await send("GET", path);
    expect([kept.json, etagOf(kept)]).toEqual([stored, etag]);
  });
});

test("what Petstore 3 stores is shown at /v2 as it was sent §11.0", async () => {
  const { path, pet } = await createPet3({ category: dogs, tags: [{ id: 1, name: "a" }, {}] });
  expect(outcome(await send("GET", path))).toEqual(success(pet));
  const changed = { id: pet.id, name: "Max", photoUrls: [] };
  const put = await send3("PUT", "/pet", { json: changed });
  expect(outcome(put)).toEqual(success(changed));
  expect(etagOf(put)).toBe(etagOf(await send("GET", path)));
});

test("the same content again is 200, and other content under the id is 409 and changes nothing §11.2.4 §11.3.3", async () => {
  const { path, pet } = await createPet3({ tags: [{ name: "a" }], status: "sold" });
  const { headers } = await send3("GET", path);
  const again = { ...pet, status: undefined, category: null, unknown: 1 };
  expect((await send3("POST", "/pet", { json: { ...again, status: "sold" } })).status).toBe(200);
  for (const change of [
    { name: "Max" },
    { photoUrls: ["rex.png", "rex.png"] },
    { tags: [{ name: "b" }] },
    { status: "pending" },
    { category: dogs },
  ]) {
    const refused = await send3("POST", "/pet", { json: { ...pet, ...change } });
    expect(outcome(refused)).toEqual(refusal(409, "Duplicate pet", "id"));
    expect(refused.headers.get("allow")).toBeNull();
  }
  const kept = await send3("GET", path);
  expect([kept.json, etagOf(kept)]).toEqual([pet, headers.get("etag")]);
});

const put = async (sent: Sent) => outcome(await send3("PUT", "/pet", sent));

test("PUT /pet checks the form of the body, its id, its members, and whether the pet exists §11.2.3", async () => {
  const none = { id: uniqueId(), name: "Rex", photoUrls: [] };
  expect(await put({ json: [none] })).toEqual(refusal(400, "Invalid ID supplied", "body"));
  for (const id of [undefined, null, 0, -1, "1", 1.5, 2 ** 53, []]) {
    const json = { ...none, id, name: "" };
    expect(await put({ json })).toEqual(refusal(400, "Invalid ID supplied", "id"));
  }
  expect(await put({ json: { ...none, name: "" } })).toEqual(
    refusal(422, "Validation exception", "name"),
  );
  expect(await put({ json: none })).toEqual(refusal(404, "Pet not found"));
});

describe("POST /pet/{petId}", () => {
  const whole = { category: dogs, tags: ["a"], photoUrls: "a.png", status: "available" };
  const shownAs = { photoUrls: ["a.png"], tags: [{ name: "a" }] };

  test.each([
    ["name=Max%20%26%20M%C3%B6bius+%F0%9F%90%95", { name: "Max & Möbius 🐕" }],
    ["status=pending&name=Rex", { status: "pending" }],
    ["status=sold&unknown=1&id=7", { status: "sold" }],
  ])("sets what ?%s names and returns the pet §11.4.1", async (query, change) => {
    const { path, shown, etag } = await createPet(whole);
    const answer = await send3("POST", `${path}?${query}`);
    expect(outcome(answer)).toEqual(success({ ...shown, ...shownAs, ...change }));
    expect(etagOf(answer)).not.toBe(etag);
    expect(etagOf(await send3("GET", path))).toBe(etagOf(answer));
    expect((await send("GET", path)).json).toEqual({ ...shown, ...change });
  });

  test.each([
    ["", "query"],
    ["?", "query"],
    ["?unknown=1", "query"],
    ["?name=", "name"],
    ["?status=", "status"],
    ["?status=lost", "status"],
    ["?status=sold,pending", "status"],
    ["?status=sold&status=sold", "status"],
    ["?name=a&name=b&status=sold", "name"],
    ["?name=Max&status=lost", "status"],
    ["?name=&status=lost", "name", "status"],
    ["?name=%00", "name"],
    ["?name=%ZZ", "query"],
    ["?name=%FF", "query"],
    [`?name=${"x".repeat(4097)}`, "name"],
    [`?name=a${"&a".repeat(1000)}`, "query"],
  ])("%s is 400 and changes nothing §11.4.1", async (query, ...paths) => {
    const { path, shown, etag } = await createPet(whole);
    const refused = await send3("POST", path + query);
    expect(outcome(refused)).toEqual(refusal(400, "Invalid input", ...paths));
    const kept = await send("GET", path);
    expect([kept.json, etagOf(kept)]).toEqual([shown, etag]);
  });

  test("has no body: a form in it sets nothing §11.4.1", async () => {
    const { path, shown } = await createPet();
    const body = new URLSearchParams({ name: "Max" });
    expect((await send3("POST", path, { body })).status).toBe(400);
    expect((await send3("POST", `${path}?status=sold`, { body })).json).toMatchObject({
      name: shown.name,
      status: "sold",
    });
  });

  test("makes no pet larger than 48 KiB §11.4.1", async () => {
    const { path, shown } = await createPet({
      photoUrls: Array<string>(12).fill("x".repeat(4000)),
    });
    const name = '"'.repeat(48 * 1024 - JSON.stringify({ ...shown, name: "" }).length);
    const refused = await send3("POST", `${path}?${new URLSearchParams({ name }).toString()}`);
    expect(outcome(refused)).toEqual(refusal(400, "Invalid input", "name"));
    expect((await send3("GET", path)).json).toEqual(shown);
  });

  test("of the same key returns the pet as it is now, and 404 once it is gone §11.4.2", async () => {
    const { path } = await createPet3();
    const rename = async () => send3("POST", `${path}?name=Max`, withKey(path, {}));
    expect((await rename()).json).toMatchObject({ name: "Max" });
    const later = await send3("POST", `${path}?name=Later&status=sold`);
    const repeated = await rename();
    expect([repeated.json, etagOf(repeated)]).toEqual([later.json, etagOf(later)]);
    expect((await send3("POST", `${path}?name=Moritz`, withKey(path, {}))).status).toBe(422);
    await send3("DELETE", path);
    expect(outcome(await rename())).toEqual(refusal(404, "Pet not found"));
  });
});

describe("a list", () => {
  const CASES = [
    ["status", (tag: string) => `/pet/findByStatus?status=sold&tag=${tag}`],
    ["tags", (tag: string) => `/pet/findByTags?tags=${tag}`],
  ] as const;

  test.each(CASES)(
    "by %s is streamed, and paged by Links to itself §11.1.2 §11.3.2",
    async (_, listOf) => {
      const tag = uniqueName("tag");
      await database.exec("DELETE FROM pets");
      const ids = await storePets(2100, { tags: `json_array('${tag}')`, status: "'sold'" });
      const expected = ids.map((id) => ({
        id,
        name: "Pet",
        photoUrls: ["a.png"],
        tags: [{ name: tag }],
        status: "sold",
      }));
      const list = listOf(tag);
      const whole = await send3("GET", list);
      expect(whole.headers.get("link")).toBeNull();
      expect(whole.json).toEqual(expected);
      const paged: unknown[] = [];
      let next: string | undefined = `${list}&limit=1000`;
      while (next !== undefined) {
        const { json, headers }: Answer = await send3("GET", next);
        paged.push(...(json as unknown[]));
        const link = headers.get("link");
        const [, target = ""] = /^<(.+)>; rel="next"$/.exec(link ?? "") ?? [];
        expect(link === null || target.startsWith(`${basePath3()}/pet/`)).toBe(true);
        next = link === null ? undefined : target.slice(basePath3().length);
      }
      expect(paged).toEqual(expected);
    },
  );

  test("by status is of the available pets, where nobody says which §11.4.4", async () => {
    await database.exec("DELETE FROM pets");
    const { id } = await createPet({ status: "available" });
    await createPet({ status: "sold" });
    await createPet();
    for (const query of ["", "?", "?limit=5", "?status=available"]) {
      expect(idsOf((await send3("GET", `/pet/findByStatus${query}`)).json)).toEqual([id]);
    }
    for (const query of ["status=", "status=,", "status=lost", "status=sold,&status=", "Status"]) {
      const { status, json } = await send3("GET", `/pet/findByStatus?${query}`);
      expect([status, (json as { message?: string }).message]).toEqual(
        query === "Status" ? [200, undefined] : [400, "Invalid status value"],
      );
    }
    expect(outcome(await send3("GET", "/pet/findByTags"))).toEqual(
      refusal(400, "Invalid tag value", "tags"),
    );
  });
});

const bytes = (type: string | undefined, body: BodyInit = PNG): Sent => ({
  body,
  headers: type === undefined ? {} : { "Content-Type": type },
});

const upload = async (path: string, query = "", sent = bytes("image/png")) =>
  send3("POST", `${path}/uploadImage${query}`, sent);

const urlsOf = async (path: string) => ((await send3("GET", path)).json as ListedPet).photoUrls;

/** A sandbox has room for 100 images. */
const makeRoom = async () => isSandbox && database.exec("DELETE FROM pet_images");

describe("POST /pet/{petId}/uploadImage", () => {
  test.each(["application/octet-stream", "image/png", "image/jpeg", "Image/X-Any; a=b", undefined])(
    "takes an image of the type %s, whose URL is below /v2 §11.1.1 §11.4.3",
    async (type) => {
      await makeRoom();
      for (const photoUrls of ["a.png", ["a.png"]]) {
        const { path } = await createPet({ photoUrls });
        const query = "?additionalMetadata=at%20the%20lake";
        const uploaded = "additionalMetadata: at the lake\nFile uploaded to ./file, 70 bytes";
        expect(outcome(await upload(path, query, bytes(type)))).toEqual(done(uploaded));
        const [first, url = ""] = await urlsOf(path);
        expect(first).toBe("a.png");
        expect(url.startsWith(`${basePath}${path}/images/`)).toBe(true);
        const image = await send("GET", url.slice(basePath.length));
        expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/png"]);
        const stored = ((await send("GET", path)).json as { photoUrls: unknown }).photoUrls;
        expect(stored).toEqual(photoUrls === "a.png" ? `a.png,${url}` : ["a.png", url]);
      }
    },
  );

  test.each([
    "text/plain",
    "text/html; charset=utf-8",
    "application/pdf",
    "application/x-ndjson",
    "application/xmlish",
    "application/octet-streams",
    undefined,
  ])("takes a file of the type %s, which is a download below /v2 §11.4.3", async (type) => {
    await makeRoom();
    const { path } = await createPet3();
    const body = new TextEncoder().encode("<script>alert(1)</script>");
    expect((await upload(path, "", bytes(type, body))).status).toBe(200);
    const url = (await urlsOf(path)).at(-1) ?? "";
    const { text, headers } = await send("GET", url.slice(basePath.length));
    expect(text).toBe("<script>alert(1)</script>");
    expect(headers.get("content-type")).toBe("application/octet-stream");
    expect(headers.get("content-disposition")).toBe("attachment");
  });

  test("needs no metadata, and takes any one text §11.4.3", async () => {
    const { path } = await createPet3();
    const said = async (query: string) => {
      const { status, json } = await upload(path, query);
      const { message, errors } = json as { message: string; errors?: { path: string }[] };
      return [status, errors?.map((error) => error.path) ?? message];
    };
    const uploaded = "File uploaded to ./file, 70 bytes";
    expect(await said("")).toEqual([200, uploaded]);
    expect(await said("?additionalMetadata=")).toEqual([200, `additionalMetadata: \n${uploaded}`]);
    const none = [400, ["additionalMetadata"]];
    expect(await said("?additionalMetadata=a&additionalMetadata=b")).toEqual(none);
    expect(await said("?additionalMetadata=%00")).toEqual(none);
    expect(await said(`?additionalMetadata=${"x".repeat(4097)}`)).toEqual(none);
  });

  const ACCEPTED = "application/octet-stream, image/*";

  test.each<[string, Sent, readonly [number, string, ...string[]]]>([
    ["nothing", {}, [400, "No file uploaded", "file"]],
    ["an empty image", bytes("image/png", ""), [400, "No file uploaded", "file"]],
    [
      "a form, as at /v2",
      { body: new FormData() },
      [415, "Unsupported media type", "Content-Type"],
    ],
    ...[
      "multipart/mixed; boundary=x",
      "application/x-www-form-urlencoded",
      "Application/JSON; charset=utf-8",
      "text/json",
      "application/problem+json",
      "application/xml",
      "text/xml ; charset=utf-8",
    ].map((type): [string, Sent, [number, string, string]] => [
      type,
      bytes(type),
      [415, "Unsupported media type", "Content-Type"],
    ]),
    [
      "more than 5 MiB",
      bytes("image/png", new Uint8Array(MAX_IMAGE_BYTES + 1)),
      [413, "Content too large"],
    ],
  ])("refuses %s §11.4.3", async (_, sent, refused) => {
    const { path } = await createPet3();
    const answer = await upload(path, "", sent);
    expect(outcome(answer)).toEqual(refusal(...refused));
    expect(answer.headers.get("accept")).toBe(answer.status === 415 ? ACCEPTED : null);
    expect(await urlsOf(path)).toEqual(["rex.png"]);
  });

  test("takes 5 MiB, for a pet that exists §11.4.3", async () => {
    const image = new Uint8Array(MAX_IMAGE_BYTES);
    image.set(PNG);
    const { path } = await createPet3();
    expect((await upload(path, "", bytes(undefined, image))).status).toBe(200);
    expect(outcome(await upload(`/pet/${uniqueId()}`))).toEqual(refusal(404, "Pet not found"));
  });

  test("with a key and other metadata is another request §11.0", async () => {
    const { path } = await createPet3();
    const sent = withKey(path, bytes("image/png"));
    const statuses = [];
    for (const said of "aab") {
      statuses.push((await upload(path, `?additionalMetadata=${said}`, sent)).status);
    }
    expect(statuses).toEqual([200, 200, 422]);
  });
});
