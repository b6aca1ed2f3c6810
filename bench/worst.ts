// `npm run bench:worst`: compares the cost of the worst requests that we found with typical ones. Options: --rounds 5
import { parseArgs } from "node:util";
import { routes } from "../src/routes.ts";
import { build } from "./contestants.ts";
import type { Trial } from "./isolated.ts";
import { harness, isolate, sampleRows } from "./measure.ts";
import { environment, median, progress, publish, table } from "./report.ts";
import { fill, migrate, serve } from "./serve.ts";
import { statementsOfService } from "./sql.ts";
import type { Sql } from "./sql.ts";
import { petOf } from "./workloads.ts";
import type { Asked } from "./workloads.ts";

/** The limit for the CPU of the worst request, in multiples of a typical one. */
const TARGET = 20;
const MAX_ANSWER_BYTES = 32 * 1024;
const TYPICAL_IMAGE_BYTES = 512 * 1024;
const COUNTS = { typical: 1000, worst: 60 };

const ONE = 48 * 1024;
const MANY = 256 * 1024;
/** The longest URL that Cloudflare allows. */
const URL_BYTES = 16 * 1024;
/** What it lets all headers have: https://developers.cloudflare.com/workers/platform/limits/#request-limits */
const HEADER_BYTES = 128 * 1000;

/** The rows that D1 returns: those of a workload, or these. */
type Rows = string | readonly object[];

type Sent = Asked & Pick<Trial, "base64" | "type" | "headers">;

/** A request that may cost much. */
interface Tried extends Sent {
  readonly name: string;
  /** Where they are not those of the case. */
  readonly rows?: Rows;
}

interface Case {
  readonly operation: string;
  readonly rows: Rows;
  readonly typical: Sent;
  readonly worst: readonly Tried[];
}

const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const rounds = Number(options.rounds);

const FORM = "application/x-www-form-urlencoded";
const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const text = (length: number, character = "a") => character.repeat(length);
const short = (index: number) => index.toString(36);
/** Characters of a script that has thousands of them. Each is used once. */
const ideographs = (count: number) =>
  String.fromCodePoint(...times(count, (index) => 0x4e00 + index));

/** A JSON array of as many of these items as fit. */
function filled(item: (index: number) => string, bytes: number): string {
  let json = "[";
  for (let index = 0; json.length < bytes - 20; index++) json += `${item(index)},`;
  return `${json}0]`;
}

/** The most expensive bodies for a JSON parser, of the largest size that is read. */
const structures = (bytes: number, values: number): Record<string, string> => ({
  zeros: filled(() => "0", bytes),
  arrays: filled(() => "[]", bytes),
  "objects, each of another name": filled((index) => `{"${short(index)}":0}`, bytes),
  "objects of other names, as many as are parsed": JSON.stringify(
    times(Math.floor(values / 3) - 1, (index) => ({ [short(index)]: 0 })),
  ),
  "members of other names, as many as are parsed": JSON.stringify(
    Object.fromEntries(times(values - 3, (index) => [`${short(index)}${text(30)}`, 0])),
  ),
  "arrays within arrays": text(bytes / 2, "[") + text(bytes / 2, "]"),
  "arrays within arrays, as many as are parsed": text(values, "[") + text(values, "]"),
  "one string": `"${text(bytes - 2)}"`,
  "one string of escapes": `"${String.raw`\u0001`.repeat(Math.floor((bytes - 2) / 6))}"`,
  "white space": text(bytes, " "),
});

const bodies = (
  asked: Pick<Tried, "method" | "path" | "type">,
  byName: Readonly<Record<string, string>>,
): Tried[] => Object.entries(byName).map(([name, body]) => ({ name, ...asked, body }));

/** Requests whose path ends in these. */
const gets = (path: string, byName: Readonly<Record<string, string>>): Tried[] =>
  Object.entries(byName).map(([name, end]) => ({ name, method: "GET", path: `${path}${end}` }));

