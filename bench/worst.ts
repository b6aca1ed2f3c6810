// `npx node bench/worst.ts`: the CPU of the worst known requests, beside typical ones. Options: --rounds 5
import { MANY, ONE, badPet, badUser, filled, objects } from "../test/http/worst.ts";
import { build } from "./contestants.ts";
import type { Trial } from "./isolated.ts";
import { harness, isolate, sampleRows } from "./measure.ts";
import type { Sample } from "./measure.ts";
import { environment, median, optionsOf, progress, publish, table } from "./report.ts";
import { fill, serve } from "./serve.ts";
import { statementsOfService } from "./sql.ts";
import { petOf } from "./workloads.ts";
import type { Asked } from "./workloads.ts";

const TYPICAL_IMAGE_BYTES = 512 * 1024;
const COUNTS = { typical: 1000, worst: 60 };

/** The longest URL that Cloudflare allows. */
const URL_BYTES = 16 * 1024;
/** The most that Cloudflare allows for all headers: https://developers.cloudflare.com/workers/platform/limits/#request-limits */
const HEADER_BYTES = 128 * 1000;
const IMAGE_BYTES = 5 * 1024 * 1024;

type Sent = Asked & Pick<Trial, "base64" | "type" | "headers">;

/** How expensive requests differ from the typical one, by name. */
type Worst = Readonly<Record<string, Partial<Sent>>>;

interface Case {
  /** The rows that D1 returns: those of a workload, or these. */
  readonly rows: string | readonly object[];
  readonly typical: Sent;
  readonly worst: Worst;
}

const rounds = Number(optionsOf({ rounds: "5" }).rounds);

const text = (length: number, character = "a") => character.repeat(length);
const numbered = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const short = (index: number) => index.toString(36);
/** Different characters of one script. */
const ideographs = (count: number) =>
  String.fromCodePoint(...numbered(count, (index) => 0x4e00 + index));

const mapped = <Value>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => Partial<Sent>,
): Worst =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

const bodies = (
  byName: Readonly<Record<string, string | object>>,
  more: Partial<Sent> = {},
): Worst =>
  mapped(byName, (body) => ({
    ...more,
    body: typeof body === "string" ? body : JSON.stringify(body),
  }));

/** Requests with these ends of the path. */
const paths = (base: string, byName: Readonly<Record<string, string>>): Worst =>
  mapped(byName, (end) => ({ path: `${base}${end}` }));

/** The most expensive bodies for a JSON parser, up to the limits of size and of values. */
const structures = (bytes: number, values: number): Record<string, string | object> => ({
  zeros: filled("0", bytes),
  arrays: filled("[]", bytes),
  "objects, each of another name": objects(bytes / 12),
  "objects of other names, as many as are parsed": objects(Math.floor(values / 3) - 1),
  "members of other names, as many as are parsed": Object.fromEntries(
    numbered(values - 3, (index) => [`${short(index)}${text(30)}`, 0]),
  ),
  "arrays within arrays": text(bytes / 2, "[") + text(bytes / 2, "]"),
  "arrays within arrays, as many as are parsed": text(values, "[") + text(values, "]"),
  "one string": `"${text(bytes - 2)}"`,
  "one string of escapes": `"${String.raw`\u0001`.repeat(Math.floor((bytes - 2) / 6))}"`,
  "white space": text(bytes, " "),
});

const validPet = (members: object) => ({ name: "Rex", photoUrls: "rex.png", ...members });

const user = (index: number) => ({
  username: `user-${index}`,
  firstName: "Ada",
  lastName: "Byron",
  email: "ada@pets.example",
  password: "correct horse",
  phone: "+44 20 7946 0000",
  userStatus: 0,
});

/** The most expensive queries and forms for a parser. */
const pairs = (bytes: number): Record<string, string> => ({
  "as many parameters as fit": "a&".repeat(bytes / 2),
  "999 parameters": numbered(999, short).join("&"),
  "999 escaped parameters": numbered(999, () => "%61%62=%63")
    .join("&")
    .slice(0, bytes),
  "an escaped parameter": `a=${"%61".repeat(Math.floor(bytes / 3) - 1)}`,
  "as many ampersands as fit": text(bytes, "&"),
});

