/// <reference types="vite/client" />
// Answers that are wrong on purpose: another status, other headers, another body, or a slow one.
import { exports } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import storesPage from "../../docs/stores.md?raw";
import { time } from "../../src/platform/failures.ts";
import { deliver } from "../../src/sandbox/faults/delivery.ts";
import type { LoggedRequest } from "../../src/sandbox/record/log.ts";
import { clientWith, outcome, refusal } from "../fixtures.ts";
import type { Bindings } from "../fixtures.ts";
import { PNG } from "../images.ts";
import { ORIGIN } from "./raw.ts";
import { PET, classicStore, demand, imageOf, newStore, shownOf, storeOf } from "./store.ts";
import type { Own } from "./store.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const SANDBOXED = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** A request to a sandbox: below its path. */
interface Way {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: BodyInit;
}

/** What a client gets. */
async function received(store: Own, { method = "GET", path, headers, json, body }: Way) {
  const response = await exports.default.fetch(
    new Request(`${ORIGIN}/stores/${store.name}${path}`, {
      method,
      redirect: "manual",
      headers: { ...(json !== undefined && { "Content-Type": "application/json" }), ...headers },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(body !== undefined && { body }),
    }),
  );
  const bytes = await response.bytes();
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    text: new TextDecoder().decode(bytes),
  };
}

type Received = Awaited<ReturnType<typeof received>>;

const newestOf = async ({ manage }: Own) =>
  ((await manage("GET", "/requests?limit=1")).json as [LoggedRequest])[0];

/** Every way that a request can go. Each can be sent again with the same outcome. */
const WAYS: Readonly<Record<string, (store: Own) => Promise<Way>>> = {
  "an object": async () => ({ path: "/v2/pet/1" }),
  "an object of the other interface": async () => ({ path: "/api/v3/pet/1" }),
  "its HEAD": async () => ({ path: "/v2/pet/1", method: "HEAD" }),
  "a page of a list": async () => ({ path: "/v2/pet/findByStatus?status=sold&limit=2" }),
  "a list that is streamed": async (store) => {
    const pets = Array.from({ length: 300 }, (_, index) => ({
      ...PET,
      id: index + 1,
      status: "sold",
    }));
    await store.manage("PUT", "/data", { json: { pets } });
    return { path: "/v2/pet/findByStatus?status=sold" };
  },
  "an empty list": async () => ({ path: "/v2/pet/findByTags?tags=none" }),
  "the inventory": async () => ({ path: "/v2/store/inventory" }),
  "a string": async () => ({ path: "/api/v3/user/login?username=user1&password=XXXXXXXXXXX" }),
  "a line": async () => ({ path: "/api/v3/user/logout" }),
  "a repeat by its key": async (store) => {
    const way = {
      path: "/v2/pet",
      method: "POST",
      json: { ...PET, id: 500 },
      headers: { "Idempotency-Key": "again" },
    };
    await received(store, way);
    return way;
  },
  "an error": async () => ({ path: "/v2/pet/404" }),
  "an error of the input": async () => ({ path: "/v2/pet", method: "POST", json: {} }),
  "an unknown path": async () => ({ path: "/v2/nowhere" }),
  "another method": async () => ({ path: "/v2/store/inventory", method: "PUT" }),
  "an unchanged object": async (store) => {
    const { headers } = await received(store, { path: "/v2/pet/1" });
    return { path: "/v2/pet/1", headers: { "If-None-Match": headers.get("ETag") ?? "" } };
  },
  "an image": async (store) => ({ path: `/v2${await imageOf(store)}` }),
  "a range of an image": async (store) => ({
    path: `/v2${await imageOf(store)}`,
    headers: { Range: "bytes=10-19" },
  }),
};

const PATCH = { id: "one", name: null, nested: { deep: null, kept: 1 } };

const wrong = (item: object) => {
  const { name: _, ...rest } = item as { name?: string };
  return { ...rest, id: "one", nested: { kept: 1 } };
};