const badTag = { id: "1", name: 1 };
const pets = (method: "POST" | "PUT", id: object): Case => {
  const served = (name: string, members: object): Tried => ({
    name,
    method,
    path: "/v2/pet",
    body: JSON.stringify({ ...id, name: "Rex", photoUrls: "rex.png", ...members }),
  });
  const hosts = (host: string) => times(100, () => host);
  return {
    operation: `${method} /pet`,
    rows: "get a pet",
    typical: {
      method,
      path: "/v2/pet",
      body: JSON.stringify({ ...petOf(7), id: undefined, ...id }),
    },
    worst: [
      ...bodies(
        { method, path: "/v2/pet" },
        {
          ...structures(ONE, 1000),
          "members that are all wrong": JSON.stringify({
            ...id,
            name: 1,
            category: badTag,
            photoUrls: times(100, () => 0),
            tags: times(100, () => badTag),
            status: 1,
          }),
        },
      ),
      served("100 tags of 400 characters", {
        tags: times(100, (index) => ({ id: index, name: text(400) })),
      }),
      served("100 tags of 160 ideographs", { tags: times(100, () => ideographs(150)) }),
      served("strings of 4,096 characters beyond U+FFFF", {
        name: text(4096, "🐕"),
        tags: times(1, () => text(4096, "🐕")),
      }),
      served("2,048 URLs in a string", {
        photoUrls: times(2048, () => "a")
          .join(",")
          .slice(0, 4095),
      }),
      served("1,000 hosts in a string", { photoUrls: times(1000, () => "//a").join(",") }),
      served("100 URLs with a host of 290 ideographs", {
        photoUrls: times(55, () => `//${ideographs(290)}`),
      }),
      served("100 URLs with a host in Punycode", {
        photoUrls: hosts(new URL(`http://${ideographs(140)}`).origin.slice(0, 300)),
      }),
      served("100 URLs with an escaped host", {
        photoUrls: hosts(`//${encodeURIComponent(ideographs(32))}`),
      }),
      served("URLs of 4,096 ideographs", { photoUrls: times(3, () => ideographs(4096)) }),
    ],
  };
};

const user = (index: number) => ({
  username: `user-${index}`,
  firstName: "Ada",
  lastName: "Byron",
  email: "ada@pets.example",
  password: "correct horse",
  phone: "+44 20 7946 0000",
  userStatus: 0,
});
const badUser = {
  id: "1",
  username: 1,
  firstName: 1,
  lastName: 1,
  email: 1,
  password: 1,
  phone: 1,
  userStatus: "1",
};
const longUser = {
  ...user(1),
  firstName: text(4096, "🐕"),
  password: text(4096, "🐕"),
  email: text(4096),
};

const users = (method: "POST" | "PUT", path: string): Case => ({
  operation: method === "POST" ? "POST /user" : "PUT /user/{username}",
  rows: "login",
  typical: { method, path, body: JSON.stringify(user(1)) },
  worst: bodies(
    { method, path },
    {
      ...structures(ONE, 1000),
      "members that are all wrong": JSON.stringify(badUser),
      "members of 4,096 characters": JSON.stringify(longUser),
    },
  ),
});

const manyUsers = (name: string): Case => {
  const [method, path] = ["POST", `/v2/user/${name}`] as const;
  return {
    operation: `POST /user/${name}`,
    rows: "login",
    typical: { method, path, body: JSON.stringify(times(10, user)) },
    worst: bodies(
      { method, path },
      {
        ...structures(MANY, 2000),
        "100 users that are all wrong": JSON.stringify(times(100, () => badUser)),
        "100 users": JSON.stringify(times(100, user)),
        "100 users of 2,500 bytes": JSON.stringify(
          times(100, (index) => ({ ...user(index), password: text(2200), phone: text(200) })),
        ),
      },
    ),
  };
};

/** The most expensive queries and forms for a parser. */
const pairs = (bytes: number): Record<string, string> => ({
  "as many parameters as fit": "a&".repeat(bytes / 2),
  "999 parameters": times(999, short).join("&"),
  "999 escaped parameters": times(999, () => "%61%62=%63")
    .join("&")
    .slice(0, bytes),
  "an escaped parameter": `a=${"%61".repeat(Math.floor(bytes / 3) - 1)}`,
  "as many ampersands as fit": text(bytes, "&"),
});