/** The most expensive preconditions for a parser, up to Cloudflare's limit for headers. */
const conditions = (name: string): Worst =>
  mapped(
    {
      [`${name}: as many tags as count`]: numbered(100, (index) => `"${1000 + index}"`).join(","),
      [`${name}: as many tags as fit`]: '"1",'.repeat(HEADER_BYTES / 4 - 100),
      [`${name}: as many empty tags as fit`]: text(HEADER_BYTES, '"'),
      [`${name}: as many commas as fit`]: text(HEADER_BYTES, ","),
      [`${name}: white space`]: `${text(HEADER_BYTES, " ")}7`,
      [`${name}: a long tag`]: `"${text(HEADER_BYTES, "7")}"`,
      [`${name}: a tag that never ends`]: `"${text(HEADER_BYTES, "7")}`,
    },
    (value) => ({ headers: { [name]: value } }),
  );

/** Two letters, so that a part of it is possible. */
const BOUNDARY = "bc";
const ALMOST = "\r\n--b";
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;
/** A search from the end must compare the whole delimiter at every byte. */
const REPETITIVE = `b${"a".repeat(69)}`;

/** Lines that defeat branch prediction, the same in every run. */
function irregular(length: number): string {
  let state = 1;
  const next = () => (state = (state * 48_271) % 0x7f_ff_ff_ff);
  const pieces = ["\r", "\n", "-", "\r\n", "\r\n-", "\r\n--", ALMOST, "\r\n\r\n"];
  return numbered(length / 2, () => pieces[next() % pieces.length] ?? "")
    .join("")
    .slice(0, length);
}

/** A PNG of this size, as Latin-1. */
const pngOf = (bytes: number, content: string) =>
  `\x89PNG\r\n\x1a\n${content.repeat(Math.ceil(bytes / content.length)).slice(0, bytes - 8)}`;

/** A form with such a PNG. */
const imageForm = (bytes: number, content: string) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="rex.png"\r\nContent-Type: image/png\r\n\r\n${pngOf(bytes, content)}\r\n--${BOUNDARY}--\r\n`;

/** The most expensive multipart forms for a parser, of the largest size. */
function multipart(bytes: number): Record<string, string> {
  const start = `--${BOUNDARY}\r\n`;
  const form = (parts: readonly string[]) => `${parts.join("\r\n")}\r\n--${BOUNDARY}--\r\n`;
  const part = (name: string, value: string) =>
    `${start}Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
  const room = bytes - 200;
  /** Three parts with 8 KiB of such headers, the most that is read, and the worst file that fits. */
  const heads = (unit: string) => {
    const more = `"${unit.repeat(Math.floor(8000 / unit.length))}\r\n`;
    const parts = numbered(3, (index) => part(short(index), "a").replace('"\r\n', more));
    const rest = bytes - 3 * 8200;
    return form([...parts, part('file"; filename="a.png', pngOf(rest, irregular(rest)))]);
  };
  return {
    "100 parts": form(numbered(100, (index) => part(short(index), text(400)))),
    "100 files": form(numbered(100, (index) => part(`${short(index)}"; filename="a`, text(350)))),
    "parts with long headers": heads(`\r\nX-A: ${text(8000)}`),
    "parts with headers of one character": heads("\r\na:"),
    "parts with parameters of one character": heads(";a="),
    // The most of both that is read.
    "100 parts with 16 headers and 16 parameters": form(
      numbered(100, (index) =>
        part(short(index), "a").replace('"\r\n', `"${";a=".repeat(15)}${"\r\na:".repeat(15)}\r\n`),
      ),
    ),
    "parts with many empty values": heads(';name=""'),
    "parts with names of escapes": heads(`;name="${String.raw`\a`.repeat(3900)}"`),
    "a header that never ends": `${start}${text(room, "\r")}`,
    "what is almost a boundary": form([part("name", ALMOST.repeat(room / ALMOST.length))]),
    "a preamble of lines": `${"\r\n".repeat(500)}${form([part("name", text(room - 1200))])}`,
  };
}

const bytesOf = (latin1: string) => ({ base64: Buffer.from(latin1, "latin1").toString("base64") });
const images = "/v2/pet/7/images/";
const byTags = "/v2/pet/findByTags?";
const session = "s".repeat(43);

