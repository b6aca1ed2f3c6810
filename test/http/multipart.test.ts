import { describe, expect, test } from "vitest";
import { send } from "../client.ts";
import type { Answer } from "../client.ts";
import { createPet, done, outcome, refusal } from "../fixtures.ts";
import { PNG } from "../images.ts";

// Forms as clients write them, byte by byte.

type Part = readonly [head: string, content: string | Uint8Array<ArrayBuffer>];

interface Form {
  /** Default: `b`. */
  readonly boundary?: string;
  /** The parameter of the media type, where it is not `boundary=<boundary>`. */
  readonly parameter?: string;
  readonly preamble?: string;
  readonly epilogue?: string;
  /** Default: `PARTS`. */
  readonly parts?: readonly Part[];
}

/** The bytes of a form, with CRLF behind each line. */
function bodyOf({ boundary = "b", preamble = "", epilogue = "\r\n", parts = PARTS }: Form): Blob {
  const pieces = parts.flatMap(([head, content]) => [
    `--${boundary}\r\n${head.replaceAll("\n", "\r\n")}\r\n\r\n`,
    content,
    "\r\n",
  ]);
  return new Blob([preamble, ...pieces, `--${boundary}--${epilogue}`]);
}

async function post(path: string, form: Form): Promise<Answer> {
  const { boundary = "b", parameter = `boundary=${boundary}` } = form;
  return send("POST", path, {
    // For a Blob, the runtime would set a `Content-Type`.
    body: await bodyOf(form).arrayBuffer(),
    headers: { "Content-Type": `multipart/form-data; ${parameter}` },
  });
}

const NAME = "Möbius & Söhne 🐕";

const field = (name: string, content: Part[1], ...more: string[]): Part => [
  [`Content-Disposition: form-data; name="${name}"`, ...more].join("\n"),
  content,
];

const EIGHT_BIT = "Content-Transfer-Encoding: 8bit";
const PARTS = [field("name", NAME), field("status", "sold")];

/** A field `name` with the text above and a field `status`, which is `sold`. */
const FIELDS: Readonly<Record<string, Form>> = {
  "a browser and curl": { boundary: "------------------------d74496d66958873e" },
  "HttpClient of .NET": {
    boundary: "7f1c6b1e-4f0a-4f0a-9d53-0d6f3f6a2b11",
    parameter: 'boundary="7f1c6b1e-4f0a-4f0a-9d53-0d6f3f6a2b11"',
    parts: [
      ["Content-Type: text/plain; charset=utf-8\nContent-Disposition: form-data; name=name", NAME],
      [
        "Content-Type: text/plain; charset=utf-8\nContent-Disposition: form-data; name=status",
        "sold",
      ],
    ],
  },
  "Retrofit, with an encoding": {
    parts: [
      field(
        "name",
        NAME,
        "Content-Transfer-Encoding: binary",
        "Content-Type: text/plain; charset=UTF-8",
      ),
      field("status", "sold", EIGHT_BIT),
    ],
  },
  "Apache HttpClient, whose texts are Latin-1 unless told otherwise": {
    boundary: "Xx-7_kJ",
    parts: [
      field("name", NAME, "Content-Type: text/plain; charset=UTF-8", EIGHT_BIT),
      field("status", "sold", "Content-Type: text/plain; charset=ISO-8859-1", EIGHT_BIT),
    ],
  },
  "RestTemplate, with a charset before the boundary": {
    boundary: "xTpNZ0sXd6wv2KWVGvbkq9Vn",
    parameter: "charset=UTF-8;boundary=xTpNZ0sXd6wv2KWVGvbkq9Vn",
    parts: [
      field("name", NAME, "Content-Type: text/plain;charset=UTF-8", "Content-Length: 21"),
      field("status", "sold", "Content-Length: 4"),
    ],
  },
  "a boundary in quotes, because it has other characters": {
    boundary: "=_7Xa.b'c(d)e",
    parameter: `boundary="=_7Xa.b'c(d)e"`,
  },
  "Go, whose boundary has 60 digits": { boundary: "0123456789abcdef".repeat(4).slice(0, 60) },
  "headers in lower case and values in capitals": {
    parts: [
      ['content-disposition: FORM-DATA; name="name"', NAME],
      ["CONTENT-DISPOSITION:Form-Data;name=status", "sold"],
    ],
  },
  "text before the first part and behind the last": {
    preamble: "This is a message with several parts.\r\n",
    epilogue: "\r\nnothing\r\n--b\r\n",
  },
  "an empty line before the first part and nothing behind the last": {
    preamble: "\r\n",
    epilogue: "",
  },
  "a part with an empty name": { parts: [field("", "nothing"), ...PARTS] },
  "a field that comes twice, of which the last counts": {
    parts: [field("name", "Max"), field("status", "sold"), field("name", NAME)],
  },
  "a client that gives parts headers of almost 8 KiB": {
    parts: [
      [
        `${`X-A: ${"a".repeat(500)}\n`.repeat(15)}Content-Disposition: form-data; name="name"`,
        NAME,
      ],
      [
        `Content-Disposition: form-data; name="status"${`\nX-A: ${"a".repeat(500)}`.repeat(15)}`,
        "sold",
      ],
    ],
  },
  "parameters in capitals, with others between them": {
    parts: [
      ['Content-Disposition: form-data; x; y=z; NAME = "name" ; z="; name=x"', NAME],
      ['Content-Disposition: form-data;name=x;x=";";Name=status', "sold"],
    ],
  },
  "the longest boundary that there may be": { boundary: "x".repeat(70) },
  "a gateway that pads boundaries with white space": {
    preamble: `--b \t \r\nContent-Disposition: form-data; name=name\r\n\r\n${NAME}\r\n`,
    parts: [field("status", "sold")],
  },
};

