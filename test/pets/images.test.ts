import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createPet, formOf, getJson, send, type ShownPet } from "../client.ts";

/** A PNG signature and a hundred bytes that each encode their position. */
const BYTES = Uint8Array.from([
  ...Buffer.from("\u0089PNG\r\n\u001A\n", "latin1"),
  ...Array.from({ length: 92 }, (_, index) => index + 8),
]);

/** Uploads these bytes for a pet. @returns the image's path */
async function upload(petId: number): Promise<string> {
  const body = formOf({ file: new Blob([BYTES]) });
  expect((await send("POST", `/v2/pet/${petId}/uploadImage`, { body })).status).toBe(200);
  const { photoUrls } = await getJson<ShownPet>(`/v2/pet/${petId}`);
  return photoUrls.at(-1) ?? "";
}

const newImage = async () => upload((await createPet({ photoUrls: [] })).id);

describe("GET /pet/{petId}/images/{name}", () => {
  test("returns the bytes with a strong ETag, and accepts ranges", async () => {
    const path = await newImage();
    const response = await send("GET", path);
    expect(response.status).toBe(200);
    expect(await response.bytes()).toEqual(BYTES);
    expect(response.headers.get("etag")).toMatch(/^"[^"]+"$/);
    expect(response.headers.get("accept-ranges")).toBe("bytes");
    expect(response.headers.get("cache-control")).toBe("private, no-cache, no-transform");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const head = await send("HEAD", path);
    expect(await head.text()).toBe("");
    for (const name of ["etag", "content-type", "accept-ranges", "content-length"]) {
      expect(head.headers.get(name)).toBe(response.headers.get(name));
    }
  });

  test.each([
    ["bytes=10-19", 10, 19],
    ["bytes=95-1000", 95, 99],
    ["bytes=-10", 90, 99],
    ["bytes=99-", 99, 99],
    ["bytes=0-0", 0, 0],
    ["Bytes=007-08", 7, 8],
    ["bytes=0-", 0, 99],
    ["bytes=-1000", 0, 99],
    [`bytes=90-${"9".repeat(400)}`, 90, 99],
  ])("returns for %s the bytes from %i to %i", async (range, first, last) => {
    const path = await newImage();
    const response = await send("GET", path, { headers: { range } });
    expect(response.status).toBe(206);
    expect(response.headers.get("content-range")).toBe(`bytes ${first}-${last}/100`);
    expect(response.headers.get("content-type")).toBe("image/png");
    expect(await response.bytes()).toEqual(BYTES.slice(first, last + 1));
  });

  test.each([
    "bytes=100-",
    "bytes=100-100",
    "bytes=101-200",
    "bytes=5000000-",
    `bytes=${"9".repeat(400)}-`,
    "bytes=-0",
  ])("returns 416 with the size if %s starts at or beyond the end", async (range) => {
    const path = await newImage();
    const response = await send("GET", path, { headers: { range } });
    expect([response.status, response.headers.get("content-range")]).toEqual([416, "bytes */100"]);
    expect(await response.json()).toEqual({ code: 416, type: "error", message: "Range not satisfiable" });
  });

  test.each([
    ..."bytes=5-2 bytes=100-99 bytes=- bytes=a-b bytes=1 bytes=1-2,4-5 bytes=1-,200- items=0-1 bytes=--1 bytes=0x1-2".split(
      " ",
    ),
    "0-1",
    "bytes 0-1",
    "bytes=1 -2",
    "bytes=\u00b2-",
  ])("ignores %s, which is not a single valid range", async (range) => {
    const path = await newImage();
    const response = await send("GET", path, { headers: { range } });
    expect([response.status, response.headers.get("content-range")]).toEqual([200, null]);
    expect(await response.bytes()).toEqual(BYTES);
  });

  test("returns 304 and 412 regardless of the range", async () => {
    const path = await newImage();
    const { headers } = await send("HEAD", path);
    const etag = headers.get("etag") ?? "";
    const now = new Date(Date.now() + 60_000).toUTCString();
    for (const range of ["bytes=10-19", "bytes=100-", "bytes=5-2"]) {
      for (const [conditions, status] of [
        [{ "if-none-match": etag }, 304],
        [{ "if-modified-since": now }, 304],
        [{ "if-match": '"another"' }, 412],
        [{ "if-match": '"another"', "if-none-match": etag }, 412],
      ] as const) {
        const response = await send("GET", path, { headers: { range, ...conditions } });
        expect([range, conditions, response.status]).toEqual([range, conditions, status]);
        expect(response.headers.get("content-range")).toBeNull();
      }
      const { status } = await send("GET", path, { headers: { range, "if-match": etag } });
      expect(status).toBe({ "bytes=10-19": 206, "bytes=100-": 416, "bytes=5-2": 200 }[range]);
    }
  });

  test("ignores a range on HEAD", async () => {
    const path = await newImage();
    for (const range of ["bytes=10-19", "bytes=100-", "bytes=0-"]) {
      const response = await send("HEAD", path, { headers: { range } });
      expect([response.status, response.headers.get("content-range")]).toEqual([200, null]);
      expect(response.headers.get("content-length")).toBe("100");
    }
  });

  test("accepts If-Modified-Since in every HTTP date format, and ignores anything else", async () => {
    const path = await newImage();
    for (const [value, status] of [
      ["Tue, 29 Oct 2099 19:43:31 GMT", 304],
      ["Tuesday, 29-Oct-49 19:43:31 GMT", 304],
      ["Tue Oct  6 08:49:37 2099", 304],
      ["Sun Nov 16 08:49:37 2099", 304],
      ["Sun, 06 Nov 1994 08:49:37 GMT", 200],
      ["Sunday, 06-Nov-94 08:49:37 GMT", 200],
      ["Sun Nov  6 08:49:37 1994", 200],
      ["2099-01-01", 200],
      ["2099-01-01T00:00:00Z", 200],
      ["2099", 200],
      ["4070908800000", 200],
      ["29 Oct 2099 19:43:31 GMT", 200],
      ["Tue, 29 Oct 2099 19:43:31", 200],
      ["Tue, 29 Oct 2099 19:43:31 +0000", 200],
      ["Tue, 29 Foo 2099 19:43:31 GMT", 200],
      ["Tue, 29 Oct 2099 25:43:31 GMT", 200],
    ] as const) {
      const response = await send("GET", path, { headers: { "if-modified-since": value } });
      expect([value, response.status]).toEqual([value, status]);
    }
    const unmodified = { "if-modified-since": "Tue, 29 Oct 2099 19:43:31 GMT", "if-none-match": '"another"' };
    expect((await send("GET", path, { headers: unmodified })).status).toBe(200);
  });

  test("returns 304 if the file is unchanged, and 412 if If-Match has another tag", async () => {
    const path = await newImage();
    const etag = (await send("GET", path)).headers.get("etag") ?? "";
    for (const value of [etag, "*", `W/${etag}`, `"another", ${etag}`]) {
      const response = await send("GET", path, { headers: { "if-none-match": value } });
      expect([response.status, response.headers.get("etag")]).toEqual([304, etag]);
      expect(await response.text()).toBe("");
    }
    expect((await send("GET", path, { headers: { "if-none-match": '"another"' } })).status).toBe(200);
    expect((await send("GET", path, { headers: { "if-match": etag } })).status).toBe(200);
    for (const other of [{}, { "if-none-match": '"a third"' }, { "if-none-match": etag }]) {
      const failed = await send("GET", path, { headers: { "if-match": '"another"', ...other } });
      expect(await failed.json()).toMatchObject({ code: 412 });
    }
  });

  test.each([
    ["if-match", 'abc "x"', 412],
    ["if-none-match", 'abc, "x"', 200],
    ["if-none-match", '"a""b"', 200],
    ["if-none-match", 'w/"x"', 200],
    ["if-modified-since", "yesterday", 200],
    ["if-unmodified-since", "Wed, 01 Jan 2020 00:00:00 GMT", 200],
    ["if-unmodified-since", "yesterday", 200],
  ])("handles %s: %s with %i", async (name, value, status) => {
    const path = await newImage();
    expect((await send("GET", path, { headers: { [name]: value } })).status).toBe(status);
    expect((await send("HEAD", path, { headers: { [name]: value } })).status).toBe(status);
  });

  test("compares all tags in If-Match strongly", async () => {
    const path = await newImage();
    const etag = (await send("GET", path)).headers.get("etag") ?? "";
    const others = Array.from({ length: 200 }, (_, index) => `"${index}"`).join(", ");
    for (const [value, status] of [
      [`W/${etag}`, 412],
      [`W/${etag}, "another"`, 412],
      [`"another", W/${etag}`, 412],
      [`W/"another", ${etag}`, 200],
      [`W/${etag}, ${etag}`, 200],
      [`${others}, ${etag}`, 200],
      [others, 412],
      ["*", 200],
    ] as const) {
      for (const method of ["GET", "HEAD"]) {
        for (const other of [{}, { range: "bytes=0-1" }, { "if-none-match": '"another"' }, { "if-none-match": etag }]) {
          if (status === 200 && "if-none-match" in other) continue;
          const headers = { "if-match": value, ...other };
          const found = await send(method, path, { headers });
          expect([value, found.ok ? 200 : found.status]).toEqual([value, status]);
        }
      }
    }
    const gone = path.replace(/[^/]+$/, "00000000-0000-4000-8000-000000000000.png");
    expect((await send("GET", gone, { headers: { "if-match": `W/${etag}` } })).status).toBe(404);
  });

  test("returns the whole file for a Range with any If-Range", async () => {
    const path = await newImage();
    const { headers } = await send("HEAD", path);
    for (const value of [headers.get("etag") ?? "", '"another"', "Tue, 29 Oct 2024 19:43:31 GMT"]) {
      const whole = await send("GET", path, { headers: { range: "bytes=10-19", "if-range": value } });
      expect([value, whole.status, whole.headers.get("content-range")]).toEqual([value, 200, null]);
      expect(await whole.bytes()).toEqual(BYTES);
      const beyond = await send("GET", path, { headers: { range: "bytes=1000-", "if-range": value } });
      expect(beyond.status).toBe(200);
    }
  });

  test("returns 404 for another pet or another name", async () => {
    const path = await newImage();
    const other = await createPet();
    const name = path.split("/").at(-1) ?? "";
    for (const missing of [
      path.replace(".png", ".html"),
      `/v2/pet/${other.id}/images/${name}`,
      `/v2/pet/${other.id}/images/..%2F${name}`,
      `/v2/pet/9223372036854775808/images/${name}`,
      `/v2/pet/${other.id}/images/${"x".repeat(1100)}`,
    ]) {
      const response = await send("GET", missing);
      expect(await response.json()).toMatchObject({ code: 404, type: "error" });
    }
    expect((await send("GET", `/v2/pet/seven/images/${name}`)).status).toBe(400);
  });
});

