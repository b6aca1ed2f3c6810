import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createApp } from "../../src/app.ts";
import { MAX_BODY_BYTES } from "../../src/http/body.ts";
import { send } from "../client.ts";
import { clientWith } from "../fixtures.ts";
import type { Answer } from "../client.ts";
import { basePath } from "../engine.ts";

interface Target {
  readonly path: string;
  /** The least content that the operation accepts. */
  readonly content: Readonly<Record<string, unknown>>;
}

interface Writing {
  readonly operation: string;
  readonly method: "POST" | "PUT";
  /** The operation's status for a body that does not fit, and its meaning. */
  readonly invalid: number;
  readonly message: string;
  /** A member that takes any string. */
  readonly text: string;
  readonly target: () => Promise<Target>;
}

const pet = { name: "Rex", photoUrls: "rex.png" };

/** What a 415 says the service accepts: media types, and content codings. */
const hintsOf = ({ headers }: Answer) => [headers.get("accept"), headers.get("accept-encoding")];

/** Every operation that takes a body. */
const writings: readonly Writing[] = [
  {
    operation: "POST /pet",
    method: "POST",
    invalid: 405,
    message: "Invalid input",
    text: "name",
    target: async () => ({ path: "/pet", content: pet }),
  },
  {
    operation: "PUT /pet",
    method: "PUT",
    invalid: 405,
    message: "Validation exception",
    text: "name",
    target: async () => {
      const { json } = await send("POST", "/pet", { json: pet });
      return { path: "/pet", content: json as Target["content"] };
    },
  },
  {
    operation: "POST /store/order",
    method: "POST",
    invalid: 400,
    message: "Invalid order",
    text: "shipDate",
    target: async () => ({ path: "/store/order", content: {} }),
  },
  {
    operation: "POST /user",
    method: "POST",
    invalid: 400,
    message: "Invalid user supplied",
    text: "firstName",
    target: async () => ({ path: "/user", content: {} }),
  },
  {
    operation: "PUT /user/{username}",
    method: "PUT",
    invalid: 400,
    message: "Invalid user supplied",
    text: "firstName",
    target: async () => {
      const username = `body-${crypto.randomUUID()}`;
      await send("POST", "/user", { json: { username } });
      return { path: `/user/${username}`, content: {} };
    },
  },
];
/** Those of them that have a member for any string. */
const texts = writings.filter(({ text }) => text !== "shipDate");

const bytes = (text: string) => new TextEncoder().encode(text);

/** A body without a length of its own, in pieces. */
function streamOf(content: Uint8Array, piece = 64 * 1024): ReadableStream<Uint8Array> {
  let start = 0;
  return new ReadableStream({
    pull(controller) {
      if (start >= content.byteLength) return controller.close();
      controller.enqueue(content.slice(start, start + piece));
      start += piece;
    },
  });
}

/** Sends this text as the body. */
async function sendText(
  { method, target }: Writing,
  text: (content: Target["content"]) => string,
): Promise<Answer> {
  const { path, content } = await target();
  const headers = { "Content-Type": "application/json" };
  return send(method, path, { body: bytes(text(content)), headers });
}

/** Sends the least content with these members. */
async function sendWith(
  { method, target }: Writing,
  members: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const { path, content } = await target();
  return send(method, path, { json: { ...content, ...members } });
}

/** The answer of an operation that refuses its body for what is at this path. */
const refusal = ({ invalid, message }: Writing, path: string) => ({
  status: invalid,
  json: {
    code: invalid,
    type: "error",
    message,
    errors: [{ path, message: expect.stringMatching(/^\S/) }],
  },
});

/** The least content, padded with an unknown member to this many bytes. */
function padded(content: Target["content"], length: number): string {
  const frame = JSON.stringify({ ...content, padding: "" });
  return frame.replace(/""}$/, `"${"x".repeat(length - frame.length)}"}`);
}