const image = (disposition: string, ...more: string[]): Part => [
  [`Content-Disposition: ${disposition}`, "Content-Type: image/png", ...more].join("\n"),
  PNG,
];

/** A file, and what the answer calls it. */
const FILES: Readonly<Record<string, readonly [Part, string]>> = {
  "a browser and curl": [image('form-data; name="file"; filename="rex.png"'), "rex.png"],
  "a name with quotes, as browsers write it": [
    image('form-data; name="file"; filename="a %22b%22.png"'),
    "a %22b%22.png",
  ],
  "a name with quotes, as curl and Go write it": [
    image('form-data; name="file"; filename="a \\"b\\".png"'),
    'a "b".png',
  ],
  "a name with what looks like parameters": [
    image('form-data; filename="a; name=b; filename*=c; \\"d.png"; name="file"'),
    'a; name=b; filename*=c; "d.png',
  ],
  "a name in UTF-8": [image('form-data; name="file"; filename="größer.png"'), "größer.png"],
  "HttpClient of .NET": [
    image("form-data; name=file; filename=rex.png; filename*=utf-8''rex.png"),
    "rex.png",
  ],
  "HttpClient of .NET, with a name beyond ASCII": [
    image(
      `form-data; name=file; filename="=?utf-8?B?Z3LDtsOfZXIucG5n?="; filename*=utf-8''gr%C3%B6%C3%9Fer.png`,
    ),
    "größer.png",
  ],
  "requests of Python, with a name beyond ASCII": [
    image(`form-data; name="file"; filename*=utf-8''gr%C3%B6%C3%9Fer%20%F0%9F%90%95.png`),
    "größer 🐕.png",
  ],
  "Postman, without a type": [
    ['Content-Disposition: form-data; name="file"; filename="rex.png"', PNG],
    "rex.png",
  ],
  "an empty file name": [image('form-data; name="file"; filename=""'), ""],
  "bytes without a file name": [
    ['Content-Disposition: form-data; name="file"\nContent-Type: application/octet-stream', PNG],
    "blob",
  ],
  "an image without a file name": [image('form-data; name="file"'), "blob"],
  "a file in Latin-1": [
    field("file", Uint8Array.of(0x52, 0xe9), "Content-Type: text/plain; charset=ISO-8859-1"),
    "blob",
  ],
  "a field of text": [field("file", "hello"), "blob"],
};

const LATIN_1 = Uint8Array.of(0x52, 0xe9);
const many = (count: number): Part[] =>
  Array.from({ length: count }, (_, index) => field(`x${index}`, ""));

/** A field whose headers have so many bytes. */
function withHeaders(name: string, bytes: number): Part {
  const [header] = field(name, "", "X-Padding: ");
  // The line break between them takes two bytes.
  return field(name, "Max", `X-Padding: ${"x".repeat(bytes - header.length - 1)}`);
}