const list = (name: string, valid: string, workload: string): Case => {
  const path = `/v2/pet/${name}?`;
  return {
    operation: `GET /pet/${name}`,
    rows: workload,
    typical: { method: "GET", path: `${path}${valid}&limit=100` },
    worst: [
      ...gets(path, {
        ...pairs(URL_BYTES - 100),
        "as many commas as fit": `${valid}${text(URL_BYTES - 100, ",")}`,
        "names as many as fit": `${valid},${times(4000, short).join(",")}`.slice(0, URL_BYTES),
        "a long bound": `${valid}&after=${text(URL_BYTES - 100, "9")}`,
      }),
    ],
  };
};

const versions = (count: number) => times(count, (index) => `"${1000 + index}"`).join(",");

/** The most expensive preconditions for a parser, of the largest size that Cloudflare allows for headers. */
const conditions = (name: "If-Match" | "If-None-Match", asked: Asked): Tried[] => {
  const tried = Object.entries({
    "as many tags as count": versions(100),
    "as many tags as fit": '"1",'.repeat(HEADER_BYTES / 4 - 100),
    "as many empty tags as fit": text(HEADER_BYTES, '"'),
    "as many tags with a space as fit": '"1 ",'.repeat(HEADER_BYTES / 5 - 100),
    "as many commas as fit": text(HEADER_BYTES, ","),
    "as many stars as fit": `${"*,".repeat(HEADER_BYTES / 2 - 100)}7`,
    "white space": `${text(HEADER_BYTES, " ")}7`,
    "a long tag": `"${text(HEADER_BYTES, "7")}"`,
    "a tag that never ends": `"${text(HEADER_BYTES, "7")}`,
  }).map(([what, value]) => ({
    name: `${name}: ${what}`,
    ...asked,
    headers: { [name]: value },
  }));
  const both = { "If-Match": `${versions(99)},"7"`, "If-None-Match": versions(100) };
  return [...tried, { name: "both preconditions, as many tags as count", ...asked, headers: both }];
};

/** The read of something that has an id. */
const reading = (path: string, operation: string, workload: string): Case => {
  const typical: Asked = { method: "GET", path: `${path}7` };
  return {
    operation,
    rows: workload,
    typical,
    worst: [
      ...gets(path, {
        "an id of 16,000 digits": text(16_000, "7"),
        escapes: "%61".repeat(5000),
      }),
      ...conditions("If-None-Match", typical),
    ],
  };
};

/** The delete of something that has an id or a name. */
const deletion = (path: string, name: string, operation: string, row: object): Case => {
  const typical: Asked = { method: "DELETE", path: `${path}${name}` };
  return {
    operation,
    rows: [row],
    typical,
    worst: [
      ...conditions("If-Match", typical),
      { ...typical, name: "a long path", path: `${path}${text(16_000, "7")}` },
      { ...typical, name: "a long path of escapes", path: `${path}${"%61".repeat(5000)}` },
    ],
  };
};

/** Of two letters, so that there is a beginning of it. */
const BOUNDARY = "bc";
const ALMOST = "\r\n--b";

/** The most expensive forms of parts for a parser, of the largest size that is read. */
function multipart(bytes: number): Record<string, string> {
  const start = `--${BOUNDARY}\r\n`;
  const form = (parts: readonly string[]) => `${parts.join("\r\n")}\r\n--${BOUNDARY}--\r\n`;
  const part = (name: string, value: string) =>
    `${start}Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
  const room = bytes - 200;
  /** Three parts with such headers of 8 KiB, as many as are read, and the worst file that fits. */
  const heads = (unit: string) => {
    const more = `"${unit.repeat(Math.floor(8000 / unit.length))}\r\n`;
    const parts = times(3, (index) => part(short(index), "a").replace('"\r\n', more));
    const rest = bytes - 3 * 8200;
    return form([...parts, part('file"; filename="a.png', pngOf(rest, irregular(rest)))]);
  };
  return {
    "100 parts": form(times(100, (index) => part(short(index), text(400)))),
    "100 files": form(times(100, (index) => part(`${short(index)}"; filename="a`, text(350)))),
    "parts with long headers": heads(`\r\nX-A: ${text(8000)}`),
    "parts with headers of one character": heads("\r\na:"),
    "parts with parameters of one character": heads(";a="),
    "parts with many names": heads(";name=a"),
    "parts with many empty values": heads(';name=""'),
    "parts with names of escapes": heads(
      ';name="' + text(3900, "\\").replaceAll("\\", "\\a") + '"',
    ),
    "a header that never ends": `${start}${text(room, "\r")}`,
    "what is almost a boundary": form([part("name", ALMOST.repeat(room / ALMOST.length))]),
    "a preamble of lines": `${"\r\n".repeat(500)}${form([part("name", text(room - 1200))])}`,
  };
}

