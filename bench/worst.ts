// `npm run bench:worst`: what the worst requests cost that were found, beside typical ones. Options: --rounds 5
import { parseArgs } from "node:util";
import { build } from "./contestants.ts";
import { harness, isolate, sampleRows } from "./measure.ts";
import { environment, median, progress, publish, table } from "./report.ts";
import { fill, migrate, serve } from "./serve.ts";
import { statementsOfService } from "./sql.ts";
import type { Sql } from "./sql.ts";
import { petOf } from "./workloads.ts";
import type { Asked } from "./workloads.ts";

/** The CPU of the worst request, in typical ones. */
const TARGET = 20;
const MAX_ANSWER_BYTES = 32 * 1024;
const COUNTS = { typical: 1000, worst: 60 };

const ONE = 48 * 1024;
const MANY = 256 * 1024;
/** What Cloudflare lets a URL have. */
const URL_BYTES = 16 * 1024;

/** A request and what becomes of it. */
interface Tried extends Asked {
  readonly name: string;
  readonly type?: string;
}

interface Case {
  readonly operation: string;
  /** The workload whose rows D1 answers. */
  readonly rows: string;
  readonly typical: Asked & { readonly type?: string };
  readonly worst: readonly Tried[];
}

const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const rounds = Number(options.rounds);

const FORM = "application/x-www-form-urlencoded";
const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const text = (length: number, character = "a") => character.repeat(length);
const short = (index: number) => index.toString(36);
/** Characters of a script that has thousands, none twice. */
const ideographs = (count: number) =>
  String.fromCodePoint(...times(count, (index) => 0x4e00 + index));

/** A JSON array of as many of these items as fit. */
function filled(item: (index: number) => string, bytes: number): string {
  let json = "[";
  for (let index = 0; json.length < bytes - 20; index++) json += `${item(index)},`;
  return `${json}0]`;
}

/** Bodies that cost a parser of JSON most, of as many bytes as are read. */
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

/** Queries and forms that cost a parser most. */
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

const BOUNDARY = "b";

/** Forms of parts that cost a parser most, of as many bytes as are read. */
function multipart(bytes: number): Record<string, string> {
  const start = `--${BOUNDARY}\r\n`;
  const form = (parts: readonly string[]) => `${parts.join("\r\n")}\r\n--${BOUNDARY}--\r\n`;
  const part = (name: string, value: string) =>
    `${start}Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
  const room = bytes - 200;
  return {
    "100 parts": form(times(100, (index) => part(short(index), text(400)))),
    "parts with long headers": form(
      times(
        6,
        (index) => `${start}X-A: ${text(8000)}\r\n${part(short(index), "a").slice(start.length)}`,
      ),
    ),
    "what is almost a boundary": form([part("name", "\r\n--".repeat(room / 4))]),
    "a preamble of lines": `${"\r\n".repeat(500)}${form([part("name", text(room - 1200))])}`,
  };
}

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
      ...bodies(
        { method: "POST", path: "/v2/pet/7", type: `multipart/form-data; boundary=${BOUNDARY}` },
        multipart(ONE),
      ),
    ],
  },
  list("findByStatus", "status=sold", "page of 100 by status"),
  list("findByTags", "tags=dog", "page of 100 by tag"),
  {
    operation: "GET /pet/{petId}",
    rows: "get a pet",
    typical: { method: "GET", path: "/v2/pet/7" },
    worst: gets("/v2/pet/", {
      "an id of 16,000 digits": text(16_000, "7"),
      escapes: "%61".repeat(5000),
    }),
  },
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
  manyUsers("createWithArray"),
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

/** Rows of the table: an operation, its worst request, what both cost, how many times more that is. */
async function measure(sql: Sql): Promise<{ rows: string[][]; misses: string[] }> {
  const served = await serve(build("ours"), { sql, harness: harness("isolated") });
  try {
    await migrate(served.db);
    await fill(served.db, 1000);
    const samples = await sampleRows(served.db, sql);
    const misses: string[] = [];
    const rows: string[][] = [];
    for (const [done, { operation, rows: workload, typical, worst }] of CASES.entries()) {
      progress(done, CASES.length, `worst requests: ${operation}`);
      const sample = { rows: samples.get(workload) ?? [], sql };
      const cpu = async (tried: Parameters<typeof isolate>[1], count: number) => {
        const measured: number[] = [];
        let answer = { bytes: 0, status: 0 };
        for (let round = 0; round <= rounds; round++) {
          const one = await isolate(served, tried, { ...sample, count });
          if (round > 0) measured.push(one.microseconds);
          answer = one;
        }
        return { ...answer, microseconds: median(measured) };
      };
      const usual = (await cpu({ ...typical, expected: 200 }, COUNTS.typical)).microseconds;
      const tried: { name: string; microseconds: number; bytes: number; status: number }[] = [];
      for (const { name, ...asked } of worst) {
        tried.push({ name, ...(await cpu(asked, COUNTS.worst)) });
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
        ratio.toFixed(1),
        ratio <= TARGET ? "met" : "missed",
        String(found.length),
      ]);
    }
    progress(CASES.length, CASES.length, "worst requests");
    return { rows, misses };
  } finally {
    await served.stop();
  }
}

const { rows, misses } = await measure(await statementsOfService());
publish(
  "worst",
  `### Worst requests

Measured ${environment()} Medians of ${rounds} rounds.

Microseconds of CPU, in isolation; target at most ${TARGET} times those of a typical request, and at most ${MAX_ANSWER_BYTES} bytes of
error. A typical array of users has ten.

${table(["operation", "worst request", "status", "typical", "worst", "worst / typical", "target", "tried"], rows)}

Missed: ${misses.length === 0 ? "nothing." : misses.join("; ")}`,
);
