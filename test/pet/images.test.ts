import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { MAX_IMAGE_BYTES } from "../../src/pet/contract.ts";
import type { Pet } from "../../src/pet/contract.ts";
import { fetchBytes } from "../bytes.ts";
import { send } from "../client.ts";
import type { Answer, Sent } from "../client.ts";
import {
  UNAVAILABLE,
  captureFaults,
  clientWith,
  createPet,
  done,
  etagOf,
  outcome,
  refusal,
  success,
  uniqueId,
} from "../fixtures.ts";
import { PNG, imageForm } from "../images.ts";
import { Calls, databaseThrough, r2Through } from "../bindings.ts";
import { basePath, database, images, isSandbox } from "../engine.ts";

const bytesOf = (...parts: (string | number[])[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    parts.flatMap((part) =>
      typeof part === "string" ? [...new TextEncoder().encode(part)] : part,
    ),
  );

const IMAGES = [
  { type: "image/png", extension: "png", bytes: PNG },
  {
    type: "image/jpeg",
    extension: "jpg",
    bytes: bytesOf([0xff, 0xd8, 0xff, 0xe0, 0, 16], "JFIF", [0, 1, 1, 0, 0, 1, 0, 1, 0, 0]),
  },
  { type: "image/jpeg", extension: "jpg", bytes: bytesOf([0xff, 0xd8, 0xff, 0xe1], "Exif") },
  { type: "image/gif", extension: "gif", bytes: bytesOf("GIF87a", [1, 0, 1, 0, 0, 0, 0]) },
  { type: "image/gif", extension: "gif", bytes: bytesOf("GIF89a", [1, 0, 1, 0, 0, 0, 0]) },
  {
    type: "image/webp",
    extension: "webp",
    bytes: bytesOf("RIFF", [0x1a, 0, 0, 0], "WEBPVP8L", [0x0d, 0, 0, 0]),
  },
] as const;

const NO_IMAGES: readonly (readonly [string, Uint8Array<ArrayBuffer>])[] = [
  ["an empty file", bytesOf()],
  ["text", bytesOf("hello")],
  ["HTML", bytesOf("<!doctype html><script>alert(1)</script>")],
  ["SVG", bytesOf('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ["BMP", bytesOf("BM", [70, 0, 0, 0, 0, 0, 0, 0])],
  ["TIFF", bytesOf("II*", [0, 8, 0, 0, 0])],
  ["PDF", bytesOf("%PDF-1.7")],
  ["AVIF", bytesOf([0, 0, 0, 28], "ftypavif")],
  ["a WAV file, which is RIFF too", bytesOf("RIFF", [4, 0, 0, 0], "WAVEfmt ")],
  ["a PNG that is cut within its signature", PNG.slice(0, 7)],
  ["an image that does not begin at the first byte", bytesOf("\n", [...PNG])],
];

interface Uploaded {
  readonly petId: number;
  /** Below the base path. */
  readonly path: string;
  readonly url: string;
}

const fileOf = (bytes: Uint8Array<ArrayBuffer>, name = "rex.png", type = "image/png"): File =>
  new File([bytes], name, { type });

async function upload(petId: number | string, body: FormData, client = send): Promise<Answer> {
  return client("POST", `/pet/${petId}/uploadImage`, { body });
}

async function photoUrlsOf(petId: number): Promise<Pet["photoUrls"]> {
  return ((await send("GET", `/pet/${petId}`)).json as Pet).photoUrls;
}

/** Uploads an image for a new pet, or for the one given. */
async function uploadImage(bytes: Uint8Array<ArrayBuffer>, given?: number): Promise<Uploaded> {
  const petId = given ?? (await createPet({ photoUrls: [] })).id;
  expect((await upload(petId, imageForm(fileOf(bytes)))).status).toBe(200);
  const url = [await photoUrlsOf(petId)].flat().at(-1)?.split(",").at(-1) ?? "";
  return { petId, url, path: url.replace(basePath, "") };
}

async function storedImages(petId: number): Promise<string[]> {
  const { objects } = await images.list({ prefix: `${petId}/` });
  return objects.map(({ key }) => key);
}

/** A form without a file. */
function textOnly(name: string): Sent {
  const body = new FormData();
  body.set(name, "rex.png");
  return { body };
}

/** Bytes that tell where they are, behind the signature of a PNG. */
const NUMBERED = bytesOf(
  Array.from(PNG.slice(0, 8)),
  Array.from({ length: 92 }, (_, index) => index + 8),
);

// A store of one's own has room for 100 images.
beforeEach(async () => {
  if (isSandbox) await database.exec("DELETE FROM pet_images");
});

describe("uploading an image", () => {
  test.each(IMAGES)(
    "takes $type by its content §3.12.1 §V5.2",
    async ({ type, extension, bytes }) => {
      const { petId, path, url } = await uploadImage(bytes);
      expect(url).toMatch(
        new RegExp(`^${basePath}/pet/${petId}/images/[0-9a-f-]{36}\\.${extension}$`),
      );
      const image = await fetchBytes("GET", path);
      expect(image.status).toBe(200);
      expect(image.headers.get("content-type")).toBe(type);
      expect(image.bytes).toEqual(bytes);
    },
  );

  test.each([
    ["rex.txt", "text/plain"],
    ["rex", ""],
    ["rex.html", "text/html"],
    ["rex.jpg", "image/jpeg"],
    ["rex.svg", "image/svg+xml"],
    ["../../rex.png", "application/octet-stream"],
  ])("goes by the content, not by the name %j and the type %j §3.12.1", async (name, type) => {
    const { id } = await createPet({ photoUrls: [] });
    expect((await upload(id, imageForm(fileOf(PNG, name, type)))).status).toBe(200);
    const [url = ""] = await photoUrlsOf(id);
    expect(url).toMatch(new RegExp(`^${basePath}/pet/\\d+/images/[0-9a-f-]{36}\\.png$`));
    const image = await fetchBytes("GET", url.replace(basePath, ""));
    expect(image.headers.get("content-type")).toBe("image/png");
  });

  test.each(NO_IMAGES)("refuses %s, whatever it is called §3.12.1 §V5.2", async (_, bytes) => {
    const { id, path, shown } = await createPet();
    const answer = await upload(id, imageForm(fileOf(bytes)));
    expect(outcome(answer)).toEqual(refusal(415, "Unsupported media type", "file"));
    expect(answer.text).toContain("must be a PNG, JPEG, GIF or WebP image");
    expect(answer.headers.get("accept")).toBe("multipart/form-data");
    expect((await send("GET", path)).json).toEqual(shown);
    expect(await storedImages(id)).toEqual([]);
  });

  test("takes 5 MiB §3.12.2 §V5.2", async () => {
    const bytes = new Uint8Array(MAX_IMAGE_BYTES);
    bytes.set(PNG);
    const { path } = await uploadImage(bytes);
    const image = await fetchBytes("GET", path);
    expect(image.bytes).toHaveLength(5 * 1024 * 1024);
  });

  test.each([1, 64 * 1024, 3 * 1024 * 1024])(
    "refuses 5 MiB and %i bytes, and stores nothing §3.12.2 §API4 §V5.2",
    async (more) => {
      const { id, path, shown } = await createPet();
      const bytes = new Uint8Array(MAX_IMAGE_BYTES + more);
      bytes.set(PNG);
      const answer = await upload(id, imageForm(fileOf(bytes)));
      expect(outcome(answer)).toEqual(refusal(413, "Content too large"));
      expect((await send("GET", path)).json).toEqual(shown);
      expect(await storedImages(id)).toEqual([]);
    },
  );

  test("appends the URL to an array, as another item §3.12.3", async () => {
    const { id } = await createPet({ photoUrls: ["rex.png", "https://pets.example/a,b.png"] });
    const first = await uploadImage(PNG, id);
    const second = await uploadImage(PNG, id);
    expect(await photoUrlsOf(id)).toEqual([
      "rex.png",
      "https://pets.example/a,b.png",
      first.url,
      second.url,
    ]);
    expect(first.url).not.toBe(second.url);
  });

  test("appends the URL to a string, behind a comma §3.12.3", async () => {
    const { id } = await createPet({ photoUrls: 'rex.png?a="b"&c=\\,https://pets.example/ü.png' });
    const first = await uploadImage(PNG, id);
    const second = await uploadImage(PNG, id);
    expect(await photoUrlsOf(id)).toBe(
      `rex.png?a="b"&c=\\,https://pets.example/ü.png,${first.url},${second.url}`,
    );
  });

  test("keeps every other member, and gives the pet another ETag §3.12.3", async () => {
    const { id, path, shown, etag } = await createPet({
      category: { id: 1, name: "Dogs" },
      tags: ["old"],
      status: "sold",
      photoUrls: [],
    });
    const { url } = await uploadImage(PNG, id);
    const pet = await send("GET", path);
    expect(pet.json).toEqual({ ...shown, photoUrls: [url] });
    expect(etagOf(pet)).not.toBe(etag);
  });

  test.each<[string, Pet["photoUrls"]]>([
    ["an array", ["rex.png"]],
    ["a string", "rex.png"],
  ])("leaves %s that a PUT takes again", async (_, photoUrls) => {
    const { id, path } = await createPet({ photoUrls });
    await uploadImage(PNG, id);
    const { json } = await send("GET", path);
    expect(outcome(await send("PUT", "/pet", { json }))).toEqual(success(json));
    expect(outcome(await send("GET", path))).toEqual(success(json));
  });

  test.each<[string | undefined, string]>([
    [undefined, ""],
    ["at the lake", "additionalMetadata: at the lake\n"],
    ["größer & schöner 🐕", "additionalMetadata: größer & schöner 🐕\n"],
  ])("with the metadata %j names it, the file and its size §2.8", async (metadata, said) => {
    const { id } = await createPet();
    const answer = await upload(id, imageForm(fileOf(PNG, "rex at home.png"), metadata));
    expect(outcome(answer)).toEqual(
      done(`${said}File uploaded to ./rex at home.png, ${PNG.length} bytes`),
    );
  });

  test("ignores fields that it does not know", async () => {
    const { id } = await createPet();
    const form = imageForm(fileOf(PNG));
    form.set("petId", "1");
    expect((await upload(id, form)).status).toBe(200);
    expect(await storedImages(id)).toHaveLength(1);
  });

  test("takes as many characters as a string of photoUrls may have, and leaves nothing behind beyond", async () => {
    const urlLength = `,${basePath}/pet/${uniqueId()}/images/${crypto.randomUUID()}.png`.length;
    const exact = "🐕".repeat(4096 - urlLength);
    const { id, path } = await createPet({ id: uniqueId(), photoUrls: exact });
    const { url } = await uploadImage(PNG, id);
    expect(await photoUrlsOf(id)).toBe(`${exact},${url}`);
    const longer = await createPet({ id: uniqueId(), photoUrls: `${exact}x` });
    for (const [full, stored] of [
      [{ id, path }, 1],
      [longer, 0],
    ] as const) {
      const { json } = await send("GET", full.path);
      const answer = await upload(full.id, imageForm(fileOf(PNG)));
      expect(outcome(answer)).toEqual(refusal(400, "Invalid image supplied", "photoUrls"));
      expect((await send("GET", full.path)).json).toEqual(json);
      expect(await storedImages(full.id)).toHaveLength(stored);
    }
  });

  test("for a pet that does not exist is answered 404 and leaves nothing behind §3.12.5", async () => {
    const { id, path } = await createPet();
    await send("DELETE", path);
    expect(outcome(await upload(id, imageForm(fileOf(PNG))))).toEqual(
      refusal(404, "Pet not found"),
    );
    expect(await storedImages(id)).toEqual([]);
  });

  test.each(["rex", "007", "1.5"])("for the id %s is refused", async (id) => {
    expect(outcome(await upload(id, imageForm(fileOf(PNG))))).toEqual(
      refusal(400, "Invalid image supplied", "petId"),
    );
  });

  const empty = { headers: { "Content-Type": "multipart/form-data; boundary=x" } };

  test.each<[string, Sent, string]>([
    ["no file", textOnly("additionalMetadata"), "file"],
    ["a text for a file", textOnly("file"), "file"],
    ["no body", empty, "file"],
    ["a body that is no form", { ...empty, body: "rex" }, "body"],
    [
      "metadata that is too long",
      { body: imageForm(fileOf(PNG), "x".repeat(4097)) },
      "additionalMetadata",
    ],
  ])("with %s is refused §3.12.5", async (_, sent, at) => {
    const { id, path } = await createPet();
    expect(outcome(await send("POST", `${path}/uploadImage`, sent))).toEqual(
      refusal(400, "Invalid image supplied", at),
    );
    expect(await storedImages(id)).toEqual([]);
  });

  test.each(["application/json", "image/png", "application/x-www-form-urlencoded"])(
    "in a body of the type %s is answered 415 §2.1.2 §3.12.1",
    async (type) => {
      const { id } = await createPet();
      const headers = { "Content-Type": type };
      const answer = await send("POST", `/pet/${id}/uploadImage`, { body: PNG, headers });
      expect(outcome(answer)).toEqual(refusal(415, "Unsupported media type"));
      expect(answer.headers.get("accept")).toBe("multipart/form-data");
    },
  );
});

test.each<[string, object]>([
  ["an array of 100 photoUrls", { photoUrls: Array<string>(100).fill("a.png") }],
  ["a pet of 48 KiB", { photoUrls: Array<string>(12).fill("x".repeat(4085)) }],
  [
    "a pet of 48 KiB by its name",
    { photoUrls: Array<string>(11).fill("x".repeat(4096)), name: '"'.repeat(1990) },
  ],
  [
    "a pet of 48 KiB by its tags",
    { photoUrls: "a.png", tags: Array<string>(12).fill("x".repeat(4085)) },
  ],
])("%s has no room for the URL of another image §3.12.4", async (_, members) => {
  const { id, path, shown } = await createPet(members);
  expect((await upload(id, imageForm(fileOf(PNG)))).json).toMatchObject({
    code: 400,
    errors: [{ path: "photoUrls" }],
  });
  expect((await send("GET", path)).json).toEqual(shown);
  expect((await images.list({ prefix: `${id}/` })).objects).toEqual([]);
});

test("a pet has room for 100 images, those included whose URLs it has no more §3.12.4", async () => {
  const { id, shown } = await createPet({ photoUrls: [] });
  const emptied = { json: { ...shown, photoUrls: [] } };
  for (let count = 1; count <= 99; count++) {
    expect((await upload(id, imageForm(fileOf(PNG)))).status).toBe(200);
  }
  expect((await send("PUT", "/pet", emptied)).status).toBe(200);
  expect((await upload(id, imageForm(fileOf(PNG)))).status).toBe(200);
  expect((await upload(id, imageForm(fileOf(PNG)))).json).toMatchObject({
    code: 400,
    errors: [{ path: "photoUrls" }],
  });
  expect((await images.list({ prefix: `${id}/` })).objects).toHaveLength(100);
});

describe("getting an image", () => {
  test("gives its bytes, its type, an ETag and nothing that a page would run §3.13.1 §V5.4", async () => {
    const { path } = await uploadImage(PNG);
    const { status, bytes, headers } = await fetchBytes("GET", path);
    expect(status).toBe(200);
    expect(bytes).toEqual(PNG);
    expect(headers.get("content-type")).toBe("image/png");
    expect(headers.get("etag")).toMatch(/^"[^"]+"$/);
    expect(headers.get("accept-ranges")).toBe("bytes");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });

  test("HEAD gives the headers of GET and no body §3.13.1", async () => {
    const { path } = await uploadImage(PNG);
    const get = await fetchBytes("GET", path);
    const head = await fetchBytes("HEAD", path);
    expect(head.status).toBe(200);
    expect(head.bytes).toHaveLength(0);
    for (const name of ["content-type", "etag", "accept-ranges", "x-content-type-options"]) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
  });

  test.each<[string, number, number]>([
    ["bytes=0-0", 0, 0],
    ["bytes=0-7", 0, 7],
    ["bytes=10-19", 10, 19],
    ["bytes=90-", 90, 99],
    ["bytes=0-", 0, 99],
    ["bytes=99-99", 99, 99],
    ["bytes=95-1000", 95, 99],
    ["bytes=-1", 99, 99],
    ["bytes=-10", 90, 99],
    ["bytes=-100", 0, 99],
    ["bytes=-1000", 0, 99],
  ])("the range %s gives the bytes from %i to %i §3.13.2", async (range, first, last) => {
    const { path } = await uploadImage(NUMBERED);
    const part = await fetchBytes("GET", path, { headers: { Range: range } });
    expect(part.status).toBe(206);
    expect(part.bytes).toEqual(NUMBERED.slice(first, last + 1));
    expect(part.headers.get("content-range")).toBe(`bytes ${first}-${last}/100`);
    expect(part.headers.get("content-type")).toBe("image/png");
    expect(part.headers.get("etag")).toBe(etagOf(await fetchBytes("GET", path)));
  });

  test.each(["bytes=100-", "bytes=100-200", "bytes=1000000000000-", "bytes=-0"])(
    "the range %s is outside of the image §3.13.2",
    async (range) => {
      const { path } = await uploadImage(NUMBERED);
      const answer = await fetchBytes("GET", path, { headers: { Range: range } });
      expect(outcome(answer)).toEqual(refusal(416, "Range not satisfiable"));
      expect(answer.headers.get("content-range")).toBe("bytes */100");
    },
  );

  test.each([
    "bytes=0-0,2-3",
    "bytes=0-0, -1",
    "bytes=5-2",
    "bytes=",
    "bytes=-",
    "bytes=a-b",
    "bytes 0-1",
    "items=0-1",
    "0-1",
  ])("the range %s is ignored §3.13.2", async (range) => {
    const { path } = await uploadImage(NUMBERED);
    const image = await fetchBytes("GET", path, { headers: { Range: range } });
    expect(image.status).toBe(200);
    expect(image.bytes).toEqual(NUMBERED);
    expect(image.headers.has("content-range")).toBe(false);
  });

  test("a range is for GET only: HEAD ignores it", async () => {
    const { path } = await uploadImage(NUMBERED);
    const head = await fetchBytes("HEAD", path, { headers: { Range: "bytes=0-1" } });
    expect(head.status).toBe(200);
    expect(head.headers.has("content-range")).toBe(false);
  });

  test("a name that no store could have is not found §V5.4", async () => {
    const { petId } = await uploadImage(PNG);
    for (const name of ["x".repeat(1100), encodeURIComponent("🐕".repeat(300))]) {
      expect((await fetchBytes("GET", `/pet/${petId}/images/${name}`)).status).toBe(404);
    }
  });

  test("a range under If-Range gets the whole image", async () => {
    const { path } = await uploadImage(NUMBERED);
    const etag = etagOf(await fetchBytes("GET", path));
    for (const condition of [etag, '"another"', "Sat, 21 Nov 2026 10:00:00 GMT"]) {
      const headers = { Range: "bytes=0-9", "If-Range": condition };
      const image = await fetchBytes("GET", path, { headers });
      expect(image.status).toBe(200);
      expect(image.bytes).toEqual(NUMBERED);
    }
  });

  test.each<[string, Record<string, string>, number]>([
    ["If-Match before If-None-Match", { "If-Match": '"a"', "If-None-Match": "*" }, 412],
    ["If-Match before Range", { "If-Match": '"a"', Range: "bytes=1000-" }, 412],
    ["If-Match that holds, then If-None-Match", { "If-Match": "*", "If-None-Match": "*" }, 304],
    ["If-None-Match before Range", { "If-None-Match": "*", Range: "bytes=1000-" }, 304],
    ["If-None-Match that holds, then Range", { "If-None-Match": '"a"', Range: "bytes=0-9" }, 206],
    ["If-None-Match that holds, then Range", { "If-None-Match": '"a"', Range: "bytes=100-" }, 416],
  ])("looks at conditions in order: %s §3.13.3", async (_, headers, status) => {
    const { path } = await uploadImage(NUMBERED);
    expect((await fetchBytes("GET", path, { headers })).status).toBe(status);
  });

  test.each<[Record<string, string>, number, number]>([
    [{}, 200, 1],
    [{ "If-None-Match": "*" }, 304, 1],
    [{ "If-None-Match": '"a"' }, 200, 2],
    [{ "If-Match": '"a"' }, 412, 1],
    [{ Range: "bytes=10-19" }, 206, 2],
    [{ Range: "bytes=0-99999999999999999999" }, 206, 2],
    [{ Range: "bytes=0-0,2-3" }, 200, 2],
    [{ Range: "bytes=100-200" }, 416, 1],
    [{ Range: "bytes=99999999999999999999-" }, 416, 1],
  ])("with the headers %j is %i after %i calls to R2 §3.13.4", async (headers, status, calls) => {
    const { path } = await uploadImage(NUMBERED);
    const toR2 = new Calls();
    const answer = await clientWith({ IMAGES: r2Through(toR2) })("GET", path, { headers });
    expect(answer.status).toBe(status);
    expect(toR2.count).toBe(calls);
  });

  test("is by its pet and its name, each exact", async () => {
    const { petId, path } = await uploadImage(PNG);
    const other = await createPet();
    const name = path.split("/").at(-1) ?? "";
    for (const missing of [
      `/pet/${petId}/images/${crypto.randomUUID()}.png`,
      `/pet/${petId}/images/${name.toUpperCase()}`,
      `/pet/${petId}/images/${name.replace(".png", "")}`,
      `/pet/${other.id}/images/${name}`,
      `/pet/${other.id}/images/..%2F${petId}%2F${name}`,
      `/pet/-1/images/${name}`,
      `/pet/9223372036854775808/images/${name}`,
    ]) {
      expect(outcome(await fetchBytes("GET", missing))).toEqual(refusal(404, "Image not found"));
    }
  });
});

describe("deleting a pet", () => {
  test("deletes its images, and no others §3.7.3", async () => {
    const { petId, path } = await uploadImage(PNG);
    const { path: second } = await uploadImage(PNG, petId);
    // Its key begins like those of the deleted pet.
    const { id: neighbour } = await createPet({ id: petId * 10 + 1, photoUrls: [] });
    const { path: kept } = await uploadImage(PNG, neighbour);
    expect(await storedImages(petId)).toHaveLength(2);

    expect((await send("DELETE", `/pet/${petId}`)).status).toBe(200);

    expect(await storedImages(petId)).toEqual([]);
    for (const gone of [path, second]) {
      expect(outcome(await fetchBytes("GET", gone))).toEqual(refusal(404, "Image not found"));
    }
    expect((await fetchBytes("GET", kept)).status).toBe(200);
  });

  test("deletes images that its photoUrls no longer have §3.7.3", async () => {
    const { petId } = await uploadImage(PNG);
    await send("PUT", "/pet", { json: { id: petId, name: "Rex", photoUrls: [] } });
    await send("DELETE", `/pet/${petId}`);
    expect(await storedImages(petId)).toEqual([]);
  });

  test("that If-Match keeps from being deleted keeps its images", async () => {
    const { petId, path } = await uploadImage(PNG);
    const headers = { "If-Match": '"another"' };
    expect((await send("DELETE", `/pet/${petId}`, { headers })).status).toBe(412);
    expect((await fetchBytes("GET", path)).status).toBe(200);
  });
});

describe("a fault", () => {
  const faulty = { message: "D1_ERROR: Network connection lost." };

  test("of D1 before the URL is stored is answered 503, and the pet is as it was", async () => {
    captureFaults();
    const { id, path, shown } = await createPet({ photoUrls: [] });
    const client = clientWith(databaseThrough(new Calls(() => ({ when: "before", ...faulty }))));
    const answer = await upload(id, imageForm(fileOf(PNG)), client);
    expect(outcome(answer)).toEqual(UNAVAILABLE);
    expect(answer.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    expect((await send("GET", path)).json).toEqual(shown);
  });

  test("of D1 after the URL was stored does not show, and the URL is stored once", async () => {
    const { id } = await createPet({ photoUrls: [] });
    const calls = new Calls((call) => (call === 1 ? { when: "after", ...faulty } : undefined));
    const client = clientWith({ ...databaseThrough(calls) });
    expect((await upload(id, imageForm(fileOf(PNG)), client)).status).toBe(200);
    expect(await photoUrlsOf(id)).toHaveLength(1);
    expect(await storedImages(id)).toHaveLength(1);
  });

  test("of D1 that lasts after the URL was stored is answered 503, and the URL leads to the image", async () => {
    captureFaults();
    const { id } = await createPet({ photoUrls: [] });
    const calls = new Calls((call) => (call > 0 ? { when: "after", ...faulty } : undefined));
    const answer = await upload(id, imageForm(fileOf(PNG)), clientWith(databaseThrough(calls)));
    expect(outcome(answer)).toEqual(UNAVAILABLE);
    const [url = "", ...more] = await photoUrlsOf(id);
    expect(more).toEqual([]);
    expect((await fetchBytes("GET", url.replace(basePath, ""))).bytes).toEqual(PNG);
  });

  test("of R2 is answered 503, and the pet is as it was", async () => {
    captureFaults();
    const { id, path, shown } = await createPet();
    const failing = new Proxy(env.IMAGES, {
      get: () => async () => {
        throw new Error("put: We encountered an internal error. Please try again. (10001)");
      },
    });
    const client = clientWith({ IMAGES: failing });
    expect(outcome(await upload(id, imageForm(fileOf(PNG)), client))).toEqual(UNAVAILABLE);
    expect((await send("GET", path)).json).toEqual(shown);
    const name = `${crypto.randomUUID()}.png`;
    expect(outcome(await client("GET", `/pet/${id}/images/${name}`))).toEqual(UNAVAILABLE);
  });
});