describe("deleting a pet", () => {
  test("deletes only its files, including those without a URL, from every page of R2's listing", async () => {
    const { id } = await createPet({ id: 900_041, photoUrls: [] });
    const paths = [await upload(id), await upload(id), await upload(id)];
    await send("PUT", "/v2/pet", { json: { id, name: "Rex", photoUrls: [] } });
    await createPet({ id: 9_000_411, photoUrls: [] });
    const kept = await upload(9_000_411);
    const IMAGES = {
      list: async (options: R2ListOptions) => env.IMAGES.list({ ...options, limit: 1 }),
      delete: async (keys: string[]) => env.IMAGES.delete(keys),
    } as unknown as R2Bucket;
    expect((await send("DELETE", `/v2/pet/${id}`, { env: { IMAGES } })).status).toBe(200);
    for (const path of paths) {
      await expect.poll(async () => (await send("GET", path)).status).toBe(404);
    }
    expect((await send("GET", kept)).status).toBe(200);
  });

  test("keeps its files if If-Match fails", async () => {
    const { id } = await createPet({ photoUrls: [] });
    const path = await upload(id);
    const headers = { "if-match": '"1"' };
    expect((await send("DELETE", `/v2/pet/${id}`, { headers })).status).toBe(412);
    expect((await send("GET", path)).status).toBe(200);
  });
});