/** One operation for each parser of input. The other operations use the same parsers. */
const CASES: Readonly<Record<string, Case>> = {
  "POST /pet": {
    rows: "get a pet",
    typical: {
      method: "POST",
      path: "/v2/pet",
      body: JSON.stringify({ ...petOf(7), id: undefined }),
    },
    worst: bodies({
      ...structures(ONE, 1000),
      "members that are all wrong": { ...badPet, id: undefined },
      "100 tags of 400 characters": validPet({
        tags: numbered(100, (tag) => ({ id: tag, name: text(400) })),
      }),
      "strings of 4,096 characters beyond U+FFFF": validPet({
        name: text(4096, "🐕"),
        tags: [text(4096, "🐕")],
      }),
      "1,000 hosts in a string": validPet({ photoUrls: numbered(1000, () => "//a").join(",") }),
      "URLs with a host of 290 ideographs": validPet({
        photoUrls: numbered(55, () => `//${ideographs(290)}`),
      }),
      "URLs with an escaped host": validPet({
        photoUrls: numbered(100, () => `//${encodeURIComponent(ideographs(32))}`),
      }),
    }),
  },
  "POST /store/order": {
    rows: "order",
    typical: { method: "POST", path: "/v2/store/order", body: "{}" },
    worst: bodies({
      "a long date": { shipDate: text(ONE - 20, "1") },
      "a long number": `{"petId":${text(ONE - 20, "9")}}`,
    }),
  },
  "POST /user/createWithArray": {
    rows: "login",
    typical: {
      method: "POST",
      path: "/v2/user/createWithArray",
      body: JSON.stringify(numbered(10, user)),
    },
    worst: bodies({
      ...structures(MANY, 2000),
      "100 users that are all wrong": numbered(100, () => badUser),
      "100 users of 2,500 bytes": numbered(100, (index) => ({
        ...user(index),
        password: text(2200),
        phone: text(200),
      })),
    }),
  },
  "POST /pet/{petId}": {
    rows: "get a pet",
    typical: {
      method: "POST",
      path: "/v2/pet/7",
      body: "name=Rex&status=sold",
      type: "application/x-www-form-urlencoded",
    },
    worst: {
      ...bodies({
        ...pairs(ONE),
        "a name of 4,096 characters, escaped": `name=${encodeURIComponent(text(4090, "🐕"))}`,
      }),
      ...bodies(multipart(ONE), { type: MULTIPART }),
    },
  },
  "POST /pet/{petId}/uploadImage": {
    rows: [{ name: "a.png", dueAt: null }],
    typical: {
      method: "POST",
      path: "/v2/pet/7/uploadImage",
      type: MULTIPART,
      ...bytesOf(imageForm(TYPICAL_IMAGE_BYTES, "\0")),
    },
    worst: {
      "an image of 5 MiB, with a key": {
        ...bytesOf(imageForm(IMAGE_BYTES, "\0")),
        headers: { "Idempotency-Key": "a" },
      },
      ...mapped(
        {
          "an image of carriage returns": imageForm(IMAGE_BYTES, "\r"),
          "an image of what is almost a boundary": imageForm(IMAGE_BYTES, ALMOST),
          "an image of irregular lines": imageForm(IMAGE_BYTES, irregular(IMAGE_BYTES)),
          "5 MiB that are not a form": text(IMAGE_BYTES),
          ...multipart(IMAGE_BYTES),
        },
        bytesOf,
      ),
      "an image and a boundary of one letter": {
        type: `multipart/form-data; boundary=${REPETITIVE}`,
        ...bytesOf(imageForm(IMAGE_BYTES, "a").replaceAll(BOUNDARY, REPETITIVE)),
      },
    },
  },
  "GET /pet/findByTags": {
    rows: "page of 100 by tag",
    typical: { method: "GET", path: `${byTags}tags=dog&limit=100` },
    worst: paths(byTags, {
      ...pairs(URL_BYTES - 100),
      "as many commas as fit": `tags=dog${text(URL_BYTES - 100, ",")}`,
      "as many names as fit": `tags=${numbered(4000, short).join(",")}`.slice(0, URL_BYTES),
      "a long bound": `tags=dog&after=${text(URL_BYTES - 100, "9")}`,
    }),
  },
  "GET /pet/{petId}": {
    rows: "get a pet",
    typical: { method: "GET", path: "/v2/pet/7" },
    worst: {
      ...paths("/v2/pet/", { "a long id": text(16_000, "7"), escapes: "%61".repeat(5000) }),
      ...conditions("If-None-Match"),
    },
  },
  "GET /pet/{petId}/images/{name}": {
    rows: [],
    typical: { method: "GET", path: `${images}${crypto.randomUUID()}.png` },
    worst: mapped(
      {
        "a range of 16,000 digits": `bytes=${text(16_000, "7")}-`,
        "as many ranges as fit": `bytes=${"0-1,".repeat(4000)}`,
      },
      (Range) => ({ headers: { Range } }),
    ),
  },
  "GET /user/logout": {
    rows: [],
    typical: { method: "GET", path: "/v2/user/logout", headers: { Cookie: `session=${session}` } },
    worst: mapped(
      {
        "as many sessions as fit": numbered(
          HEADER_BYTES / 60,
          (index) => `session=${String(index).padStart(4, "0")}${session.slice(4)}`,
        ).join("; "),
        "as many cookies as fit": "a=;".repeat(HEADER_BYTES / 3),
        "a cookie of spaces": `session=${text(HEADER_BYTES, " ")}a`,
      },
      (Cookie) => ({ headers: { Cookie } }),
    ),
  },
};

