import { afterEach, describe, expect, test, vi } from "vitest";
import { createPet, createUser, getJson, send } from "../client.ts";

const REX = { name: "Rex", photoUrls: [] };
const KIB = 1024;

/** Every operation that accepts a JSON object, with a valid body. */
const OPERATIONS = [
  ["POST", "/v2/pet", REX],
  ["PUT", "/v2/pet", { id: 77, ...REX }],
  ["POST", "/v2/store/order", {}],
  ["POST", "/v2/user", {}],
  ["PUT", "/v2/user/bodied", {}],
  ["POST", "/api/v3/pet", REX],
  ["PUT", "/api/v3/pet", { id: 77, ...REX }],
  ["POST", "/api/v3/store/order", {}],
  ["POST", "/api/v3/user", {}],
  ["PUT", "/api/v3/user/bodied", {}],
] as const;

const NAME_PART = '--b\r\ncontent-disposition: form-data; name="name"\r\n\r\nMax';
const FILE_PART = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.gif"\r\n\r\nGIF89a';

const JSON_TYPE = { "content-type": "application/json" };

/** Sends text without the default Content-Type of a string. */
const sendText = async (method: string, path: string, text: string, headers: Record<string, string> = JSON_TYPE) =>
  send(method, path, { body: new TextEncoder().encode(text), headers });

const padded = (json: object, bytes: number) => {
  const frame = JSON.stringify({ ...json, padding: "" });
  return frame.replace(/""}$/, `"${"x".repeat(bytes - frame.length)}"}`);
};

const prepare = async () => {
  await createPet({ id: 77, ...REX });
  await send("POST", "/v2/user", { json: { username: "bodied" } });
};

describe.each(OPERATIONS)("the body of %s %s", (method, path, json) => {
  test("returns 415 if it has another media type, which the error names", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
      const response = await sendText(method, path, JSON.stringify(json), { "content-type": type });
      expect(response.headers.get("accept")).toBe("application/json");
      const errors = [{ path: "Content-Type", message: `must be application/json, not ${type}` }];
      expect(await response.json()).toMatchObject({ code: 415, errors });
    }
  });

  test("can have 16 KiB, and returns 413 with one more byte, with or without Content-Length", async () => {
    await prepare();
    expect((await sendText(method, path, padded(json, 16 * KIB))).status).toBe(200);
    const tooLarge = padded(json, 16 * KIB + 1);
    expect(await (await sendText(method, path, tooLarge)).json()).toMatchObject({ code: 413 });
    for (const [text, status] of [
      [padded(json, 16 * KIB), 200],
      [tooLarge, 413],
    ] as const) {
      // A TransformStream hides the length.
      const body = new Blob([text]).stream().pipeThrough(new TransformStream());
      expect((await send(method, path, { body, headers: JSON_TYPE })).status).toBe(status);
    }
  });

  test("can have its type twice, and can start with a byte order mark", async () => {
    await prepare();
    const text = JSON.stringify(json);
    for (const type of [
      "application/json, application/json",
      "application/json;charset=utf-8,Application/JSON;charset=utf-8",
      'application/json; profile="a, b"',
    ]) {
      for (const mark of ["", "\uFEFF"]) {
        const response = await sendText(method, path, mark + text, { "content-type": type });
        expect([type, mark, response.status]).toEqual([type, mark, 200]);
      }
    }
    for (const type of ["application/json, text/plain", "text/plain, application/json", "text/plain, text/plain"]) {
      expect((await sendText(method, path, text, { "content-type": type })).status).toBe(415);
    }
    const latin1 = "application/json, application/json; charset=latin1";
    expect((await sendText(method, path, text, { "content-type": latin1 })).status).toBe(415);
    for (const broken of [`\uFEFF\uFEFF${text}`, `${text}\uFEFF`, "\uFEFF", `"\uFEFF"`]) {
      const rejected = await sendText(method, path, broken);
      expect(rejected.status).toBe(path.startsWith("/v2/pet") ? 405 : 400);
    }
  });

  test("can lack a media type, can name the charset UTF-8, and can have unknown fields", async () => {
    await prepare();
    const text = JSON.stringify({ ...json, unknown: [[{}]], version: 7, sealedPassword: "x" });
    for (const type of ["", "Application/JSON", 'application/json;charset="UTF-8"']) {
      const response = await sendText(method, path, text, type ? { "content-type": type } : {});
      expect([type, response.status]).toEqual([type, 200]);
      expect(await response.text()).not.toMatch(/unknown":|version|sealed/);
    }
  });
});

