import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createPet, formOf, getJson, send, type ShownPet } from "../client.ts";

/** A PNG with one pixel. */
const PNG = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

const png = new Blob([PNG]);

const MIB = 1024 * 1024;

const zeros = (bytes: number) => formOf({ file: new Blob([new Uint8Array(bytes)]) });

const upload = async (petId: number, body: FormData) => send("POST", `/v2/pet/${petId}/uploadImage`, { body });

const petOf = async (id: number) => getJson<ShownPet>(`/v2/pet/${id}`);

const partOf = (parameters: string) => `--b\r\ncontent-disposition: form-data; ${parameters}\r\n\r\n`;

const filesStored = async () => (await env.IMAGES.list()).objects.length;

describe("POST /pet/{petId}/uploadImage", () => {
  test.each([
    ["image/png", "png", PNG, "../../rex.jpg"],
    ["image/jpeg", "jpg", [0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46], "rex"],
    ["image/gif", "gif", Buffer.from("GIF89a\u0001\0\u0001\0\0\0\0"), "rex.gif"],
    ["image/webp", "webp", Buffer.from("RIFF\u001a\0\0\0WEBPVP8L"), "rex.webp"],
  ])("serves a file as %s by its content, not by its name and type", async (...[type, extension, content, name]) => {
    const bytes = Uint8Array.from(content);
    const { id } = await createPet({ photoUrls: [] });
    const response = await upload(id, formOf({ file: new File([bytes], name, { type: "text/html" }) }));
    const message = `File uploaded to ./${name}, ${bytes.length} bytes`;
    expect(await response.json()).toMatchObject({ code: 200, message });
    const [url = "", ...others] = (await petOf(id)).photoUrls;
    expect(others).toEqual([]);
    expect(url).toMatch(new RegExp(`^/v2/pet/${id}/images/[0-9a-f-]{36}\\.${extension}$`));
    const image = await send("GET", url);
    expect(image.headers.get("content-type")).toBe(type);
    expect(image.headers.get("content-disposition")).toBeNull();
    expect(image.headers.get("content-security-policy")).toContain("sandbox");
    expect(image.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await image.bytes()).toEqual(bytes);
  });

  test.each([
    ["<!doctype html><script>alert(1)</script>", "text/html"],
    ['<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', "image/svg+xml"],
    ["RIFF\u0004\0\0\0WAVEfmt ", "image/webp"],
    ["\u0089PNG\r\n", "image/png"],
  ])("serves %j, sent as %s, only as a download", async (text, type) => {
    const { id } = await createPet({ photoUrls: [] });
    await upload(id, formOf({ file: new File([text], "rex.png", { type }) }));
    const [url = ""] = (await petOf(id)).photoUrls;
    expect(url).toMatch(/\/images\/[0-9a-f-]{36}$/);
    const part = await send("GET", url, { headers: { range: "bytes=1-" } });
    const whole = await send("GET", url);
    for (const { headers } of [part, whole]) {
      expect(headers.get("content-type")).toBe("application/octet-stream");
      expect(headers.get("content-disposition")).toBe("attachment");
      expect(headers.get("content-security-policy")).toContain("sandbox");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
    expect(await whole.text()).toBe(text);
  });

  test.each([
    [["a.png", "b,c"], (urls: readonly string[]) => ["a.png", "b,c", ...urls]],
    ['a?"b"&c=\\ü', (urls: readonly string[]) => ['a?"b"&c=\\ü', ...urls].join(",")],
  ])("appends URLs to the photoUrls %j, and keeps the others", async (photoUrls, appended) => {
    const pet = await createPet({ photoUrls, status: "sold", tags: ["old"] });
    const before = await send("GET", `/v2/pet/${pet.id}`);
    for (let time = 0; time < 2; time++) await upload(pet.id, formOf({ file: png }));
    const after = await send("GET", `/v2/pet/${pet.id}`);
    expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
    const shown = await after.json<ShownPet>();
    const urls = String(shown.photoUrls).match(/\/v2\/pet\/\d+\/images\/[^,]+/g) ?? [];
    expect(new Set(urls).size).toBe(2);
    expect(shown).toEqual({ ...pet, photoUrls: appended(urls) });
    expect((await send("PUT", "/v2/pet", { json: shown })).status).toBe(200);
  });

  test("returns the metadata, the file's name, and its size", async () => {
    const { id } = await createPet();
    const file = new File([PNG], "rex at home.png");
    const response = await upload(id, formOf({ file, additionalMetadata: "größer & schöner 🐕" }));
    const message = "additionalMetadata: größer & schöner 🐕\nFile uploaded to ./rex at home.png, 70 bytes";
    expect(await response.json()).toEqual({ code: 200, type: "unknown", message });
  });

  test.each([
    ['filename="Zoë 東京.png"', "Zoë 東京.png"],
    // The runtime treats a backslash as an escape.
    ['filename="a\\b.png"', "ab.png"],
    [`filename="rex.png"; filename*=utf-8''other.png`, "rex.png"],
  ])("reads a file name as the runtime does: %s", async (parameter, name) => {
    const { id } = await createPet();
    const head = `Content-Disposition: form-data; name="file"; ${parameter}`;
    const body = new Blob([`--b\r\n${head}\r\n\r\n`, PNG, "\r\n--b--\r\n"]);
    const response = await send("POST", `/v2/pet/${id}/uploadImage`, {
      body: await body.arrayBuffer(),
      headers: { "content-type": "multipart/form-data; boundary=b" },
    });
    const message = `File uploaded to ./${name}, 70 bytes`;
    expect(await response.json()).toMatchObject({ code: 200, message });
  });

  test("accepts 5 MiB", async () => {
    const { id } = await createPet({ photoUrls: [] });
    expect((await upload(id, zeros(5 * MIB))).status).toBe(200);
    const [url = ""] = (await petOf(id)).photoUrls;
    expect((await send("HEAD", url)).headers.get("content-length")).toBe(String(5 * MIB));
  });

  test.each([
    ["a byte more than 5 MiB", zeros(5 * MIB + 1), 413, undefined],
    ["no file", formOf({ additionalMetadata: "at the lake" }), 400, "file"],
    ["text in place of a file", formOf({ file: "rex.png" }), 400, "file"],
    [
      "metadata that is too long",
      formOf({ file: png, additionalMetadata: "x".repeat(4097) }),
      400,
      "additionalMetadata",
    ],
  ])("with %s is rejected, and stores nothing", async (_, form, code, path) => {
    const pet = await createPet();
    const before = await filesStored();
    const response = await upload(pet.id, form);
    // The library's own message would not help clients.
    const message = expect.not.stringMatching(/Invalid|Expected|received/);
    const errors = path === undefined ? undefined : [{ path, message }];
    expect(await response.json()).toMatchObject({ code, ...(errors && { errors }) });
    expect(await petOf(pet.id)).toEqual(pet);
    expect(await filesStored()).toBe(before);
  });

  test("with metadata that is not UTF-8 is rejected, and stores nothing", async () => {
    const pet = await createPet();
    const before = await filesStored();
    for (const metadata of [Uint8Array.of(0x61, 0xff), "\uFFFD"]) {
      const parts = [
        partOf('name="additionalMetadata"'),
        metadata,
        "\r\n",
        partOf('name="file"; filename="\uFFFD.png"'),
        PNG,
        "\r\n--b--\r\n",
      ];
      const response = await send("POST", `/v2/pet/${pet.id}/uploadImage`, {
        body: await new Blob(parts).arrayBuffer(),
        headers: { "content-type": "multipart/form-data; boundary=b" },
      });
      expect(await response.json()).toMatchObject({ code: 400, errors: [{ path: "additionalMetadata" }] });
    }
    expect(await petOf(pet.id)).toEqual(pet);
    expect(await filesStored()).toBe(before);
  });

  test.each(["file", "additionalMetadata"])("with two parts named %s is rejected, and stores nothing", async (name) => {
    const pet = await createPet();
    const before = await filesStored();
    const form = formOf({ file: png, additionalMetadata: "at the lake" });
    if (name === "file") form.append(name, png);
    else form.append(name, "at home");
    const response = await upload(pet.id, form);
    expect(await response.json()).toMatchObject({ code: 400, errors: [{ path: name, message: "must be given once" }] });
    expect(await petOf(pet.id)).toEqual(pet);
    expect(await filesStored()).toBe(before);
  });

  test.each([
    ["/v2", "multipart/form-data; boundary=b"],
    ["/api/v3", "image/png"],
  ])("to %s without a length returns 413 if it is too large, and 415 for another type", async (base, type) => {
    const { id } = await createPet();
    for (const [sent, status] of [
      [type, 413],
      ["application/json", 415],
    ] as const) {
      // A TransformStream hides the length.
      const body = new Blob([new Uint8Array(6 * MIB)]).stream().pipeThrough(new TransformStream());
      const headers = { "content-type": sent };
      const response = await send("POST", `${base}/pet/${id}/uploadImage`, { body, headers });
      expect(response.status).toBe(status);
    }
  });

  test("for a pet that does not exist returns 404, and stores nothing", async () => {
    const before = await filesStored();
    const response = await upload(987_654_321, formOf({ file: png }));
    expect(await response.json()).toMatchObject({ code: 404, message: "Pet not found" });
    expect(await filesStored()).toBe(before);
  });

  test("for a pet that is deleted and recreated during the upload returns 404, and stores nothing", async () => {
    const { id } = await createPet({ photoUrls: [] });
    const before = await filesStored();
    const IMAGES = {
      put: async (...sent: Parameters<R2Bucket["put"]>) => {
        const stored = await env.IMAGES.put(...sent);
        await send("DELETE", `/v2/pet/${id}`);
        await createPet({ id, photoUrls: [] });
        return stored;
      },
      delete: async (key: string) => env.IMAGES.delete(key),
    } as unknown as R2Bucket;
    const body = formOf({ file: png });
    const response = await send("POST", `/v2/pet/${id}/uploadImage`, { body, env: { IMAGES } });
    expect(await response.json()).toMatchObject({ code: 404 });
    expect(await petOf(id)).toMatchObject({ photoUrls: [] });
    expect(await filesStored()).toBe(before);
  });

  test.each([
    ["application/json", 415],
    ["image/png", 415],
    ["multipart/form-data; boundary=x", 400],
  ])("with bytes of the type %s returns %i", async (type, code) => {
    const { id } = await createPet();
    const headers = { "content-type": type };
    const response = await send("POST", `/v2/pet/${id}/uploadImage`, { body: PNG, headers });
    expect(await response.json()).toMatchObject({ code });
    expect(response.headers.get("accept")).toBe(code === 415 ? "multipart/form-data" : null);
  });

  test.each([
    ["an array of 100 URLs", Array(100).fill("a.png")],
    ["a string of 4,096 characters", "x".repeat(4096)],
  ])("to a pet with %s is rejected, because PUT would not accept another URL", async (_, photoUrls) => {
    const pet = await createPet({ photoUrls });
    const before = await filesStored();
    const response = await upload(pet.id, formOf({ file: png }));
    expect(await response.json()).toMatchObject({ code: 400, errors: [{ path: "photoUrls" }] });
    expect(await petOf(pet.id)).toEqual(pet);
    expect(await filesStored()).toBe(before);
  });
});