const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;
/** A search that compares from the end has to compare the whole delimiter at every byte. */
const REPETITIVE = `b${"a".repeat(69)}`;
const IMAGE_BYTES = 5 * 1024 * 1024;

/** Lines that no processor can foresee, the same in every run. */
function irregular(length: number): string {
  let state = 1;
  const next = () => {
    state = (state * 48_271) % 0x7f_ff_ff_ff;
    return state;
  };
  const pieces = ["\r", "\n", "-", "\r\n", "\r\n-", "\r\n--", ALMOST, "\r\n\r\n"];
  return times(length / 2, () => pieces[next() % pieces.length] ?? "")
    .join("")
    .slice(0, length);
}

/** A PNG of so many bytes, as Latin-1. */
function pngOf(bytes: number, content: string): string {
  return `\x89PNG\r\n\x1a\n${content.repeat(Math.ceil(bytes / content.length)).slice(0, bytes - 8)}`;
}

/** A form with that. */
function imageForm(bytes: number, content: string): string {
  const type = `Content-Disposition: form-data; name="file"; filename="rex.png"\r\nContent-Type: image/png`;
  return `--${BOUNDARY}\r\n${type}\r\n\r\n${pngOf(bytes, content)}\r\n--${BOUNDARY}--\r\n`;
}

const base64Of = (latin1: string) => Buffer.from(latin1, "latin1").toString("base64");

const uploads = (): Case => {
  const asked = { method: "POST", path: "/v2/pet/7/uploadImage", type: MULTIPART } as const;
  const largest = base64Of(imageForm(IMAGE_BYTES, "\0"));
  return {
    operation: "POST /pet/{petId}/uploadImage",
    rows: [{ name: "a.png", dueAt: null }],
    typical: { ...asked, base64: base64Of(imageForm(TYPICAL_IMAGE_BYTES, "\0")) },
    worst: [
      { ...asked, name: "an image of 5 MiB", base64: largest },
      {
        ...asked,
        name: "an image of 5 MiB, with a key",
        base64: largest,
        headers: { "Idempotency-Key": "a" },
      },
      ...["\r", "\r\n", "\r\n--", ALMOST, "-"].map((content) => ({
        ...asked,
        name: `an image of 5 MiB, of ${JSON.stringify(content)}`,
        base64: base64Of(imageForm(IMAGE_BYTES, content)),
      })),
      {
        ...asked,
        name: "an image of 5 MiB, of irregular lines",
        base64: base64Of(imageForm(IMAGE_BYTES, irregular(IMAGE_BYTES))),
      },
      {
        ...asked,
        type: `multipart/form-data; boundary=${REPETITIVE}`,
        name: "an image and a boundary of one letter",
        base64: base64Of(imageForm(IMAGE_BYTES, "a").replaceAll(BOUNDARY, REPETITIVE)),
      },
      ...Object.entries(multipart(IMAGE_BYTES)).map(([name, form]) => ({
        ...asked,
        name,
        base64: base64Of(form),
      })),
      { ...asked, name: "5 MiB that are not a form", base64: base64Of(text(IMAGE_BYTES)) },
    ],
  };
};

const SESSION = "s".repeat(43);