/** Fields, the last of them `name`, whose headers have so many bytes in all. */
const withHeadersInAll = (bytes: number): Part[] => [
  ...["a", "b", "c", "d"].map((name) => withHeaders(name, 8000)),
  withHeaders("name", bytes - 4 * 8000),
];

/** Forms of which nothing is taken, and what the answer says of them. */
const MALFORMED: Readonly<Record<string, readonly [Form, string]>> = {
  "no UTF-8 in a field": [{ parts: [field("name", LATIN_1)] }, "is not in UTF-8"],
  "no UTF-8 in a field that nobody knows": [{ parts: [field("x", LATIN_1)] }, "is not in UTF-8"],
  "no UTF-8 in a field that says so": [
    { parts: [field("name", LATIN_1, "Content-Type: text/plain; charset=ISO-8859-1")] },
    "is not in UTF-8",
  ],
  "what looks like UTF-8 in a field that says otherwise": [
    { parts: [field("name", "é", "Content-Type: text/plain; charset=ISO-8859-1")] },
    "has a field that is not in UTF-8",
  ],
  "no UTF-8 in the name of a file": [
    { parts: [image(`form-data; name="file"; filename*=utf-8''%FF.png`)] },
    "has a file name that is not in UTF-8",
  ],
  "another charset for the name of a file": [
    { parts: [image(`form-data; name="file"; filename*=iso-8859-1''%E9.png`)] },
    "has a file name that is not in UTF-8",
  ],
  "a part in base64": [
    { parts: [field("name", "TWF4", "Content-Transfer-Encoding: base64")] },
    "has a part with a Content-Transfer-Encoding",
  ],
  "a part without a name": [
    { parts: [["Content-Disposition: form-data", "Max"]] },
    "has a part without a name",
  ],
  "a part without headers": [
    { preamble: "--b\r\n\r\nMax\r\n", parts: PARTS },
    "has a part without headers",
  ],
  "a part with an empty line for headers": [{ parts: [["", "Max"]] }, "has a part without headers"],
  "101 parts": [{ parts: many(101) }, "has more than 100 parts"],
  "17 headers of a part": [
    { parts: [field("name", "Max", ...Array.from({ length: 16 }, () => "a:"))] },
    "has more than 16 headers in a part",
  ],
  "17 parameters of a header": [
    { parts: [[`Content-Disposition: form-data; name=name${";a=".repeat(16)}`, "Max"]] },
    "has more than 16 parameters in a header",
  ],
  "headers of a part of more than 8 KiB": [
    { parts: [withHeaders("name", 8 * 1024 + 1)] },
    "has a part with headers of more than 8192 bytes",
  ],
  "headers of more than 32 KiB in all": [
    { parts: withHeadersInAll(32 * 1024 + 1) },
    "has headers of more than 32768 bytes in all",
  ],
  "headers without an end": [
    { preamble: '--b\r\nContent-Disposition: form-data; name="name"\r\n', parts: [] },
    "has a part whose headers do not end with an empty line",
  ],
  "more than 1 KiB before the first part": [
    { preamble: `${"x".repeat(1024)}\r\n`, parts: [field("name", "Max")] },
    "has no part in its first 1024 bytes",
  ],
  "a boundary of 71 characters": [
    { boundary: "x".repeat(71), parts: [field("name", "Max")] },
    "has no boundary of at most 70 characters",
  ],
  "another boundary": [
    { parameter: "boundary=c", parts: [field("name", "Max")] },
    "has no part in its first 1024 bytes",
  ],
  "a boundary without an end": [
    { parameter: 'boundary="b', parts: [] },
    "has no part in its first 1024 bytes",
  ],
  "a part that nothing closes": [
    {
      preamble: '--c\r\nContent-Disposition: form-data; name="name"\r\n\r\nMax\r\n',
      parameter: "boundary=c",
      parts: [],
    },
    "does not end with its boundary",
  ],
  "text behind a boundary": [
    { preamble: '--bc\r\nContent-Disposition: form-data; name="name"\r\n\r\nMax\r\n', parts: [] },
    "has text after its boundary",
  ],
  "lines that end with a line feed only": [
    { preamble: '--b\nContent-Disposition: form-data; name="name"\n\nMax\n', parts: [] },
    "has lines that do not end with CRLF",
  ],
  "headers that end with a line feed only": [
    { preamble: '--b\r\nContent-Disposition: form-data; name="name"\n\nMax\r\n', parts: [] },
    "has lines that do not end with CRLF",
  ],
};