interface Result {
  readonly operation: string;
  /** The name of its most expensive request. */
  readonly request: string;
  /** Microseconds of CPU. */
  readonly typical: number;
  readonly worst: number;
}

/** Measures the typical request of an operation, and finds the most expensive one. */
async function measure(
  operation: string,
  { typical, worst }: Case,
  sample: Omit<Sample, "count">,
): Promise<Result> {
  const all = Object.entries({ typical: {}, ...worst });
  const measured = new Map<string, number[]>(all.map(([name]) => [name, []]));
  // Round 0 is a warm-up: V8 compiles code again for requests that differ from the earlier ones.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, change] of all) {
      const count = name === "typical" ? COUNTS.typical : COUNTS.worst;
      const expected = name === "typical" ? { expected: 200 } : {};
      const { base64: _, body: __, ...plain } = typical;
      const sent = "body" in change || "base64" in change ? plain : typical;
      const microseconds = await isolate(
        served,
        { ...sent, ...change, ...expected },
        { ...sample, count },
      );
      if (round > 0) measured.get(name)?.push(microseconds);
    }
  }
  const cost = (name: string) => median(measured.get(name) ?? []);
  const [most = ""] = Object.keys(worst).toSorted((one, other) => cost(other) - cost(one));
  return { operation, request: most, typical: cost("typical"), worst: cost(most) };
}

const results: Result[] = [];
const sql = await statementsOfService();
const served = await serve(build("ours"), { sql, harness: harness("isolated") });
try {
  await fill(served.db, 1000);
  const samples = await sampleRows(served.db, sql);
  for (const [operation, one] of Object.entries(CASES)) {
    progress(results.length, Object.keys(CASES).length, `worst requests: ${operation}`);
    const rows = typeof one.rows === "string" ? (samples.get(one.rows) ?? []) : one.rows;
    results.push(await measure(operation, one, { rows, sql }));
  }
} finally {
  await served.stop();
}

/** The highest cost in milliseconds, of uploads or of the other operations. */
const highest = (isUpload: boolean) =>
  Math.max(
    ...results
      .filter(({ operation }) => operation.endsWith("/uploadImage") === isUpload)
      .map(({ worst }) => worst / 1000),
  );

publish(
  "worst",
  `Measured ${environment()} Medians of ${rounds} rounds.

Microseconds of CPU, in isolation. A typical array of users has ten, and a typical image ${TYPICAL_IMAGE_BYTES / 1024} KiB.

${table(
  ["operation", "worst request", "typical", "worst"],
  results.map(({ operation, request, typical, worst }) => [
    operation,
    request,
    typical.toFixed(0),
    worst.toFixed(0),
  ]),
)}`,
  { worst: highest(false), upload: highest(true) },
);