/** What the patch makes of a success of JSON; the same of anything else. */
function afterPatch({ status, headers, text }: Received): string {
  const isJson = headers.get("Content-Type") === "application/json" && text !== "";
  const content = isJson && status < 300 ? (JSON.parse(text) as unknown) : undefined;
  if (typeof content !== "object") return text;
  return JSON.stringify(Array.isArray(content) ? content.map(wrong) : wrong(content as object));
}

/** The record waits so long before it is written. */
const GATHERED_MS = 100;

/** What differs between two answers to the same login. */
const withoutToken = (text: string) => text.replace(/session: ?[^"]+/, "session:");

const cacheOf = ({ headers }: Received) => headers.get("Cache-Control") ?? "";

/** The `Cache-Control` of an answer that no proxy may compress, and so hold back. */
const unchangedBy = (real: Received) =>
  cacheOf(real).includes("no-transform") ? cacheOf(real) : `${cacheOf(real)}, no-transform`;

const effectsOf = ({ replaced, patched, slowed, broken }: LoggedRequest) => ({
  ...(replaced && { replaced }),
  ...(patched && { patched }),
  ...(slowed && { slowed }),
  ...(broken && { broken }),
});

describe.each(Object.entries(WAYS))("to %s", (_, prepare) => {
  /** The answer by a rule, the real one, its content also for `HEAD`, the waits, and what is recorded. */
  async function answersBy(rule: object) {
    const store = await classicStore();
    await store.manage("PUT", "/requests", { json: { record: "full" } });
    const way = await prepare(store);
    const real = await received(store, way);
    const isHead = way.method === "HEAD";
    const content = isHead ? await received(store, { ...way, method: "GET" }) : real;
    await demand(store, { ...rule, times: 1 });
    const waited = vi.spyOn(time, "wait");
    const answer = await received(store, way);
    const waits = waited.mock.calls.map(([ms]) => ms);
    const entry = await newestOf(store);
    expect(entry).toMatchObject({ status: answer.status, rule: { ...rule, times: 1 } });
    // The rule changes what is sent, and nothing that is stored.
    expect(withoutToken((await received(store, way)).text)).toBe(withoutToken(real.text));
    return { answer, real, content, waits, entry, isHead };
  }

  test("a rule writes the whole answer §10.6.1 §10.6.12", async () => {
    const rule = {
      status: 202,
      body: '{"id":"one"}',
      headers: { "Content-Type": "application/json" },
      after: true,
    };
    const { real, answer, entry, isHead } = await answersBy(rule);
    const isFile = real.headers.get("Content-Type") === "image/png";
    expect([answer.status, answer.text]).toEqual([202, isHead ? "" : rule.body]);
    expect(answer.headers.get("Content-Type")).toBe(
      isFile ? "text/plain; charset=utf-8" : "application/json",
    );
    expect(answer.headers.get("Content-Security-Policy")).toBe(SANDBOXED);
    expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(effectsOf(entry)).toEqual({ replaced: true });
    expect(entry.responseBody).toBe(isHead ? undefined : rule.body);
  });

  test("a rule sets and leaves out headers §10.6.16", async () => {
    const headers = { ETag: null, "X-Wrong": "yes", "cache-control": "max-age=60" };
    const { real, answer, entry } = await answersBy({ headers });
    expect([answer.status, withoutToken(answer.text)]).toEqual([
      real.status,
      withoutToken(real.text),
    ]);
    expect(answer.headers.has("ETag")).toBe(false);
    expect(answer.headers.get("X-Wrong")).toBe("yes");
    expect(answer.headers.get("Cache-Control")).toBe("max-age=60");
    expect(answer.headers.get("Content-Security-Policy")).toBe(SANDBOXED);
    const exposed = answer.headers.get("Access-Control-Expose-Headers")?.split(/, ?/);
    expect(exposed).toEqual(expect.arrayContaining(["x-wrong", "Location", "Preference-Applied"]));
    expect(entry.responseHeaders).toMatchObject({ "x-wrong": "yes" });
    expect(effectsOf(entry)).toEqual({});
  });

  test("a rule patches a success of JSON objects, and nothing else §10.6.18", async () => {
    const { real, content, answer, entry, isHead } = await answersBy({ patch: PATCH });
    const expected = afterPatch(content);
    const isPatched = expected !== content.text;
    expect(answer.status).toBe(real.status);
    expect(withoutToken(answer.text)).toBe(isHead ? "" : withoutToken(expected));
    for (const name of ["ETag", "Content-Type", "Content-Location"]) {
      expect(answer.headers.get(name)).toBe(real.headers.get(name));
    }
    expect(effectsOf(entry)).toEqual(isPatched ? { patched: true } : {});
    expect(answer.headers.get("Content-Security-Policy") === SANDBOXED).toBe(
      isPatched || real.headers.get("Content-Security-Policy") === SANDBOXED,
    );
  });

  test("a rule sends the body slowly §10.6.20", async () => {
    const { real, answer, waits, entry } = await answersBy({ bytesPerSecond: 128 });
    expect([answer.status, withoutToken(answer.text)]).toEqual([
      real.status,
      withoutToken(real.text),
    ]);
    const size = answer.bytes.byteLength;
    expect(effectsOf(entry)).toEqual(size > 0 ? { slowed: true } : {});
    expect(answer.headers.get("Cache-Control")).toBe(size > 0 ? unchangedBy(real) : cacheOf(real));
    // 13 bytes leave at once, and then 13 about every 100 ms for at most 30 s.
    const slow = waits.filter((ms) => ms < 102 && ms !== GATHERED_MS).length;
    expect(slow).toBe(Math.min(296, Math.ceil(Math.max(size, 1) / 13) - 1));
    expect(entry.ms).toBeLessThan(10_000);
  });

  test("a rule does all of it §10.6.21", async () => {
    const rule = {
      patch: PATCH,
      headers: { Age: "7" },
      delayMs: 5000,
      bytesPerSecond: 1000,
      break: "json",
    };
    const { real, content, answer, waits, entry, isHead } = await answersBy(rule);
    const isImage = real.headers.get("Content-Type") === "image/png";
    const whole = isImage ? real.bytes : new TextEncoder().encode(afterPatch(content));
    const half = isHead ? whole.subarray(0, 0) : whole.subarray(0, Math.floor(whole.length / 2));
    expect(withoutToken(answer.text)).toBe(withoutToken(new TextDecoder().decode(half)));
    expect([answer.headers.get("Age"), waits.includes(5000)]).toEqual(["7", true]);
    const cache = half.length > 0 ? unchangedBy(real) : cacheOf(real);
    expect(answer.headers.get("Cache-Control")).toBe(cache);
    expect(effectsOf(entry)).toEqual({
      ...(afterPatch(content) !== content.text && { patched: true }),
      ...(half.length > 0 && { broken: "json", slowed: true }),
    });
  });
});

describe("an answer on demand", () => {
  test.each([
    [200, ""],
    [201, ""],
    [204, ""],
    [205, ""],
    [301, ""],
    [304, ""],
    [399, ""],
    [400, JSON.stringify({ code: 400, type: "error", message: "Invalid ID supplied" })],
  ])("%i without a body of its own §10.6.1", async (status, text) => {
    const store = await classicStore();
    await demand(store, { operationId: "getPetById", status });
    expect(await received(store, { path: "/v2/pet/1" })).toMatchObject({ status, text });
    const [rule] = await shownOf(store);
    expect(rule).toMatchObject({ status, used: 1 });
    const entry = await newestOf(store);
    expect(entry).toMatchObject({ status, replaced: true });
  });

  test("by Prefer says that it replaced the real one, and how late it was §10.7.1 §10.7.13", async () => {
    const store = await classicStore();
    await received(store, { path: "/v2/pet/1", headers: { Prefer: "code=503, delay=2" } });
    const entry = await newestOf(store);
    expect(entry).toMatchObject({ status: 503, replaced: true });
    expect(entry.ms).toBeGreaterThanOrEqual(2000);
    expect(entry).not.toHaveProperty("rule");
    const { text } = await store.manage("GET", "/requests?format=har");
    expect(text).toContain('"comment":"By Prefer: replaced"');
  });
});

test.each([
  [
    { times: 1, operationId: "getPetById", status: 503, after: true, retryAfter: 1 },
    "The answer to the next getPetById request is 503 after the request is done and asks to retry after 1 s.",
  ],
  [
    { times: 2, status: 202, body: "x".repeat(61), headers: { ETag: null, "x-a": "1" } },
    `The answer to each of the next 2 requests is 202, has the body ${"x".repeat(60)}…, has no header ETag and has the header x-a: 1.`,
  ],
  [
    { every: 1, chance: 0.99, seed: 3, times: 1, patch: { id: 7 }, delayMs: [1, 2] },
    'Once, with a chance of 99 %, drawn with seed 3, the answer to every request has {"id":7} merged into its body and comes 1 to 2 ms late.',
  ],
  [
    { path: "/pet/1", method: "GET", bytesPerSecond: 200_000, break: "json" },
    "The answer to every GET /pet/1 request leaves at 200000 bytes per second and ends after half of its body.",
  ],
  [
    { status: 200, times: 5, every: 1 },
    "The answer to each of the next 5 requests is 200 and has no body.",
  ],
  [
    { break: "body", chance: 1, seed: 9 },
    "Drawn with seed 9, the answer to every request breaks off in the middle of its body.",
  ],
])("a rule reads as a sentence: %j §10.7.8", async (rule, sentence) => {
  const store = await classicStore();
  await demand(store, rule);
  await received(store, { path: "/v2/pet/1" }).catch(() => undefined);
  const { json } = await store.manage("GET", "/requests?format=har");
  const [, ...said] = (
    json as { log: { entries: [{ comment: string }] } }
  ).log.entries[0].comment.split(". ");
  expect(said.join(". ")).toBe(sentence);
});

test("a streamed answer is recorded as its bytes are, whatever its type says §10.7.4", async () => {
  const store = await storeOf(300);
  await store.manage("PUT", "/requests", { json: { record: "full" } });
  await demand(store, { headers: { "content-type": "image/png; a=b" } });
  const { text } = await received(store, { path: "/v2/pet/findByStatus?status=sold" });
  const list = await newestOf(store);
  expect(list.responseBody).toMatchObject({ bytes: text.length, cut: true });
  const other = await classicStore();
  await other.manage("PUT", "/requests", { json: { record: "full" } });
  const bytes = new Uint8Array([1, 2, 3]);
  const file = await received(other, { path: `/v2${await imageOf(other, bytes)}` });
  expect(file.headers.get("Content-Length")).toBe("3");
  const upload = await newestOf(other);
  expect(upload.responseBody).toEqual({ bytes: 3, type: "application/octet-stream" });
});

test.each([407, 421])(
  "the downloaded test does not expect %i, on which fetch acts §10.7.8",
  async (status) => {
    const store = await classicStore();
    await store.manage("PUT", "/requests", { json: { record: "full" } });
    await demand(store, { status });
    await received(store, { path: "/v2/pet/1" });
    const { text } = await store.manage("GET", "/requests?format=test");
    expect(text).toContain(`${status}. Not sent: fetch acts on its status.`);
  },
);

test("rules whose characters are escaped are as large as others §10.6.8", async () => {
  const store = newStore();
  const body = "é".repeat(30_000);
  const escaped = JSON.stringify([{ status: 200, body }]).replaceAll("é", String.raw`\u00e9`);
  const headers = { "Content-Type": "application/json" };
  const { status } = await store.manage("PUT", "/faults", { body: escaped, headers });
  expect(status).toBe(204);
  expect(await shownOf(store)).toMatchObject([{ body }]);
});

describe("headers of a rule", () => {
  test("lead to the same sandbox and nowhere else §10.6.17", async () => {
    const store = await classicStore();
    const base = `/stores/${store.name}`;
    const headers = {
      Location: "/v2/pet/2",
      "Content-Location": "/api/v3/pet/2?a=/../b#..",
      Link: '</v2/pet/2>; REL="next" , </api/v3/pet/3> ; rel = prev;title="a, b"',
    };
    await demand(store, { status: 302, headers });
    const answer = await received(store, { path: "/v2/pet/1" });
    expect(answer.headers.get("Location")).toBe(`${base}/v2/pet/2`);
    expect(answer.headers.get("Content-Location")).toBe(`${base}${headers["Content-Location"]}`);
    expect(answer.headers.get("Link")).toBe(
      `<${base}/v2/pet/2>; REL="next" , <${base}/api/v3/pet/3> ; rel = prev;title="a, b"`,
    );
    // The local store is not below a path.
    const localStore = { LOCAL_STORE: store.name } as Bindings;
    const local = await clientWith(localStore, { base: "" })("GET", "/v2/pet/1");
    expect(local.headers.get("Location")).toBe("/v2/pet/2");
    expect(await shownOf(store)).toMatchObject([{ headers }]);
  });

  test.each([
    { "Content-Type": 'text/html; charset="utf-8"' },
    { "content-type": "application/vnd.pets+json;a=b ; c=d" },
    { "Retry-After": "soon", Allow: "NOTHING", Accept: "?", Vary: "*", Age: "-1" },
    { "X-Rate-Limit": "many", "X-Expires-After": "never", "x-a_b.c": "!~" },
    { RateLimit: '"a";r=1', "ratelimit-policy": "x", Deprecation: "?1", Sunset: "x", Expires: "0" },
    { "content-language": "tlh", "Last-Modified": "x", "x-a": "x".repeat(1024) },
    { "X-Null": null, ETag: null, "Content-Type": null },
  ])("can be %j §10.6.16", async (headers) => {
    const store = await classicStore();
    await demand(store, { headers });
    const answer = await received(store, { path: "/v2/pet/1" });
    const sent = Object.keys(headers).map((name) => [name, answer.headers.get(name)]);
    expect(sent).toEqual(Object.entries(headers));
    expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
  });

  test.each<[string, unknown]>([
    ["set-cookie", "a=b"],
    ["Content-Disposition", "inline"],
    ["Access-Control-Allow-Origin", "https://a.example"],
    ["Content-Security-Policy", "x"],
    ["Content-Length", "1"],
    ["Transfer-Encoding", "chunked"],
    ["Refresh", "0; url=/"],
    ["Server", "x"],
    ["__proto__", "x"],
    ["constructor", "x"],
    ["", "x"],
    ["x-", "x"],
    ["x-a b", "x"],
    ["X-Request-Id", null],
    ["x-d1-bookmark", "x"],
    ...["rows", "delay-ms", "break", "bytes-per-second"].map((own): [string, string] => [
      `X-${own}`,
      "1",
    ]),
    ["X-Accel-Redirect", "/secret"],
    ["x-sendfile", "/etc/passwd"],
    ["x-lighttpd-send-file", "/etc/passwd"],
    ["x-sendfile2", "/etc/passwd"],
    ["x-sendfile-temporary", "/etc/passwd"],
    ["X-Reproxy-URL", "http://a.example/"],
    ["x-litespeed-location", "/secret"],
    ["x-archive-files", "zip"],
    ["x-envoy-ratelimited", "true"],
    ["x-appengine-blobkey", "a"],
    ["x-ua-compatible", "IE=7"],
    ["x-webkit-csp", "x"],
    ["x-content-security-policy", "x"],
    ["x-download-options", "x"],
    ["X-Content-Type-Options", null],
    ["x-frame-options", "x"],
    ["x-xss-protection", "x"],
    ["x-dns-prefetch-control", "on"],
    ["x-permitted-cross-domain-policies", "all"],
    ["x-robots-tag", "all"],
    ["x-forwarded-host", "a.example"],
    ["x-a", ""],
    ["x-a", " a"],
    ["x-a", "a\tb"],
    ["x-a", "ä"],
    ["x-a", "x".repeat(1025)],
    ["x-a", 1],
    ["content-type", "json"],
    ["content-type", "text/plain, text/javascript"],
    ["content-type", 'text/plain; a="b, text/javascript"'],
    ["content-type", "Text/JavaScript; charset=utf-8"],
    ["content-type", "application/x-ecmascript"],
    ["content-type", "text/javascript1.5"],
    ["content-type", "text/jscript"],
    ["content-type", "TEXT/CSS"],
    ["content-type", "multipart/x-mixed-replace; boundary=a"],
    ...["location", "content-location"].flatMap((name) =>
      [
        "https://a.example/v2/",
        "//a.example/v2/",
        "/v2",
        "/stores/other/v2/pet/1",
        "/v2/../docs/",
        "/v2/%2E%2e/docs/",
        "/v2/.%2e%2fdocs",
        "/v2/pet/.",
        "/v2/..;/docs",
        "/v2/a\\b",
        "/v2/a%5Cb",
        "/v2/a%0d%0Ab",
        "/api/v2/pet",
      ].map((value): [string, string] => [name, value]),
    ),
    ["link", "</v2/a>; rel=next, <https://a.example/>; rel=prev"],
    ["link", "</v2/../a>"],
    ["link", '</v2/a>; rel=preload; imagesrcset="https://a.example/"'],
    ["link", "/v2/a"],
  ])("cannot be %s: %j §10.6.4 §10.6.16 §10.6.17", async (name, value) => {
    const store = newStore();
    // A literal would set the prototype.
    const headers = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`) as object;
    const answer = await store.manage("PUT", "/faults", { json: [{ headers }] });
    // The whole stands for a member without a name.
    const path = name === "" ? "0.headers" : `0.headers.${name}`;
    expect(outcome(answer)).toEqual(refusal(400, "Invalid rules", path));
  });
});

test("a header whose value is a deep array is refused §10.6.16", async () => {
  const store = newStore();
  const value = "[".repeat(30_000) + "]".repeat(30_000);
  const answer = await store.manage("PUT", "/faults", {
    body: `[{"headers":{"x-a":${value}}}]`,
    headers: { "Content-Type": "application/json" },
  });
  expect(outcome(answer)).toEqual(refusal(400, "Invalid rules", "0.headers.x-a"));
});

const deep = (levels: number): object => (levels === 1 ? {} : { a: deep(levels - 1) });

describe("a patch", () => {
  test("follows RFC 7396, and changes nothing that is stored §10.6.18", async () => {
    const store = await classicStore();
    const patch = JSON.parse(
      '{"__proto__":{"a":1},"constructor":2,"category":{"id":null,"name":{"x":[null,{"y":null}]}},"tags":null}',
    ) as object;
    const { text: before } = await received(store, { path: "/v2/pet/1" });
    await demand(store, { patch, times: 2 });
    const got = await received(store, { path: "/v2/pet/1" });
    const head = await received(store, { path: "/v2/pet/1", method: "HEAD" });
    const { id, name, photoUrls, status } = JSON.parse(before) as Record<string, unknown>;
    expect(got.text).toBe(
      `{"id":${JSON.stringify(id)},"category":{"name":{"x":[null,{"y":null}]}},"name":${JSON.stringify(name)},` +
        `"photoUrls":${JSON.stringify(photoUrls)},"status":${JSON.stringify(status)},"__proto__":{"a":1},"constructor":2}`,
    );
    for (const { headers } of [got, head]) {
      expect(headers.get("Content-Length")).toBe(String(got.bytes.byteLength));
    }
    expect(head.text).toBe("");
    expect((await received(store, { path: "/v2/pet/1" })).text).toBe(before);
    expect(JSON.stringify((await shownOf(store))[0]?.patch)).toBe(JSON.stringify(patch));
  });

  test("of an answer that is too large is 500 and says so §10.6.19", async () => {
    const store = newStore();
    const tags = [{ name: "x".repeat(4000) }];
    const pets = Array.from({ length: 300 }, () => ({ ...PET, tags, status: "sold" }));
    expect((await store.manage("PUT", "/data", { json: { pets } })).status).toBe(204);
    await demand(store, { patch: { a: "y".repeat(60_000) } });
    const path = "/v2/pet/findByStatus?status=sold";
    const messages = [];
    for (const limit of ["", "&limit=200", "&limit=100"]) {
      const { status, text } = await received(store, { path: path + limit });
      messages.push([status, status === 200 ? "" : (JSON.parse(text) as object)]);
    }
    const error = { code: 500, type: "error" };
    expect(messages).toEqual([
      [500, { ...error, message: "An answer of more than 1 MiB cannot be patched" }],
      [500, { ...error, message: "A patched answer has at most 8 Mi characters" }],
      [200, ""],
    ]);
    const entry = await newestOf(store);
    expect(entry).toMatchObject({ status: 200, patched: true });
  });

  test.each([
    [1024 * 1024, 200],
    [1024 * 1024 + 1, 500],
  ])("of an answer of %i bytes is %i §10.6.19", async (bytes, status) => {
    const store = newStore();
    const tags = Array.from({ length: 8 }, () => ({ name: "x".repeat(4000) }));
    const pets = Array.from({ length: 30 }, (_, at) => ({
      id: at + 1,
      name: "x".repeat(2800),
      photoUrls: [],
      tags,
      status: "sold",
    }));
    const [last] = pets.slice(-1);
    if (last) last.name = "x".repeat(2800 + bytes - JSON.stringify(pets).length);
    expect((await store.manage("PUT", "/data", { json: { pets } })).status).toBe(204);
    await demand(store, { patch: { a: 1 } });
    expect((await store.send("GET", "/pet/findByStatus?status=sold")).status).toBe(status);
  });

  test("touches at most 200,000 values §10.6.19", async () => {
    const store = await storeOf(400);
    const outcomes = [];
    for (const count of [500, 501]) {
      const names = Array.from({ length: count }, (_, at) => [`a${at}`, null]);
      await demand(store, { patch: Object.fromEntries(names) as object });
      const answer = await store.send("GET", "/pet/findByStatus?status=sold");
      outcomes.push([answer.status, count === 500 || answer.json]);
    }
    const message = "A patch that touches more than 200,000 values cannot be applied";
    expect(outcomes).toEqual([
      [200, true],
      [500, { code: 500, type: "error", message }],
    ]);
  });

  test.each([{ id: 2 ** 53 }, { id: [{ a: -(2 ** 53) }] }, deep(33), [], "x"])(
    "with numbers that JavaScript rounds, or too many levels, is refused: %j §10.6.19",
    async (patch) => {
      const answer = await newStore().manage("PUT", "/faults", { json: [{ patch }] });
      expect(outcome(answer)).toEqual(refusal(400, "Invalid rules", "0.patch"));
    },
  );

  test.each([{ id: 2 ** 53 - 1, weight: 0.5 }, deep(32), {}])(
    "can be %j §10.6.19",
    async (patch) => {
      const store = newStore();
      await demand(store, { patch });
      expect(await shownOf(store)).toEqual([{ patch, used: 0, met: 0 }]);
    },
  );
});

/** What arrives of an upload of this size, and the waits before its parts. */
async function sendSlowly(bytes: number, rule: object) {
  const store = await classicStore();
  const file = new Uint8Array(bytes).map((_, index) => index);
  file.set(PNG);
  const path = `/v2${await imageOf(store, file)}`;
  await demand(store, rule);
  const waited = vi.spyOn(time, "wait");
  const answer = await received(store, { path });
  return { file, answer, waits: waited.mock.calls.map(([ms]) => ms) };
}

describe("a slow body", () => {
  test("takes at most 30 s, and then the rest leaves at once §10.6.20", async () => {
    const { file, answer, waits } = await sendSlowly(500, { bytesPerSecond: 1 });
    expect(answer.bytes).toEqual(file);
    expect(waits.filter((ms) => ms === 1000)).toHaveLength(30);
  });

  test("of more than 1 MiB flows through §10.6.20", async () => {
    const bytes = 3 * 1024 * 1024;
    const { file, answer, waits } = await sendSlowly(bytes, { bytesPerSecond: 500_000 });
    expect(answer.bytes).toEqual(file);
    expect(answer.headers.get("Content-Length")).toBe(String(bytes));
    const sum = waits.reduce((all, ms) => all + ms, 0);
    expect(sum).toBeGreaterThan((bytes / 500_000) * 1000 - 200);
    expect(sum).toBeLessThan((bytes / 500_000) * 1000 + 200);
  });

  test("of a rule that leaves Cache-Control out is still not compressed §10.6.20", async () => {
    const store = await classicStore();
    for (const effect of [{ bytesPerSecond: 1_000_000 }, { break: "json" }]) {
      await demand(store, { ...effect, headers: { "cache-control": null } });
      const { headers } = await received(store, { path: "/v2/pet/1" });
      expect(headers.get("Cache-Control")).toBe("no-transform");
    }
  });

  test.each([
    [1_000_000, 64 * 1024],
    [1000, 30_000],
  ])(
    "at %i bytes per second waits at its source, but for %i bytes §10.6.20",
    async (rate, ahead) => {
      const CHUNK = 1000;
      let read = 0;
      const source = () =>
        new ReadableStream(
          {
            pull(controller) {
              read += CHUNK;
              controller.enqueue(new Uint8Array(CHUNK));
            },
          },
          { highWaterMark: 0 },
        );
      const headers = { "x-bytes-per-second": String(rate) };
      const { body } = await deliver(new Response(source(), { headers }));
      expect(read).toBeGreaterThanOrEqual(ahead);
      expect(read).toBeLessThanOrEqual(ahead + 3 * CHUNK);
      await body?.cancel();
    },
  );
});

describe("members that mean nothing together", () => {
  test.each([
    [{ patch: {}, status: 200 }, "patch"],
    [{ status: 204, body: "" }, "body"],
    [{ status: 304, body: "x" }, "body"],
    [{ status: 200, break: "body" }, "break"],
    [{ status: 204, bytesPerSecond: 1 }, "bytesPerSecond"],
    [{ status: 503, retryAfter: 1, headers: { "Retry-After": "2" } }, "retryAfter"],
    [{ bytesPerSecond: 0 }, "bytesPerSecond"],
    [{ bytesPerSecond: 1_000_001 }, "bytesPerSecond"],
    [{ headers: [] }, "headers"],
    [
      { headers: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`x-${at}`, "a"])) },
      "headers",
    ],
    [
      {
        headers: Object.fromEntries(
          Array.from({ length: 9 }, (_, at) => [`x-${at}`, "a".repeat(1000)]),
        ),
      },
      "headers",
    ],
    [{ headers: { "x-a": "1", "X-A": "2" } }, "headers.X-A"],
  ])("are 400 with the member: %j §10.6.4 §10.6.21", async (rule, member) => {
    const answer = await newStore().manage("PUT", "/faults", { json: [rule] });
    expect(outcome(answer)).toEqual(refusal(400, "Invalid rules", `0.${member}`));
  });

  test("are not those that a rule of many members has §10.6.8", async () => {
    const store = newStore();
    // More values than other bodies may have.
    const items = Array.from({ length: 6000 }, () => 0);
    const rule = { patch: { items }, headers: { ETag: null }, every: 2, chance: 1, seed: 1 };
    await demand(store, { ...rule, times: 5, delayMs: [0, 1], bytesPerSecond: 9, break: "json" });
    const shown = await shownOf(store);
    await demand(store, ...shown);
    expect(await shownOf(store)).toEqual(shown);
  });
});

test("every rule of docs/stores.md is one", async () => {
  const [, section = ""] = storesPage.split("## Wrong on purpose");
  const rules = Array.from(
    section.matchAll(/`(\{.*?\})`/g),
    ([, rule = ""]) => JSON.parse(rule) as object,
  );
  expect(rules.length).toBeGreaterThan(15);
  await demand(newStore(), ...rules);
});