/** Every operation with a body, with the beginning of a valid body, and its status for an invalid one. */
const CUT_OFF = [
  ...OPERATIONS.map(([method, path, json]) => {
    const status = path.startsWith("/v2/pet") ? 405 : 400;
    return [method, path, "application/json", JSON.stringify({ ...json, name: "Max" }).slice(0, -1), status] as const;
  }),
  ["POST", "/v2/user/createWithArray", "application/json", "[{}", 400],
  ["POST", "/v2/user/createWithList", "application/json", "[{}", 400],
  ["POST", "/api/v3/user/createWithList", "application/json", "[{}", 400],
  ["POST", "/v2/pet/77", "application/x-www-form-urlencoded", "name=Max&status=so", 405],
  ["POST", "/v2/pet/77", "multipart/form-data; boundary=b", NAME_PART, 405],
  ["POST", "/v2/pet/77/uploadImage", "multipart/form-data; boundary=b", FILE_PART, 400],
  ["POST", "/api/v3/pet/77/uploadImage", "image/gif", "GIF89a", 400],
  ["PUT", "/sandboxes/bodies-that-are-cut-off/data", "application/json", '{"data":', 400],
  ["PUT", "/sandboxes/bodies-that-are-cut-off/faults", "application/json", "[", 400],
  ["POST", "/sandboxes", "application/json", '{"data":', 400],
] as const;

describe("a body that the client cuts off", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test.each(CUT_OFF)("is invalid input, not a server error, and stores nothing: %s %s %s", async (...request) => {
    const [method, path, type, beginning, status] = request;
    await prepare();
    const before = await getJson("/v2/pet/77");
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const error = new Error("Network connection lost.");
    for (const length of [beginning.length, undefined]) {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(beginning)),
        pull: (controller) => controller.error(error),
      });
      const headers = { "content-type": type, ...(length !== undefined && { "content-length": String(length + 9) }) };
      const response = await send(method, path, { body, headers, env: {} });
      expect(await response.json()).toMatchObject({ code: status, type: "error" });
    }
    expect(log).not.toHaveBeenCalled();
    expect(await getJson("/v2/pet/77")).toEqual(before);
  });
});

describe("a body", () => {
  test.each([
    [{ "content-type": "application/json; charset=iso-8859-1" }, "Content-Type"],
    [{ "content-encoding": "gzip" }, "Content-Encoding"],
  ])("with %j returns 415", async (headers, path) => {
    // Call the Worker directly, because fetch would decode the body.
    const init = { json: REX, headers: headers as HeadersInit, env: {} };
    const response = await send("POST", "/v2/pet", init);
    expect(await response.json()).toMatchObject({ code: 415, errors: [{ path }] });
    const coding = path === "Content-Encoding" ? "identity" : null;
    expect(response.headers.get("accept-encoding")).toBe(coding);
  });

  test("cannot pollute prototypes with __proto__, constructor, or prototype", async () => {
    const hostile = '{"__proto__":{"status":"sold","polluted":1},"constructor":{"polluted":1}';
    const text = `${hostile},"name":"Rex","photoUrls":[]}`;
    const pet = await (await sendText("POST", "/v2/pet", text)).json<{ id: number }>();
    expect(pet).toEqual({ id: pet.id, ...REX });
    expect({}).not.toHaveProperty("polluted");
    const missing = '{"__proto__":{"name":"Rex"},"photoUrls":[]}';
    expect((await sendText("POST", "/v2/pet", missing)).status).toBe(405);
  });

  test("is rejected without a server error if it is nested very deeply", async () => {
    const deep = `${"[".repeat(4000)}${"]".repeat(4000)}`;
    expect((await sendText("POST", "/v2/pet", deep)).status).toBe(405);
    expect((await sendText("POST", "/v2/pet", `{"name":${deep},"photoUrls":[]}`)).status).toBe(405);
  });

  test.each(["a", "é", "🐶"])("can have 4,096 characters in a string, but not 4,097: %s", async (character) => {
    // An array of users can have more bytes.
    const create = async (count: number) =>
      send("POST", "/v2/user/createWithList", { json: [{ firstName: character.repeat(count) }] });
    expect((await create(4096)).status).toBe(200);
    const errors = [{ path: "0.firstName" }];
    expect(await (await create(4097)).json()).toMatchObject({ code: 400, errors });
  });

  test("of many users can have 256 KiB, and returns 413 with one more byte", async () => {
    for (const path of ["/v2/user/createWithArray", "/api/v3/user/createWithList"]) {
      expect((await sendText("POST", path, `[${padded({}, 256 * KIB - 2)}]`)).status).toBe(200);
      expect((await sendText("POST", path, `[${padded({}, 256 * KIB - 1)}]`)).status).toBe(413);
    }
  });

  test.each([
    [null, "null"],
    [[], "an array"],
    [{}, "an object"],
    [7, "a number"],
    [true, "a boolean"],
  ])("with a name of the wrong type is rejected with a message that says its type: %j", async (name, type) => {
    const response = await send("POST", "/v2/pet", { json: { name, photoUrls: [] } });
    const errors = [{ path: "name", message: `must be a string, not ${type}` }];
    expect(await response.json()).toMatchObject({ code: 405, errors });
  });

  test("need not be read if the response does not depend on it", async () => {
    const { username } = await createUser();
    for (const [method, path, status] of [
      ["POST", "/nowhere", 404],
      ["PATCH", "/v2/pet", 405],
      ["DELETE", `/v2/user/${username}`, 200],
    ] as const) {
      const body = new Blob([new Uint8Array(400 * KIB)]).stream();
      expect((await send(method, path, { body, headers: JSON_TYPE })).status).toBe(status);
    }
  });
});
