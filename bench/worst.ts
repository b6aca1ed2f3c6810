// `npm run bench:worst`: the CPU of the most expensive requests that we know, one of each kind of input.
import { MANY, ONE, badPet, badUser, filled, objects, times } from "../test/http/worst.ts";
import type { Trial } from "./harness.ts";
import { publish, table } from "./report.ts";
import { build, serve } from "./serve.ts";
import { statementsOfService } from "./sql.ts";

const ROUNDS = 5;

/** What Cloudflare allows for all headers: https://developers.cloudflare.com/workers/platform/limits/#request-limits */
const HEADER_BYTES = 128 * 1000;

const array = "/user/createWithArray";
const form = "multipart/form-data; boundary=bc";
const START = '--bc\r\nContent-Disposition: form-data; name="';
const END = "\r\n--bc--\r\n";
/** The most parts, headers and parameters that are read. */
const manyParts = Array.from(
  { length: 100 },
  (_, at) => `${START}${at}"${";a=".repeat(15)}${"\r\na:".repeat(15)}\r\n\r\na\r\n`,
).join("");

type Sent = Omit<Trial, "rows" | "count"> & Partial<Pick<Trial, "rows">>;
const post = (path: string, status: number, body: unknown, type = "application/json"): Sent => ({
  method: "POST",
  path,
  body: typeof body === "string" ? body : JSON.stringify(body),
  type,
  status,
});
const get = (path: string, status: number, headers: Trial["headers"] = {}): Sent => ({
  method: "GET",
  path,
  headers,
  status,
});

const upload = (content: string): Sent => ({
  ...post("/pet/7/uploadImage", 200, `${START}file"; filename="a"\r\n\r\n${content}${END}`, form),
  // The row of an image that is stored.
  rows: [{ name: "a.png", dueAt: null }],
});
const FILE_BYTES = 5 * 1024 * 1024;

const WORST: Readonly<Record<string, Sent>> = {
  "a pet with every member wrong": post("/pet", 405, { ...badPet, id: undefined }),
  "JSON of zeros": post("/pet", 405, filled("0", ONE)),
  "JSON of arrays within arrays": post("/pet", 405, "[".repeat(ONE / 2) + "]".repeat(ONE / 2)),
  "a pet with 1,000 hosts": post("/pet", 405, {
    name: "Rex",
    photoUrls: times(1000, "//a").join(),
  }),
  "an order with a long number": post("/store/order", 400, `{"petId":${"9".repeat(ONE - 20)}}`),
  "100 users with every member wrong": post(array, 400, times(100, badUser)),
  "100 users of 2,500 bytes": post(array, 200, times(100, { password: "a".repeat(2400) })),
  "users with members of other names": post(array, 400, objects(MANY / 12)),
  "a form of ampersands": post("/pet/7", 405, "&".repeat(ONE), "application/x-www-form-urlencoded"),
  "a form with the most parts": post("/pet/7", 200, manyParts + END, form),
  "an upload of zeros": upload("0".repeat(FILE_BYTES)),
  "an upload of almost boundaries": upload("\r\n--b".repeat(FILE_BYTES / 5)),
  "999 escaped tags": get(`/pet/findByTags?${"tags=%61&".repeat(999)}`, 400),
  "a long ETag": get("/pet/7", 200, { "If-None-Match": `"${"7".repeat(HEADER_BYTES)}"` }),
  "2,000 sessions": get("/user/logout", 200, {
    Cookie: Array.from({ length: 2000 }, (_, at) => `session=${String(at).padEnd(43, "s")}`).join(
      "; ",
    ),
  }),
};

const { petById } = await statementsOfService();
const served = await serve(build("index"));
try {
  await served.fill(10);
  const rows = await served.rowsOf(petById);
  const measured: [name: string, milliseconds: number][] = [];
  for (const [name, sent] of Object.entries(WORST)) {
    measured.push([name, (await served.isolate({ rows, ...sent, count: 30 }, ROUNDS)) / 1000]);
  }
  const found = measured.toSorted(([, one], [, other]) => other - one);
  publish(
    "worst",
    table(
      ["request", "CPU, ms"],
      found.map(([name, milliseconds]) => [name, milliseconds.toFixed(1)]),
    ),
  );
} finally {
  await served.stop();
}
