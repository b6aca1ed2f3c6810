import { env } from "cloudflare:workers";
import { messagesOf } from "../../src/http/operation.ts";
import { createWorker } from "../../src/worker.ts";
import { describe, expect, test } from "vitest";
import { MAX_BODY_BYTES } from "../../src/http/body.ts";
import { send } from "../client.ts";
import type { Answer } from "../client.ts";
import { clientWith, outcome, refusal } from "../fixtures.ts";
import { operationOf, prepare } from "../operations.ts";
import { basePath } from "../engine.ts";
import { words } from "../spellings.ts";

/** The media types and content codings that a 415 suggests. */
const hintsOf = ({ headers }: Answer) => [headers.get("accept"), headers.get("accept-encoding")];

interface Writing {
  readonly id: string;
  readonly invalid: number;
  /** Default: `invalid`. */
  readonly malformed?: number;
  readonly text: string;
}

/**
 * Every operation that takes a JSON object: its status for a body that does not fit, or is no object, and a member that
 * takes a text.
 */
const WRITINGS: readonly [Writing, ...Writing[]] = [
  { id: "addPet", invalid: 405, text: "name" },
  { id: "updatePet", invalid: 405, text: "name" },
  { id: "placeOrder", invalid: 400, text: "shipDate" },
  { id: "createUser", invalid: 400, text: "firstName" },
  { id: "updateUser", invalid: 400, text: "firstName" },
  { id: "/api/v3#addPet", malformed: 400, invalid: 422, text: "name" },
  { id: "/api/v3#updatePet", malformed: 400, invalid: 422, text: "name" },
  { id: "/api/v3#placeOrder", malformed: 400, invalid: 422, text: "shipDate" },
  { id: "/api/v3#createUser", malformed: 400, invalid: 422, text: "firstName" },
  { id: "/api/v3#updateUser", malformed: 400, invalid: 422, text: "firstName" },
];
const JSON_TYPE = { "Content-Type": "application/json" };

const bytes = (text: string) => new TextEncoder().encode(text);

/** A body of unknown length, in chunks. */
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

/** Sends a valid request of an operation, but with this body. */
async function sendBody(
  id: string,
  bodyOf: BodyInit | undefined | ((content: object) => BodyInit),
  headers: Record<string, string> = JSON_TYPE,
  client = send,
): Promise<Answer> {
  const { method, path, json, basePath: to } = (await prepare(id)).request;
  const body = typeof bodyOf === "function" ? bodyOf(json as object) : bodyOf;
  // A string would set a Content-Type.
  const sent = typeof body === "string" ? bytes(body) : body;
  return client(method, path, {
    ...(to && { basePath: to }),
    headers,
    ...(sent !== undefined && { body: sent }),
  });
}

/** The same with these members, too. */
const sendWith = async (id: string, members: object): Promise<Answer> =>
  sendBody(id, (content) => JSON.stringify({ ...content, ...members }));

/** The content, padded with an unknown member to this many bytes. */
function padded(content: object, length: number): string {
  const frame = JSON.stringify({ ...content, padding: "" });
  return frame.replace(/""}$/, `"${"x".repeat(length - frame.length)}"}`);
}

// All operations read bodies in the same way, so one tries every body, and the others one of each kind.
const [MOST, ...OTHERS] = WRITINGS;

const { id, invalid, text } = MOST;
const message = messagesOf(operationOf(id).operation)[invalid] ?? "";
const refused = refusal(invalid, message, "body");

describe(`the media type of ${id}`, () => {
  test.each([
    undefined,
    ...words("application/json Application/JSON application/json; application/json;x=y"),
    ...words('application/json;charset=UTF-8 application/json;charset="utf-8"'),
    "application/json ; charset=utf8",
    "application/json; charset=utf-8; odata=verbose",
  ])("may be %s §2.1.1", async (type) => {
    const headers = type === undefined ? {} : { "Content-Type": type };
    expect((await sendBody(id, JSON.stringify, headers)).status).toBe(200);
  });

  test.each([
    ...words("text/plain text/json application/xml application/x-www-form-urlencoded */*"),
    ...words("application/octet-stream application/jsonp application/json-patch+json"),
    ...words("application/merge-patch+json multipart/form-data;boundary=x"),
    ...["iso-8859-1", "utf-16", "utf-8x"].map((charset) => `application/json; charset=${charset}`),
  ])("is refused with 415 when it is %s §2.1.2", async (type) => {
    const answer = await sendBody(id, JSON.stringify, { "Content-Type": type });
    expect(outcome(answer)).toEqual(refusal(415, "Unsupported media type", "Content-Type"));
    expect(hintsOf(answer)).toEqual(["application/json", null]);
  });

  test.each([
    ["text/plain", "must be application/json, not text/plain"],
    ["Text/XML; password=secret", "must be application/json, not text/xml"],
    ["password=secret", "must be application/json"],
    [
      "application/json; charset=utf-16",
      "must have valid parameters: a charset of UTF-8, a boundary",
    ],
  ])("that is refused is named, with the one to send: %s §2.1.2", async (type, reason) => {
    const { json } = await sendBody(id, JSON.stringify, { "Content-Type": type });
    expect(json).toMatchObject({ errors: [{ path: "Content-Type", message: reason }] });
  });

  test.each(["gzip", "deflate", "br", "zstd", "nonsense"])(
    "is refused with 415 when the content is encoded: %s §2.1.2",
    async (coding) => {
      const headers = { ...JSON_TYPE, "Content-Encoding": coding };
      // Calls the app directly, because fetch would decode it.
      const answer = await sendBody(id, JSON.stringify, headers, clientWith());
      expect(outcome(answer)).toEqual(refusal(415, "Unsupported media type", "Content-Encoding"));
      expect(answer.text).toContain(`must be identity, not ${coding}`);
      expect(hintsOf(answer)).toEqual([null, "identity"]);
    },
  );
});

