import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createPet, send } from "../client.ts";
import type { ShownPet } from "../client.ts";

/** A PNG of one pixel. */
const PNG = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

const MIB = 1024 * 1024;

function formOf(file: File, additionalMetadata?: string): FormData {
  const form = new FormData();
  if (additionalMetadata !== undefined) form.set("additionalMetadata", additionalMetadata);
  form.set("file", file);
  return form;
}

const upload = async (petId: number | string, body: FormData) =>
  send("POST", `/v2/pet/${petId}/uploadImage`, { body });

const petOf = async (id: number) => (await send("GET", `/v2/pet/${id}`)).json<ShownPet>();

const filesStored = async () => (await env.IMAGES.list()).objects.length;

describe("POST /pet/{petId}/uploadImage", () => {
  test.each([
    ["image/png", "png", PNG, "rex.png"],
    ["image/png", "png", PNG, "rex.html"],
    ["image/png", "png", PNG, "../../rex.jpg"],
    ["image/jpeg", "jpg", [0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0], "rex"],
    ["image/gif", "gif", [...Buffer.from("GIF89a"), 1, 0, 1, 0, 0, 0, 0], "rex.gif"],
    [
      "image/webp",
      "webp",
      [...Buffer.from("RIFF"), 26, 0, 0, 0, ...Buffer.from("WEBPVP8L")],
      "rex.webp",
    ],
  ])(
    "shows a file as %s by its content, not by its name: %s",
    async (type, extension, content, name) => {
      const bytes = Uint8Array.from(content);
      const { id } = await createPet({ photoUrls: [] });
      const response = await upload(id, formOf(new File([bytes], name, { type: "text/html" })));
      expect(await response.json()).toEqual({
        code: 200,
        type: "unknown",
        message: expect.stringContaining(
          `File uploaded to ./${name}, ${bytes.length} bytes`,
        ) as string,
      });
      const { photoUrls } = await petOf(id);
      expect(photoUrls).toEqual([
        expect.stringMatching(new RegExp(`^/v2/pet/${id}/images/[0-9a-f-]{36}\\.${extension}$`)),
      ]);
      const image = await send("GET", String(photoUrls[0]));
      expect(image.headers.get("content-type")).toBe(type);
      expect(image.headers.get("content-disposition")).toBeNull();
      expect(image.headers.get("content-security-policy")).toContain("sandbox");
      expect(image.headers.get("x-content-type-options")).toBe("nosniff");
      expect(await image.bytes()).toEqual(bytes);
    },
  );

  test.each([
    ["text", "hello", "text/plain"],
    ["HTML", "<!doctype html><script>alert(1)</script>", "text/html"],
    ["HTML that calls itself a PNG", "<script>alert(1)</script>", "image/png"],
    [
      "SVG",
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
      "image/svg+xml",
    ],
    ["a script", "alert(1)", "text/javascript"],
    ["PDF", "%PDF-1.7", "application/pdf"],
    ["a WAV file, which is RIFF too", "RIFF\u0004\0\0\0WAVEfmt ", "image/webp"],
    ["a PNG that is cut within its signature", "\u0089PNG\r\n", "image/png"],
  ])("serves %s as a download only", async (_, text, type) => {
    const { id } = await createPet({ photoUrls: [] });
    await upload(id, formOf(new File([text], "rex.png", { type })));
    const [url = ""] = (await petOf(id)).photoUrls;
    expect(url).toMatch(/\/images\/[0-9a-f-]{36}$/);
    for (const headers of [{}, { range: "bytes=1-" }]) {
      const file = await send("GET", url, { headers });
      expect(file.headers.get("content-type")).toBe("application/octet-stream");
      expect(file.headers.get("content-disposition")).toBe("attachment");
      expect(file.headers.get("content-security-policy")).toContain("sandbox");
      expect(file.headers.get("x-content-type-options")).toBe("nosniff");
    }
    expect(await (await send("GET", url)).text()).toBe(text);
  });

  test.each([
    ["an array", ["a.png", "b,c"], (urls: unknown[]) => ["a.png", "b,c", ...urls]],
    ["a string", 'a?"b"&c=\\ü', (urls: unknown[]) => ['a?"b"&c=\\ü', ...urls].join(",")],
  ])(
    "appends the URL to photoUrls that are %s, and keeps the rest",
    async (_, photoUrls, appended) => {
      const pet = await createPet({ photoUrls, status: "sold", tags: ["old"] });
      const before = await send("GET", `/v2/pet/${pet.id}`);
      await upload(pet.id, formOf(new File([PNG], "1.png")));
      await upload(pet.id, formOf(new File([PNG], "2.png")));
      const after = await send("GET", `/v2/pet/${pet.id}`);
      expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
      const shown = await after.json<ShownPet>();
      const urls =
        [shown.photoUrls]
          .flat()
          .join(",")
          .match(/\/v2\/pet\/\d+\/images\/[^,]+/g) ?? [];
      expect(new Set(urls).size).toBe(2);
      expect(shown).toEqual({ ...pet, photoUrls: appended(urls) });
      expect((await send("PUT", "/v2/pet", { json: shown })).status).toBe(200);
    },
  );

  test("answers with the metadata, the file's name and its size", async () => {
    const { id } = await createPet();
    const form = formOf(new File([PNG], "rex at home.png"), "größer & schöner 🐕");
    expect(await (await upload(id, form)).json()).toEqual({
      code: 200,
      type: "unknown",
      message:
        "additionalMetadata: größer & schöner 🐕\nFile uploaded to ./rex at home.png, 70 bytes",
    });
  });

  test.each([
    ["browsers and curl", 'filename="rex.png"', "rex.png"],
    ["browsers and curl, beyond ASCII", 'filename="Zoë 東京.png"', "Zoë 東京.png"],
    ["an apostrophe and brackets", `filename="it's (1).png"`, "it's (1).png"],
    ["a quote, as browsers escape it", 'filename="a %22b%22.png"', "a %22b%22.png"],
    ["a backslash, which the runtime takes for an escape", 'filename="a\\b.png"', "ab.png"],
    ["filename* beside filename", `filename="rex.png"; filename*=utf-8''other.png`, "rex.png"],
  ])("reads the file name as the runtime does: %s", async (_, parameters, name) => {
    const { id } = await createPet();
    const body = new Blob([
      `--b\r\nContent-Disposition: form-data; name="file"; ${parameters}\r\nContent-Type: image/png\r\n\r\n`,
      PNG,
      "\r\n--b--\r\n",
    ]);
    const response = await send("POST", `/v2/pet/${id}/uploadImage`, {
      body: await body.arrayBuffer(),
      headers: { "content-type": "multipart/form-data; boundary=b" },
    });
    const { message } = await response.json<{ message: string }>();
    expect(message).toContain(`File uploaded to ./${name}, 70 bytes`);
  });

  test("takes 5 MiB", async () => {
    const { id } = await createPet({ photoUrls: [] });
    expect((await upload(id, formOf(new File([new Uint8Array(5 * MIB)], "rex")))).status).toBe(200);
    const [url = ""] = (await petOf(id)).photoUrls;
    expect((await send("HEAD", url)).headers.get("content-length")).toBe(String(5 * MIB));
  });

  test.each([1, 64 * 1024, 3 * MIB])(
    "refuses 5 MiB and %i bytes, and stores nothing",
    async (more) => {
      const pet = await createPet();
      const before = await filesStored();
      const response = await upload(
        pet.id,
        formOf(new File([new Uint8Array(5 * MIB + more)], "rex")),
      );
      expect(await response.json()).toMatchObject({ code: 413 });
      expect(await petOf(pet.id)).toEqual(pet);
      expect(await filesStored()).toBe(before);
    },
  );

  test.each([
    ["seven", 400, "petId"],
    ["007", 400, "petId"],
  ])("for the id %s is refused", async (id, code, path) => {
    const response = await upload(id, formOf(new File([PNG], "rex.png")));
    expect(await response.json()).toMatchObject({ code, errors: [{ path }] });
  });

  test("for a pet that does not exist is 404, and stores nothing", async () => {
    const before = await filesStored();
    const response = await upload(987_654_321, formOf(new File([PNG], "rex.png")));
    expect(await response.json()).toEqual({ code: 404, type: "error", message: "Pet not found" });
    expect(await filesStored()).toBe(before);
  });

  const textOnly = new FormData();
  textOnly.set("file", "rex.png");
  const nothing = new FormData();
  nothing.set("additionalMetadata", "at the lake");

  test.each([
    ["no file", nothing, "file"],
    ["text in place of a file", textOnly, "file"],
    [
      "metadata that is too long",
      formOf(new File([PNG], "rex.png"), "x".repeat(4097)),
      "additionalMetadata",
    ],
  ])("with %s is refused", async (_, body, path) => {
    const { id } = await createPet();
    const response = await upload(id, body);
    expect(await response.json()).toMatchObject({ code: 400, errors: [{ path }] });
  });

  test("with a body that is no form is refused", async () => {
    const { id } = await createPet();
    const headers = { "content-type": "multipart/form-data; boundary=x" };
    expect((await send("POST", `/v2/pet/${id}/uploadImage`, { body: "rex", headers })).status).toBe(
      400,
    );
  });

  test.each(["application/json", "image/png", "application/x-www-form-urlencoded"])(
    "as %s is refused with 415",
    async (type) => {
      const { id } = await createPet();
      const headers = { "content-type": type };
      const response = await send("POST", `/v2/pet/${id}/uploadImage`, { body: PNG, headers });
      expect(await response.json()).toMatchObject({
        code: 415,
        errors: [{ path: "Content-Type" }],
      });
      expect(response.headers.get("accept")).toBe("multipart/form-data");
    },
  );

  test.each([
    ["an array of 100 URLs", Array(100).fill("a.png")],
    ["a string of 100 URLs", Array(100).fill("a.png").join(",")],
    ["a string of 4,096 characters", "x".repeat(4096)],
  ])("to a pet with %s is refused: a PUT would not take another URL", async (_, photoUrls) => {
    const pet = await createPet({ photoUrls });
    const before = await filesStored();
    const response = await upload(pet.id, formOf(new File([PNG], "rex.png")));
    expect(await response.json()).toMatchObject({ code: 400, errors: [{ path: "photoUrls" }] });
    expect(await petOf(pet.id)).toEqual(pet);
    expect(await filesStored()).toBe(before);
  });
});