const CASES: readonly Case[] = [
  pets("POST", {}),
  pets("PUT", { id: 7 }),
  {
    operation: "POST /pet/{petId}",
    rows: "get a pet",
    typical: { method: "POST", path: "/v2/pet/7", body: "name=Rex&status=sold", type: FORM },
    worst: [
      ...bodies(
        { method: "POST", path: "/v2/pet/7", type: FORM },
        {
          ...pairs(ONE),
          "a name of 4,096 characters, escaped": `name=${encodeURIComponent(text(4090, "🐕"))}`,
        },
      ),
      ...bodies({ method: "POST", path: "/v2/pet/7", type: MULTIPART }, multipart(ONE)),
    ],
  },
  list("findByStatus", "status=sold", "page of 100 by status"),
  list("findByTags", "tags=dog", "page of 100 by tag"),
  reading("/v2/pet/", "GET /pet/{petId}", "get a pet"),
  ((): Case => {
    const one = deletion("/v2/pet/", "7", "DELETE /pet/{petId}", { id: 7, images: "[]" });
    const images = JSON.stringify(times(100, () => `${crypto.randomUUID()}.png`));
    return {
      ...one,
      worst: [...one.worst, { ...one.typical, name: "100 images", rows: [{ id: 7, images }] }],
    };
  })(),
  uploads(),
  ((): Case => {
    const images = "/v2/pet/7/images/";
    const image: Asked = { method: "GET", path: `${images}${crypto.randomUUID()}.png` };
    const range = (name: string, value: string): Tried => ({
      name,
      ...image,
      headers: { Range: value },
    });
    return {
      operation: "GET /pet/{petId}/images/{name}",
      rows: [],
      typical: image,
      worst: [
        ...conditions("If-None-Match", image),
        range("a range", "bytes=7-7"),
        range("a range of 16,000 digits", `bytes=${text(16_000, "7")}-`),
        range("as many ranges as fit", `bytes=${"0-1,".repeat(4000)}`),
        ...gets(images, { "a long name": text(16_000), escapes: "%61".repeat(5000) }),
      ],
    };
  })(),
  {
    operation: "GET /store/inventory",
    rows: "inventory",
    typical: { method: "GET", path: "/v2/store/inventory" },
    worst: gets("/v2/store/inventory?", pairs(URL_BYTES - 100)),
  },
  reading("/v2/store/order/", "GET /store/order/{orderId}", "order"),
  deletion("/v2/store/order/", "7", "DELETE /store/order/{orderId}", { id: 7 }),
  {
    operation: "POST /store/order",
    rows: "order",
    typical: {
      method: "POST",
      path: "/v2/store/order",
      body: '{"petId":1,"quantity":2,"shipDate":"2026-12-01T09:30:00.000Z","status":"placed","complete":false}',
    },
    worst: bodies(
      { method: "POST", path: "/v2/store/order" },
      {
        ...structures(ONE, 1000),
        "a long date": JSON.stringify({ shipDate: text(ONE - 20, "1") }),
        "a long number": `{"petId":${text(ONE - 20, "9")}}`,
      },
    ),
  },
  users("POST", "/v2/user"),
  users("PUT", "/v2/user/ada"),
  deletion("/v2/user/", "ada", "DELETE /user/{username}", { id: 7, username: "ada" }),
  manyUsers("createWithArray"),
  manyUsers("createWithList"),
  {
    operation: "GET /user/logout",
    rows: [],
    typical: {
      method: "GET",
      path: "/v2/user/logout",
      headers: { Cookie: `session=${SESSION}` },
    },
    worst: Object.entries({
      "ten sessions": times(10, (index) => `session=${index}${SESSION.slice(1)}`).join("; "),
      "as many sessions as fit": times(
        HEADER_BYTES / 60,
        (index) => `session=${String(index).padStart(4, "0")}${SESSION.slice(4)}`,
      ).join("; "),
      "as many cookies as fit": "a=;".repeat(HEADER_BYTES / 3),
      "as many semicolons as fit": text(HEADER_BYTES, ";"),
      "a cookie of spaces": `session=${text(HEADER_BYTES, " ")}a`,
    }).map(([name, cookie]) => ({
      name,
      method: "GET",
      path: "/v2/user/logout",
      headers: { Cookie: cookie },
    })),
  },
  {
    operation: "GET /user/login",
    rows: "login",
    typical: { method: "GET", path: "/v2/user/login?username=ada&password=correct%20horse" },
    worst: gets("/v2/user/login?", {
      ...pairs(URL_BYTES - 100),
      "a long password": `username=ada&password=${text(URL_BYTES - 100)}`,
    }),
  },
  {
    operation: "GET /user/{username}",
    rows: "login",
    typical: { method: "GET", path: "/v2/user/ada" },
    worst: gets("/v2/user/", {
      "a long name": text(16_000),
      "a long name of escapes": encodeURIComponent(text(1300, "🐕")),
    }),
  },
];