for (const writing of writings) {
  const { operation, method, invalid, target } = writing;

  describe(`the media type of ${operation}`, () => {
    test.each([
      "application/json",
      "Application/JSON",
      "application/json; charset=utf-8",
      "application/json;charset=UTF-8",
      'application/json; charset="utf-8"',
      "application/json ; charset=utf8",
      "application/json; charset=utf-8; odata=verbose",
      "application/json; odata=verbose",
      "application/json;",
    ])("may be %s", async (type) => {
      const { path, content } = await target();
      const headers = { "Content-Type": type };
      const body = bytes(JSON.stringify(content));
      expect((await send(method, path, { body, headers })).status).toBe(200);
    });

    test("may be absent", async () => {
      const { path, content } = await target();
      const body = bytes(JSON.stringify(content));
      expect((await send(method, path, { body })).status).toBe(200);
    });

    test.each([
      "text/plain",
      "text/json",
      "application/xml",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/octet-stream",
      "application/jsonp",
      "application/json-patch+json",
      "application/merge-patch+json",
      "application/json; charset=iso-8859-1",
      "application/json; charset=utf-16",
      "application/json; charset=utf-8x",
      "*/*",
    ])("is refused with 415 when it is %s", async (type) => {
      const { path, content } = await target();
      const headers = { "Content-Type": type };
      const answer = await send(method, path, { body: bytes(JSON.stringify(content)), headers });
      expect(answer.status).toBe(415);
      expect(answer.json).toEqual({ code: 415, type: "error", message: "Unsupported media type" });
      expect(hintsOf(answer)).toEqual(["application/json", null]);
    });

    test.each(["gzip", "deflate", "br", "zstd", "nonsense"])(
      "is refused with 415 when the content is encoded: %s",
      async (coding) => {
        // Not through the test's network, which would decode it.
        const { path, content } = await target();
        const headers = { "Content-Type": "application/json", "Content-Encoding": coding };
        const answer = await clientWith({})(method, path, {
          body: bytes(JSON.stringify(content)),
          headers,
        });
        expect(answer.status).toBe(415);
        expect(hintsOf(answer)).toEqual([null, "identity"]);
      },
    );
  });

  describe(`the body of ${operation}`, () => {
    test.each([
      ["malformed", "{"],
      ["followed by something", "{} {}"],
      ["with a trailing comma", '{"id":1,}'],
      ["with single quotes", "{'id':1}"],
      ["with a bare word", '{"id":nothing}'],
      ["with NaN", '{"quantity":NaN}'],
      ["with a leading zero", '{"id":007}'],
      ["with a line break in a string", '{"name":"a\nb"}'],
      ["with a comment", "/* */ {}"],
      ["form-encoded", "name=Rex&photoUrls=a"],
      ["only white space", " \n\t "],
      ["XML", "<pet/>"],
    ])(`is ${invalid} when it is no JSON: %s`, async (_, text) => {
      expect(await sendText(writing, () => text)).toMatchObject(refusal(writing, "body"));
    });

    test.each([
      ["[]"],
      ['[{"name":"Rex","photoUrls":"a"}]'],
      ["null"],
      ['"text"'],
      ['""'],
      ["7"],
      ["0"],
      ["true"],
      ["false"],
    ])(`is ${invalid} when it is no object: %s`, async (text) => {
      expect(await sendText(writing, () => text)).toMatchObject(refusal(writing, "body"));
    });

    test(`is ${invalid} when it is empty or absent`, async () => {
      const { path } = await target();
      const headers = { "Content-Type": "application/json" };
      expect(await send(method, path)).toMatchObject(refusal(writing, "body"));
      expect(await send(method, path, { headers })).toMatchObject(refusal(writing, "body"));
      expect(await send(method, path, { body: "", headers })).toMatchObject(
        refusal(writing, "body"),
      );
      const body = streamOf(new Uint8Array(0));
      expect(await send(method, path, { body, headers })).toMatchObject(refusal(writing, "body"));
    });

    test.each([
      ["a lone byte", [0xff]],
      ["a cut sequence", [0xc3]],
      ["an overlong form", [0xc0, 0xaf]],
      ["a surrogate", [0xed, 0xa0, 0x80]],
      ["beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
      ["Latin-1", [0xe9]],
    ])(`is ${invalid} when it is not UTF-8: %s`, async (_, sequence) => {
      const { path } = await target();
      const body = new Uint8Array([...bytes('{"name":"'), ...sequence, ...bytes('"}')]);
      const headers = { "Content-Type": "application/json" };
      expect(await send(method, path, { body, headers })).toMatchObject(refusal(writing, "body"));
    });

    test(`is ${invalid} when it is UTF-16`, async () => {
      const { path } = await target();
      const body = new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]);
      const headers = { "Content-Type": "application/json" };
      expect(await send(method, path, { body, headers })).toMatchObject(refusal(writing, "body"));
    });

    test(`is ${invalid} when it is nested very deeply`, async () => {
      for (const text of ["[".repeat(40_000), `${"[".repeat(20_000)}${"]".repeat(20_000)}`]) {
        expect(await sendText(writing, () => text)).toMatchObject(refusal(writing, "body"));
      }
      const deep = `${'{"a":'.repeat(8000)}1${"}".repeat(8000)}`;
      const answer = await sendText(writing, (content) =>
        JSON.stringify({ ...content, [writing.text]: 0 }).replace(
          `"${writing.text}":0`,
          `"${writing.text}":${deep}`,
        ),
      );
      expect(answer.status).toBe(invalid);
    });

    test("may hold unknown members, however deep, which are ignored", async () => {
      const answer = await sendText(writing, (content) =>
        JSON.stringify({ ...content, unknown: 0 }).replace(
          '"unknown":0',
          `"unknown":${"[".repeat(500)}${"]".repeat(500)},"version":7,"sealedPassword":"x","owner":"x"`,
        ),
      );
      expect(answer.status).toBe(200);
      for (const name of ["unknown", "version", "sealedPassword", "owner"]) {
        expect(answer.json).not.toHaveProperty(name);
      }
    });

    test("may begin with a byte order mark", async () => {
      const answer = await sendText(writing, (content) => `\u{FEFF}${JSON.stringify(content)}`);
      expect(answer.status).toBe(200);
    });

    test("may have white space around it", async () => {
      const answer = await sendText(writing, (content) => `\r\n\t ${JSON.stringify(content)} \n`);
      expect(answer.status).toBe(200);
    });

    test.each(["with Content-Length", "without Content-Length"])(
      "may have 48 KiB, and is 413 with one byte more: %s",
      async (length) => {
        const { path, content } = await target();
        const headers = { "Content-Type": "application/json" };
        const sendBytes = async (count: number) => {
          const all = bytes(padded(content, count));
          const body = length === "with Content-Length" ? all : streamOf(all);
          return send(method, path, { body, headers });
        };
        expect((await sendBytes(MAX_BODY_BYTES)).status).toBe(200);
        for (const count of [MAX_BODY_BYTES + 1, 3 * MAX_BODY_BYTES]) {
          const answer = await sendBytes(count);
          expect(answer.status).toBe(413);
          expect(answer.json).toEqual({ code: 413, type: "error", message: "Content too large" });
        }
      },
    );

    test("pollutes nothing through __proto__, constructor and prototype", async () => {
      const hostile =
        '"__proto__":{"polluted":"yes","status":"sold","quantity":-1},"constructor":{"prototype":{"polluted":"yes"}},"prototype":{"polluted":"yes"},';
      const answer = await sendText(writing, (content) =>
        JSON.stringify({ ...content, last: 0 }).replace("{", `{${hostile}`),
      );
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain("polluted");
      expect(answer.json).not.toHaveProperty("status");
      expect({}).not.toHaveProperty("polluted");
      expect(Object.prototype).not.toHaveProperty("polluted");
    });

    test("may not be made valid by what __proto__ brings", async () => {
      const wrong = { [writing.text]: 7 };
      const answer = await sendText(writing, (content) =>
        JSON.stringify({ ...content, ...wrong }).replace(
          "{",
          `{"__proto__":{"${writing.text}":"x"},`,
        ),
      );
      expect(answer).toMatchObject(refusal(writing, writing.text));
    });
  });
}