describe("a form of parts", () => {
  test.each(Object.entries(FIELDS))("is understood as written by %s §3.12.7", async (_, form) => {
    const { id, path, shown } = await createPet({ status: "pending" });
    expect(outcome(await post(path, form))).toEqual(done(String(id)));
    expect((await send("GET", path)).json).toEqual({ ...shown, name: NAME, status: "sold" });
  });

  test.each(Object.entries(FILES))(
    "with a file is understood as written by %s §3.12.7 §9.6",
    async (_, [part, called]) => {
      const { id } = await createPet();
      const form = { parts: [field("additionalMetadata", "at the lake"), part] };
      expect(outcome(await post(`/pet/${id}/uploadImage`, form))).toEqual(
        done(
          `additionalMetadata: at the lake\nFile uploaded to ./${called}, ${part[1].length} bytes`,
        ),
      );
    },
  );

  test.each(Object.entries(MALFORMED))(
    "with %s is refused as a whole, and the answer says why §3.12.8",
    async (_, [form, message]) => {
      const { id, path, shown } = await createPet();
      const errors = [{ path: "body", message }];
      const refused = await post(path, form);
      expect(outcome(refused)).toEqual(refusal(405, "Invalid input", "body"));
      expect(refused.json).toMatchObject({ errors });
      const upload = await post(`/pet/${id}/uploadImage`, form);
      expect(outcome(upload)).toEqual(refusal(400, "Invalid image supplied", "body"));
      expect(upload.json).toMatchObject({ errors });
      expect((await send("GET", path)).json).toEqual(shown);
    },
  );

  test.each([
    "\r",
    "\n",
    "\r\n",
    "\r\n--",
    "\r\n-",
    "--bc",
    "\r\n--c",
    "\r\r\n--\r\n",
    "\r\n\r\n",
    "-",
  ])("keeps %j, which is no delimiter, wherever it stands", async (content) => {
    const { id } = await createPet();
    const kept = `${content}x${content}${content}`;
    const form = {
      boundary: "bc",
      parts: [field("additionalMetadata", kept), image("form-data; name=file; filename=a")],
    };
    expect(outcome(await post(`/pet/${id}/uploadImage`, form))).toEqual(
      done(`additionalMetadata: ${kept}\nFile uploaded to ./a, ${PNG.length} bytes`),
    );
  });

  test("may have 16 headers in a part and 16 parameters in a header §3.12.8", async () => {
    const { path } = await createPet();
    const head = [
      `Content-Disposition: form-data; name=name${";a=".repeat(15)}`,
      ...Array.from({ length: 15 }, () => "a:"),
    ].join("\n");
    expect((await post(path, { parts: [[head, "Max"]] })).status).toBe(200);
  });

  test.each<[string, Part[]]>([
    ["100 parts", [...many(99), field("name", "Max")]],
    ["headers of 8 KiB in a part", [withHeaders("name", 8 * 1024)]],
    ["headers of 32 KiB in all", withHeadersInAll(32 * 1024)],
  ])("may have %s §3.12.8", async (_, parts) => {
    const { path } = await createPet();
    expect((await post(path, { parts })).status).toBe(200);
    expect((await send("GET", path)).json).toMatchObject({ name: "Max" });
  });

  test("with a byte order mark in a field keeps it: it is text of the field §3.12.7", async () => {
    const { id } = await createPet();
    const answer = await send("POST", `/pet/${id}`, {
      body: '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\n\u{FEFF}Rex\r\n--b--\r\n',
      headers: { "Content-Type": "multipart/form-data; boundary=b" },
    });
    expect(answer.status).toBe(200);
    expect((await send("GET", `/pet/${id}`)).json).toMatchObject({ name: "\u{FEFF}Rex" });
  });

  test("with fields named like those of an object's prototype pollutes nothing", async () => {
    const { path } = await createPet();
    const parts = [field("__proto__", "x"), field("constructor", "x"), field("name", "Max")];
    expect((await post(path, { parts })).status).toBe(200);
    expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
  });
});
