// `npm run bench:worst`: the CPU of the most expensive requests that we know, one of each kind of input.
import { MANY, ONE, badPet, badUser, filled, objects, times } from "../test/http/worst.ts";
import type { Trial } from "./harness.ts";
import { median, publish, table } from "./report.ts";
import { build, serve } from "./serve.ts";
import { statementsOfService } from "./sql.ts";

const ROUNDS = 5;

/** What Cloudflare allows for all headers: https://developers.cloudflare.com/workers/platform/limits/#request-limits */
const HEADER_BYTES = 128 * 1000;
const URL_BYTES = 16 * 1024;

const array = "/v2/user/createWithArray";
const form = "multipart/form-data; boundary=bc";
const START = '--bc\r\nContent-Disposition: form-data; name="';
const END = "\r\n--bc--\r\n";

/** A form whose parts have what a header has room for, and the worst text in what remains. */
const withHeads = (unit: string, bytes: number) => {
  const part = `${START}a"${unit.repeat(Math.floor(8000 / unit.length))}\r\n\r\na\r\n`;
  return part.repeat(3) + START + 'b"\r\n\r\n' + "\r\n--b".repeat((bytes - 26_000) / 5) + END;
};
/** The most parts, headers and parameters that are read. */
const manyParts = Array.from(
  { length: 100 },
  (_, at) => `${START}${at}"${";a=".repeat(15)}${"\r\na:".repeat(15)}\r\n\r\na\r\n`,
).join("");

type Sent = Pick<Trial, "method" | "body" | "type" | "headers"> & { readonly path: string };
const post = (path: string, body: unknown, type = "application/json"): Sent => ({
  method: "POST",
  path,
  body: typeof body === "string" ? body : JSON.stringify(body),
  type,
});
const get = (path: string, headers: Trial["headers"] = {}): Sent => ({
  method: "GET",
  path,
  headers,
});

const WORST: Readonly<Record<string, Sent>> = {
  "a pet with every member wrong": post("/v2/pet", { ...badPet, id: undefined }),
  "JSON of zeros": post("/v2/pet", filled("0", ONE)),
  "JSON of arrays within arrays": post("/v2/pet", "[".repeat(ONE / 2) + "]".repeat(ONE / 2)),
  "a pet with 1,000 hosts": post("/v2/pet", { name: "Rex", photoUrls: times(1000, "//a").join() }),
  "an order with a long number": post("/v2/store/order", `{"petId":${"9".repeat(ONE - 20)}}`),
  "100 users with every member wrong": post(array, times(100, badUser)),
  "100 users of 2,500 bytes": post(array, times(100, { password: "a".repeat(2400) })),
  "users with members of other names": post(array, objects(MANY / 12)),
  "a form of ampersands": post("/v2/pet/7", "&".repeat(ONE), "application/x-www-form-urlencoded"),
  "a form with parameters of one character": post("/v2/pet/7", withHeads(";a=", ONE), form),
  "a form with headers of one character": post("/v2/pet/7", withHeads("\r\na:", ONE), form),
  "a form with the most parts": post("/v2/pet/7", manyParts.slice(0, ONE - 20) + END, form),
  "an upload of almost boundaries": post(
    "/v2/pet/7/uploadImage",
    `${START}file"; filename="a"\r\n\r\n${"\r\n--b".repeat(1024 * 1024)}${END}`,
    form,
  ),
  "999 escaped tags": get(`/v2/pet/findByTags?${"tags=%61&".repeat(999)}`),
  "a tag of commas": get(`/v2/pet/findByTags?tags=dog${",".repeat(URL_BYTES - 100)}`),
  "an ETag that never ends": get("/v2/pet/7", { "If-None-Match": `"${"7".repeat(HEADER_BYTES)}` }),
  "2,000 sessions": get("/v2/user/logout", {
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
  for (const [name, { path, ...sent }] of Object.entries(WORST)) {
    const costs: number[] = [];
    // Round 0 is a warm-up: V8 compiles code again for requests that differ from the earlier ones.
    for (let round = 0; round <= ROUNDS; round++) {
      const took = await served.isolate({
        ...sent,
        url: `http://localhost${path}`,
        rows,
        count: 30,
      });
      if (round > 0) costs.push(took / 1000);
    }
    measured.push([name, median(costs)]);
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