for (const writing of texts) {
  const { operation, text: member } = writing;

  describe(`a string of ${operation}`, () => {
    test.each([
      ["a lone high surrogate", String.raw`\ud800`],
      ["a lone low surrogate", String.raw`\udc00`],
      ["surrogates in the wrong order", String.raw`\udc00\ud800`],
      ["a lone surrogate among others", String.raw`a\ud83d b`],
      ["U+0000", String.raw`\u0000`],
      ["U+0000 among others", String.raw`a\u0000b`],
    ])(`may not hold %s`, async (_, escaped) => {
      const answer = await sendText(writing, (content) =>
        JSON.stringify({ ...content, [member]: "@" }).replace("@", escaped),
      );
      expect(answer).toMatchObject(refusal(writing, member));
    });

    test.each(["a", "é", "漢", "🐶", "\u{10FFFF}"])(
      "may have 4,096 characters and not 4,097, each counted once: %s",
      async (character) => {
        const most = character.repeat(4096);
        expect((await sendWith(writing, { [member]: most })).status).toBe(200);
        expect(await sendWith(writing, { [member]: most + character })).toMatchObject(
          refusal(writing, member),
        );
      },
    );

    test("may hold an escaped pair of surrogates", async () => {
      const answer = await sendText(writing, (content) =>
        JSON.stringify({ ...content, [member]: "@" }).replace("@", String.raw`\ud83d\udc36`),
      );
      expect(answer.status).toBe(200);
    });

    test.each([[7], [true], [{}], [["text"]], [[]], [0], [false]])(
      "is never made of something else: %j",
      async (value) => {
        expect(await sendWith(writing, { [member]: value })).toMatchObject(
          refusal(writing, member),
        );
      },
    );
  });
}

describe("a body that the answer does not need", () => {
  test.each([
    ["another media type", "POST", "/pet", { "Content-Type": "text/plain" }, 415],
    ["too much, announced", "POST", "/pet", { "Content-Length": String(MAX_BODY_BYTES + 1) }, 413],
    ["too much, not announced", "POST", "/pet", {}, 413],
    ["an unknown path", "POST", "/nowhere", {}, 404],
    ["another method", "PATCH", "/pet", {}, 405],
    ["a DELETE that has none", "DELETE", "/pet/987654321", {}, 404],
    ["an invalid path parameter", "PUT", "/user/%20", {}, 400],
  ] as const)("is read to its end: %s", async (_, method, path, headers, status) => {
    let ended = false;
    let pieces = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pieces += 1;
        if (pieces <= 40) return controller.enqueue(new Uint8Array(10_000).fill(0x20));
        ended = true;
        controller.close();
      },
    });
    const init: RequestInit = { method, body, headers };
    const request = new Request(`http://petstore.test${basePath}${path}`, init);
    const response = await createApp().fetch(request, env, createExecutionContext());
    await response.text();
    expect(response.status).toBe(status);
    expect(ended).toBe(true);
  });
});
