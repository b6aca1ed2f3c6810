import { beforeEach, describe, expect, test } from "vitest";
import { MAX_IMAGE_BYTES } from "../../src/pet/contract.ts";
import type { Pet } from "../../src/pet/pet.ts";
import { fetchBytes } from "../bytes.ts";
import { send } from "../client.ts";
import type { Answer, Sent } from "../client.ts";
import {
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
import { words } from "../spellings.ts";
import { Calls, databaseThrough, r2Through } from "../bindings.ts";
import { basePath, database, images, isSandbox } from "../engine.ts";

const bytesOf = (...parts: (string | number[])[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    parts.flatMap((part) =>
      typeof part === "string" ? [...new TextEncoder().encode(part)] : part,
    ),
  );

type Called = readonly [name?: string, type?: string];

/** Bytes of each type; some under the name and the type of something else. */
const IMAGES: readonly [type: string, as: string, bytes: Uint8Array<ArrayBuffer>, ...Called][] = [
  ["image/png", "png", PNG],
  ["image/png", "png", PNG, "rex", ""],
  ["image/png", "png", PNG, "rex.html", "text/html"],
  ["image/png", "png", PNG, "../../rex.jpg", "application/octet-stream"],
  ["image/jpeg", "jpg", bytesOf([0xff, 0xd8, 0xff, 0xe0, 0, 16], "JFIF", [0, 1, 1, 0, 0, 1, 0, 1])],
  ["image/jpeg", "jpg", bytesOf([0xff, 0xd8, 0xff, 0xe1], "Exif")],
  ["image/gif", "gif", bytesOf("GIF87a", [1, 0, 1, 0, 0, 0, 0])],
  ["image/gif", "gif", bytesOf("GIF89a", [1, 0, 1, 0, 0, 0, 0])],
  ["image/webp", "webp", bytesOf("RIFF", [0x1a, 0, 0, 0], "WEBPVP8L", [0x0d, 0, 0, 0])],
];

/** Bytes of no image, some as OpenAPI Generator's tests send them, and others as somebody who wants them to run. */
const DOWNLOADS: readonly [string, Uint8Array<ArrayBuffer>, ...Called][] = [
  ["text", bytesOf("hello"), "hello.txt", "text/plain"],
  ["JSON", bytesOf("{}"), "composer.json", "application/json"],
  ["HTML", bytesOf("<!doctype html><script>alert(1)</script>"), "index.html", "text/html"],
  ["HTML that is called an image", bytesOf("<script>alert(1)</script>")],
  [
    "SVG",
    bytesOf('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    "rex.svg",
    "image/svg+xml",
  ],
  ["JavaScript", bytesOf("alert(1)"), "rex.js", "text/javascript"],
  ["CSS", bytesOf("* { display: none }"), "rex.css", "text/css"],
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
async function uploadImage(
  bytes: Uint8Array<ArrayBuffer>,
  given?: number,
  ...called: Called
): Promise<Uploaded> {
  const petId = given ?? (await createPet({ photoUrls: [] })).id;
  expect((await upload(petId, imageForm(fileOf(bytes, ...called)))).status).toBe(200);
  const url = [await photoUrlsOf(petId)].flat().at(-1)?.split(",").at(-1) ?? "";
  return { petId, url, path: url.replace(basePath, "") };
}

/** Fails unless a picture for the pet is refused for its `photoUrls`, and changes and stores nothing. */
async function expectNoRoom(petId: number): Promise<void> {
  const [before, stored] = [await send("GET", `/pet/${petId}`), await storedImages(petId)];
  expect(outcome(await upload(petId, imageForm(fileOf(PNG))))).toEqual(
    refusal(400, "Invalid image supplied", "photoUrls"),
  );
  expect((await send("GET", `/pet/${petId}`)).json).toEqual(before.json);
  expect(await storedImages(petId)).toEqual(stored);
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

// A sandbox has room for 100 images.
beforeEach(async () => {
  if (isSandbox) await database.exec("DELETE FROM pet_images");
});

describe("uploading an image", () => {
  test.each(IMAGES)(
    "takes %s by its content, not by its name and its type: %# §3.12.1 §V5.2",
    async (type, extension, bytes, ...called) => {
      const { petId, path, url } = await uploadImage(bytes, undefined, ...called);
      expect(url).toMatch(
        new RegExp(`^${basePath}/pet/${petId}/images/[0-9a-f-]{36}\\.${extension}$`),
      );
      const image = await fetchBytes("GET", path);
      expect(image.status).toBe(200);
      expect(image.headers.get("content-type")).toBe(type);
      expect(image.bytes).toEqual(bytes);
    },
  );

  test.each(DOWNLOADS)(
    "takes %s, which is only ever a download §3.12.1 §3.13.6 §V5.2 §V5.4",
    async (_, bytes, ...called) => {
      const { petId, path, url } = await uploadImage(bytes, undefined, ...called);
      expect(url).toMatch(new RegExp(`^${basePath}/pet/${petId}/images/[0-9a-f-]{36}$`));
      const whole = await fetchBytes("GET", path);
      const part = await fetchBytes("GET", path, { headers: { Range: "bytes=1-" } });
      expect([whole.bytes, part.bytes]).toEqual([bytes, bytes.slice(1)]);
      const head = await fetchBytes("HEAD", path);
      expect([whole.status, part.status, head.status]).toEqual([200, 206, 200]);
      for (const { headers } of [whole, part, head]) {
        expect(headers.get("content-type")).toBe("application/octet-stream");
        expect(headers.get("content-disposition")).toBe("attachment");
        expect(headers.get("x-content-type-options")).toBe("nosniff");
        expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*; sandbox$/);
      }
      const current = { "If-None-Match": etagOf(whole) };
      const unchanged = await fetchBytes("GET", path, { headers: current });
      expect([unchanged.status, unchanged.headers.get("content-type")]).toEqual([304, null]);
      const outside = await fetchBytes("GET", path, { headers: { Range: "bytes=1000-" } });
      expect(outcome(outside)).toEqual(refusal(416, "Range not satisfiable"));
    },
  );

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

  test.each<[string, Pet["photoUrls"], (one: string, two: string) => Pet["photoUrls"]]>([
    ["an array, as another item", ["a.png", "b,c"], (...urls) => ["a.png", "b,c", ...urls]],
    ["a string, behind a comma", 'a?"b"&c=\\,ü', (one, two) => `a?"b"&c=\\,ü,${one},${two}`],
  ])("appends the URL to %s, which a PUT takes again §3.12.3", async (_, photoUrls, expected) => {
    const { id, path } = await createPet({ photoUrls });
    const [first, second] = [await uploadImage(PNG, id), await uploadImage(PNG, id)];
    expect(first.url).not.toBe(second.url);
    expect(await photoUrlsOf(id)).toEqual(expected(first.url, second.url));
    const { json } = await send("GET", path);
    expect(outcome(await send("PUT", "/pet", { json }))).toEqual(success(json));
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

  test("takes as many characters as a string of photoUrls may have", async () => {
    const urlLength = `,${basePath}/pet/${uniqueId()}/images/${crypto.randomUUID()}.png`.length;
    const exact = "🐕".repeat(4096 - urlLength);
    const { id } = await createPet({ id: uniqueId(), photoUrls: exact });
    const { url } = await uploadImage(PNG, id);
    expect(await photoUrlsOf(id)).toBe(`${exact},${url}`);
    await expectNoRoom(id);
    await expectNoRoom((await createPet({ id: uniqueId(), photoUrls: `${exact}x` })).id);
  });

  test.each<[string, ...Parameters<typeof refusal>]>([
    ["rex", 400, "Invalid image supplied", "petId"],
    ["007", 400, "Invalid image supplied", "petId"],
    ["987654321", 404, "Pet not found"],
  ])("for the id %s is refused §3.12.5", async (id, ...refused) => {
    expect(outcome(await upload(id, imageForm(fileOf(PNG))))).toEqual(refusal(...refused));
  });

  const empty = { headers: { "Content-Type": "multipart/form-data; boundary=x" } };

  test.each<[string, Sent, string]>([
    ["no file", textOnly("additionalMetadata"), "file"],
    ["an empty file", { body: imageForm(fileOf(bytesOf())) }, "file"],
    ["no file chosen in a browser", { body: imageForm(fileOf(bytesOf(), "")) }, "file"],
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
      expect(outcome(answer)).toEqual(refusal(415, "Unsupported media type", "Content-Type"));
      expect(answer.headers.get("accept")).toBe("multipart/form-data");
    },
  );
});

const full = "x".repeat(4085);

test.each<[string, object]>([
  ["an array of 100 photoUrls", { photoUrls: Array(100).fill("a.png") }],
  ["a string of 100 photoUrls", { photoUrls: Array(100).fill("a.png").join(",") }],
  ["a pet of 48 KiB", { photoUrls: Array(12).fill(full) }],
  [
    "a pet of 48 KiB by its name",
    { photoUrls: Array(11).fill("x".repeat(4096)), name: '"'.repeat(1990) },
  ],
  ["a pet of 48 KiB by its tags", { photoUrls: "a.png", tags: Array(12).fill(full) }],
])("%s has no room for the URL of another image §3.12.4", async (_, members) => {
  const { id } = await createPet(members);
  await expectNoRoom(id);
  expect(await storedImages(id)).toEqual([]);
});

test("a pet has room for 100 images, those included whose URLs it has no more §3.12.4", async () => {
  const { id, shown } = await createPet({ photoUrls: [] });
  for (let count = 1; count <= 99; count++) {
    expect((await upload(id, imageForm(fileOf(PNG)))).status).toBe(200);
  }
  expect((await send("PUT", "/pet", { json: { ...shown, photoUrls: [] } })).status).toBe(200);
  await uploadImage(PNG, id);
  await expectNoRoom(id);
  expect(await storedImages(id)).toHaveLength(100);
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
    expect(headers.get("content-disposition")).toBeNull();
    expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*; sandbox$/);
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });

  test.each<[string, number, number]>([
    ["bytes=0-0", 0, 0],
    ["bytes=10-19", 10, 19],
    ["bytes=90-", 90, 99],
    ["bytes=99-99", 99, 99],
    ["bytes=95-1000", 95, 99],
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
    ...words("bytes=0-0,2-3 bytes=5-2 bytes= bytes=- bytes=a-b items=0-1 0-1"),
    "bytes=0-0, -1",
    "bytes 0-1",
  ])("the range %s is ignored §3.13.2", async (range) => {
    const { path } = await uploadImage(NUMBERED);
    const image = await fetchBytes("GET", path, { headers: { Range: range } });
    expect(image.status).toBe(200);
    expect(image.bytes).toEqual(NUMBERED);
    expect(image.headers.has("content-range")).toBe(false);
  });

  test.each<[string, (etag: string) => string, number]>([
    ["the current tag", (etag) => etag, 206],
    ["the current tag, but weak", (etag) => `W/${etag}`, 200],
    ["the current tag among others", (etag) => `"another", ${etag}`, 200],
    ["another tag", () => '"another"', 200],
    ["a date", () => "Sat, 21 Nov 2026 10:00:00 GMT", 200],
  ])("a range if the image is that of %s gets what is right §3.13.5", async (_, of, status) => {
    const { path } = await uploadImage(NUMBERED);
    const etag = etagOf(await fetchBytes("GET", path));
    const headers = { Range: "bytes=0-9", "If-Range": of(etag) };
    const image = await fetchBytes("GET", path, { headers });
    expect(image.status).toBe(status);
    expect(image.bytes).toEqual(status === 206 ? NUMBERED.slice(0, 10) : NUMBERED);
  });

  test.each<[string, Record<string, string>, number, number]>([
    ["GET", {}, 200, 1],
    ["GET", { "If-None-Match": "*" }, 304, 1],
    ["GET", { "If-None-Match": '"a"' }, 200, 2],
    ["GET", { "If-Match": '"a"' }, 412, 1],
    ["GET", { Range: "bytes=10-19" }, 206, 2],
    ["HEAD", { Range: "bytes=10-19" }, 200, 1],
    ["GET", { Range: "bytes=0-99999999999999999999" }, 206, 2],
    ["GET", { Range: "bytes=0-0,2-3" }, 200, 2],
    ["GET", { Range: "bytes=100-200" }, 416, 1],
    ["GET", { Range: "bytes=100-200", "If-Range": '"a"' }, 200, 2],
    ["GET", { "If-Range": '"a"' }, 200, 1],
    ["GET", { Range: "bytes=99999999999999999999-" }, 416, 1],
    // Conditions in their order.
    ["GET", { "If-Match": '"a"', "If-None-Match": "*" }, 412, 1],
    ["GET", { "If-Match": '"a"', Range: "bytes=1000-" }, 412, 1],
    ["GET", { "If-Match": "*", "If-None-Match": "*" }, 304, 1],
    ["GET", { "If-None-Match": "*", Range: "bytes=1000-" }, 304, 1],
    ["GET", { "If-None-Match": '"a"', Range: "bytes=0-9" }, 206, 2],
    ["GET", { "If-None-Match": '"a"', Range: "bytes=100-" }, 416, 1],
  ])(
    "by %s with the headers %j is %i after %i calls to R2 §3.13.3 §3.13.4",
    async (method, headers, status, calls) => {
      const { path } = await uploadImage(NUMBERED);
      const toR2 = new Calls();
      const answer = await clientWith({ IMAGES: r2Through(toR2) })(method, path, { headers });
      expect([answer.status, toR2.count]).toEqual([status, calls]);
    },
  );

  test("is by its pet and its name, each exact §V5.4", async () => {
    const { petId, path } = await uploadImage(PNG);
    const other = await createPet();
    const name = path.split("/").at(-1) ?? "";
    for (const missing of [
      `/pet/${petId}/images/${crypto.randomUUID()}.png`,
      `/pet/${petId}/images/${name.toUpperCase()}`,
      `/pet/${petId}/images/${name.replace(".png", "")}`,
      `/pet/${petId}/images/${name.replace(".png", ".")}`,
      `/pet/${petId}/images/${name.replace(".png", ".html")}`,
      `/pet/${other.id}/images/${name}`,
      `/pet/${other.id}/images/..%2F${petId}%2F${name}`,
      `/pet/-1/images/${name}`,
      `/pet/9223372036854775808/images/${name}`,
      `/pet/${petId}/images/x.gif`,
      // Names that no store could have.
      `/pet/${petId}/images/${"x".repeat(1100)}`,
      `/pet/${petId}/images/${encodeURIComponent("🐕".repeat(300))}`,
    ]) {
      expect(outcome(await fetchBytes("GET", missing))).toEqual(refusal(404, "Image not found"));
    }
    expect(outcome(await fetchBytes("GET", `/pet/${petId}/images/%00`))).toEqual(
      refusal(400, "Invalid ID supplied", "name"),
    );
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

test.each<[string, (call: number) => boolean, number]>([
  ["of D1 that passes after the URL was stored", (call) => call === 1, 200],
  ["of D1 that lasts after the URL was stored", (call) => call > 0, 503],
])("a fault %s leaves one URL, which leads to the image", async (_, isFaulty, status) => {
  captureFaults();
  const { id } = await createPet({ photoUrls: [] });
  const message = "D1_ERROR: Network connection lost.";
  const calls = new Calls((call) => (isFaulty(call) ? { when: "after", message } : undefined));
  const answer = await upload(id, imageForm(fileOf(PNG)), clientWith(databaseThrough(calls)));
  expect(answer.status).toBe(status);
  const [url = "", ...more] = await photoUrlsOf(id);
  expect(more).toEqual([]);
  expect((await fetchBytes("GET", url.replace(basePath, ""))).bytes).toEqual(PNG);
  expect(await storedImages(id)).toHaveLength(1);
});