describe(`the body of ${id}`, () => {
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
    ["followed by U+0000", "{}\0"],
    ["with an escape that is none", String.raw`{"name":"\x41"}`],
    ["with half an escape", String.raw`{"name":"\u00"}`],
    ["behind a no-break space", "\u{A0}{}"],
    ["behind two byte order marks", "\u{FEFF}\u{FEFF}{}"],
    ["only a byte order mark", "\u{FEFF}"],
  ])(`is ${invalid} when it is no JSON: %s §2.2 §3.5.2`, async (_, body) => {
    expect(outcome(await sendBody(id, body))).toEqual(refused);
  });

  test.each([...words(`[] [{"name":"Rex","photoUrls":"a"}] null "text" "" 7 0 true false`)])(
    `is ${invalid} when it is no object: %s §2.2 §3.5.2`,
    async (body) => {
      expect(outcome(await sendBody(id, body))).toEqual(refused);
    },
  );

  test(`is ${invalid} when it is empty or absent §2.2 §4.2.1`, async () => {
    for (const answer of [
      await sendBody(id, undefined, {}),
      await sendBody(id, undefined),
      await sendBody(id, ""),
      await sendBody(id, streamOf(new Uint8Array(0))),
    ]) {
      expect(outcome(answer)).toEqual(refused);
    }
  });

  test.each([
    ["a lone byte", [0xff]],
    ["a cut sequence", [0xc3]],
    ["an overlong form", [0xc0, 0xaf]],
    ["an overlong U+0000", [0xc0, 0x80]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
    ["Latin-1", [0xe9]],
    ["UTF-16", [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])(`is ${invalid} when it is not UTF-8: %s §2.2`, async (_, sequence) => {
    const body = new Uint8Array([...bytes('{"name":"'), ...sequence, ...bytes('"}')]);
    expect(outcome(await sendBody(id, body))).toEqual(refused);
  });

  test(`is ${invalid} when it is nested very deeply §2.2 §V1.5`, async () => {
    for (const body of ["[".repeat(40_000), `${"[".repeat(20_000)}${"]".repeat(20_000)}`]) {
      expect(outcome(await sendBody(id, body))).toEqual(refused);
    }
    const deep = `${'{"a":'.repeat(8000)}1${"}".repeat(8000)}`;
    const answer = await sendBody(id, (content) =>
      JSON.stringify({ ...content, [text]: 0 }).replace(`"${text}":0`, `"${text}":${deep}`),
    );
    expect(answer.status).toBe(invalid);
  });

  test("may hold unknown members, however deep, which are ignored §2.5.1 §API3", async () => {
    const answer = await sendBody(id, (content) =>
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

  test.each([
    ["a byte order mark", "\u{FEFF}", ""],
    ["white space", "\r\n\t ", " \n"],
  ])("may have %s around it", async (_, before, behind) => {
    const answer = await sendBody(id, (content) => before + JSON.stringify(content) + behind);
    expect(answer.status).toBe(200);
  });

  test.each(["with Content-Length", "without Content-Length"])(
    "may have 48 KiB, and is 413 with one byte more: %s §2.3.1 §API4",
    async (length) => {
      const sendBytes = async (count: number) =>
        sendBody(id, (content) => {
          const body = padded(content, count);
          return length === "with Content-Length" ? body : streamOf(bytes(body));
        });
      expect((await sendBytes(MAX_BODY_BYTES)).status).toBe(200);
      for (const count of [MAX_BODY_BYTES + 1, 3 * MAX_BODY_BYTES]) {
        const answer = await sendBytes(count);
        expect(outcome(answer)).toEqual(refusal(413, "Content too large"));
      }
    },
  );

  test("pollutes nothing through __proto__, constructor and prototype §2.5.2 §V1.5", async () => {
    const hostile =
      '"__proto__":{"polluted":"yes","status":"pending","quantity":-1},"constructor":{"prototype":{"polluted":"yes"}},"prototype":{"polluted":"yes"},';
    const answer = await sendBody(id, (content) =>
      JSON.stringify({ ...content, last: 0 }).replace("{", `{${hostile}`),
    );
    expect(answer.status).toBe(200);
    expect(answer.text).not.toMatch(/polluted|pending|-1/);
    expect({}).not.toHaveProperty("polluted");
    expect(Object.prototype).not.toHaveProperty("polluted");
  });

  test("may not be made valid by what __proto__ brings §2.5.2 §V1.5", async () => {
    const answer = await sendBody(id, (content) =>
      JSON.stringify({ ...content, [text]: 7 }).replace("{", `{"__proto__":{"${text}":"x"},`),
    );
    expect(outcome(answer)).toEqual(refusal(invalid, message, text));
  });
});

test.each(OTHERS)("$id reads its body in the same way §2.2 §11.2.1 §11.2.5", async (other) => {
  const { id: of, invalid: status, malformed = status, text: member } = other;
  const errors = messagesOf(operationOf(of).operation);
  const whole = refusal(malformed, errors[malformed] ?? "", "body");
  expect(outcome(await sendBody(of, undefined, {}))).toEqual(whole);
  for (const body of words("{ [] null 7")) expect(outcome(await sendBody(of, body))).toEqual(whole);
  const what = errors[status] ?? "";
  for (const value of [7, "x".repeat(4097)]) {
    const answer = await sendWith(of, { [member]: value });
    expect(outcome(answer)).toEqual(refusal(status, what, member));
  }
  for (const type of words("text/plain application/x-www-form-urlencoded application/xml")) {
    const answer = await sendBody(of, JSON.stringify, { "Content-Type": type });
    expect(outcome(answer)).toEqual(refusal(415, "Unsupported media type", "Content-Type"));
    expect(hintsOf(answer)).toEqual(["application/json", null]);
  }
  const sizes = [MAX_BODY_BYTES, MAX_BODY_BYTES + 1].map(async (size) =>
    sendBody(of, (content) => padded(content, size)),
  );
  expect((await Promise.all(sizes)).map((answer) => answer.status)).toEqual([200, 413]);
});

const refusedText = refusal(invalid, message, text);

describe(`a string of ${id}`, () => {
  test.each(words(String.raw`\ud800 \udc00 \udc00\ud800 a\ud83db \u0000 a\u0000b`))(
    "may not hold %s §2.6.1",
    async (escaped) => {
      const answer = await sendBody(id, (content) =>
        JSON.stringify({ ...content, [text]: "@" }).replace('"@"', `"${escaped}"`),
      );
      expect(outcome(answer)).toEqual(refusedText);
    },
  );

  test.each(["a", "é", "漢", "🐶", "\u{10FFFF}"])(
    "may have 4,096 characters and not 4,097, each counted once: %s §2.6.2",
    async (character) => {
      const most = character.repeat(4096);
      expect((await sendWith(id, { [text]: most })).status).toBe(200);
      expect(outcome(await sendWith(id, { [text]: most + character }))).toEqual(refusedText);
    },
  );

  test("may hold an escaped pair of surrogates §2.6.1", async () => {
    const answer = await sendBody(id, (content) =>
      JSON.stringify({ ...content, [text]: "@" }).replace('"@"', String.raw`"\ud83d\udc36"`),
    );
    expect(answer.status).toBe(200);
  });

  test.each([[7], [true], [{}], [["text"]], [[]], [0], [false]])(
    "is never made of something else: %j §2.7.1 §V15.3",
    async (value) => {
      expect(outcome(await sendWith(id, { [text]: value }))).toEqual(refusedText);
    },
  );
});

describe("a body that the answer does not need", () => {
  test.each([
    ["another media type", "POST", "/pet", { "Content-Type": "text/plain" }, 415],
    ["too much, announced", "POST", "/pet", { "Content-Length": String(MAX_BODY_BYTES + 1) }, 413],
    ["too much, not announced", "POST", "/pet", {}, 413],
    ["an unknown path", "POST", "/nowhere", {}, 404],
    ["another method", "PATCH", "/pet", {}, 405],
    ["a DELETE that has none", "DELETE", "/pet/987654321", {}, 404],
    ["an invalid path parameter", "PUT", "/user/%20", {}, 400],
  ] as const)("is read to its end: %s §2.3.4 §V4.1", async (_, method, path, headers, status) => {
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
    const response = await createWorker().fetch(request, env);
    await response.text();
    expect(response.status).toBe(status);
    expect(ended).toBe(true);
  });
});