/** @throws Error if an operation has no case */
function checkCases(): void {
  const tried = new Set(CASES.filter(({ worst }) => worst.length > 0).map((one) => one.operation));
  const missing = routes
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`)
    .filter((operation) => !tried.has(operation));
  if (missing.length > 0) throw new Error(`nothing is tried for ${missing.join(", ")}`);
}

/** Rows of the table: an operation, its worst request, what both cost, how many times more that is. */
async function measure(sql: Sql): Promise<{ rows: string[][]; misses: string[] }> {
  const served = await serve(build("ours"), { sql, harness: harness("isolated") });
  try {
    await migrate(served.db);
    await fill(served.db, 1000);
    const samples = await sampleRows(served.db, sql);
    const misses: string[] = [];
    const rows: string[][] = [];
    const rowsOf = (of: Rows) => (typeof of === "string" ? (samples.get(of) ?? []) : of);
    for (const [done, { operation, rows: usualRows, typical, worst }] of CASES.entries()) {
      progress(done, CASES.length, `worst requests: ${operation}`);
      const cpu = async (tried: Parameters<typeof isolate>[1], count: number, of = usualRows) => {
        const measured: number[] = [];
        let answer = { bytes: 0, status: 0 };
        for (let round = 0; round <= rounds; round++) {
          const one = await isolate(served, tried, { rows: rowsOf(of), sql, count });
          if (round > 0) measured.push(one.microseconds);
          answer = one;
        }
        return { ...answer, microseconds: median(measured) };
      };
      const usual = (await cpu({ ...typical, expected: 200 }, COUNTS.typical)).microseconds;
      // V8 compiles code again for requests unlike those before, so each is tried once before any is measured.
      for (const { name: _, rows: its, ...asked } of worst) {
        await isolate(served, asked, { rows: rowsOf(its ?? usualRows), sql, count: COUNTS.worst });
      }
      const tried: { name: string; microseconds: number; bytes: number; status: number }[] = [];
      for (const { name, rows: its, ...asked } of worst) {
        tried.push({ name, ...(await cpu(asked, COUNTS.worst, its)) });
      }
      for (const { name, bytes, status } of tried) {
        if (status >= 400 && bytes > MAX_ANSWER_BYTES) {
          misses.push(`${operation}, ${name}: ${bytes} bytes of error`);
        }
      }
      const found = tried.toSorted((one, other) => other.microseconds - one.microseconds);
      const [most] = found;
      if (!most) continue;
      const ratio = most.microseconds / usual;
      if (ratio > TARGET) misses.push(`${operation}, ${most.name}: ${ratio.toFixed(1)} times`);
      rows.push([
        operation,
        most.name,
        String(most.status),
        usual.toFixed(0),
        most.microseconds.toFixed(0),
        `${ratio.toFixed(1)}${ratio <= TARGET ? "" : ", missed"}`,
        String(found.length),
      ]);
    }
    progress(CASES.length, CASES.length, "worst requests");
    return { rows, misses };
  } finally {
    await served.stop();
  }
}

checkCases();
const { rows, misses } = await measure(await statementsOfService());
publish(
  "worst",
  `### Worst requests

Measured ${environment()} Medians of ${rounds} rounds.

Microseconds of CPU, in isolation; target at most ${TARGET} times those of a typical request, and at most ${MAX_ANSWER_BYTES} bytes of
error. A typical array of users has ten, and a typical image ${TYPICAL_IMAGE_BYTES / 1024} KiB.

${table(["operation", "worst request", "status", "typical", "worst", "worst / typical", "tried"], rows)}`,
  misses,
);
