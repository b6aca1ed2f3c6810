import { expect, test } from "vitest";
import { sandbox, send } from "../client.ts";
import { ACCEPTED_RULES } from "./accepted-rules.ts";
import { readRules } from "./sandboxes.ts";

const put = async (path: string, json: unknown) => send("PUT", `${path}/faults`, { json });

async function errorsOf(response: Response) {
  expect(response.status).toBe(400);
  return (await response.json<{ errors: { path: string; message: string }[] }>()).errors;
}

test("a sandbox accepts these rules, returns them, and accepts what it returns", async () => {
  const path = sandbox();
  for (const rule of ACCEPTED_RULES) {
    expect((await put(path, [rule])).status).toBe(204);
    expect(await readRules(path)).toEqual([{ ...rule, used: 0 }]);
  }
  expect((await put(path, ACCEPTED_RULES)).status).toBe(204);
  const shown = await readRules(path);
  expect((await put(path, shown)).status).toBe(204);
  expect(await readRules(path)).toEqual(shown);
});

test("a sandbox has at most 100 rules, and no rule initially and after DELETE", async () => {
  const path = sandbox();
  await send("GET", `${path}/v2/store/inventory`);
  expect(await readRules(path)).toEqual([]);
  const rules = Array.from({ length: 101 }, () => ({ status: 503 }));
  expect((await put(path, rules.slice(1))).status).toBe(204);
  expect(await errorsOf(await put(path, rules))).toMatchObject([{ path: "body" }]);
  expect(await errorsOf(await put(path, {}))).toMatchObject([{ path: "body" }]);
  expect(await readRules(path)).toHaveLength(100);
  expect((await send("DELETE", `${path}/faults`)).status).toBe(204);
  expect(await readRules(path)).toEqual([]);
});

test.each<[unknown, string]>([
  [1, ""],
  [{}, ""],
  [{ operationId: "addPet", times: 1 }, ""],
  [{ status: 199 }, ".status"],
  [{ status: 600 }, ".status"],
  [{ status: 503, times: 0 }, ".times"],
  [{ status: 503, every: 1.5 }, ".every"],
  [{ status: 503, chance: 1.1 }, ".chance"],
  [{ delayMs: 0 }, ".delayMs"],
  [{ delayMs: 30_001 }, ".delayMs"],
  [{ break: "all" }, ".break"],
  [{ patch: "x" }, ".patch"],
  // Fields that are only valid with a fault response, or only with the real response.
  [{ delayMs: 1, after: true }, ".after"],
  [{ delayMs: 1, body: "x" }, ".body"],
  [{ delayMs: 1, retryAfter: 1 }, ".retryAfter"],
  [{ status: 200, patch: {} }, ".patch"],
  // What no rule and no interface has.
  [{ status: 503, colour: "red" }, ".colour"],
  [{ status: 503, operationId: "addPett" }, ".operationId"],
  [{ status: 503, method: "get" }, ".method"],
  [{ status: 503, path: "/nowhere" }, ".path"],
  [{ status: 503, path: "/pet/{id}" }, ".path"],
  [{ status: 503, path: "/user/a?b" }, ".path"],
  [{ status: 503, path: "/user/.." }, ".path"],
  [{ status: 503, path: "/user/%2e" }, ".path"],
  [{ status: 503, path: "/v2/pet/1" }, ".path"],
  [{ status: 503, path: "pet/1" }, ".path"],
  [{ status: 503, constructor: 1 }, ".constructor"],
  [JSON.parse('{"status":503,"__proto__":1}'), ".__proto__"],
  [{ delayMs: [1, 30_001] }, ".delayMs.1"],
  [{ delayMs: [5, 4] }, ".delayMs"],
  [{ delayMs: [5] }, ".delayMs"],
  [{ delayMs: [1, 2, 3] }, ".delayMs"],
  [{ slowMs: 0 }, ".slowMs"],
  [{ slowMs: [1, 2] }, ".slowMs"],
  [{ status: 503, match: [] }, ".match"],
  [{ status: 503, match: { path: "/pet" } }, ".match.path"],
  [{ status: 503, match: { query: { a: 1 } } }, ".match.query.a"],
  [{ status: 503, match: { headers: { "a b": "c" } } }, ".match.headers.a b"],
  [{ status: 503, match: { headers: { "x-a": "b", "X-A": "b" } } }, ".match.headers.X-A"],
  [{ status: 503, match: { headers: { "x-a": " b" } } }, ".match.headers.x-a"],
  [{ status: 503, match: { headers: { "x-a": "b\nc" } } }, ".match.headers.x-a"],
  [
    { status: 503, match: { query: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [at, ""])) } },
    ".match.query",
  ],
  [{ status: 503, match: { body: JSON.parse("[".repeat(33) + "]".repeat(33)) as unknown } }, ".match.body"],
  [{ status: 503, headers: { "x-a": "b", "X-A": "c" } }, ".headers.X-A"],
  [{ headers: { constructor: "a" } }, ".headers.constructor"],
  [{ headers: JSON.parse('{"__proto__":"a"}') as unknown }, ".headers.__proto__"],
  // A redirect leads to the same sandbox.
  [{ status: 200, location: "/pet/1" }, ".location"],
  [{ status: 304, location: "/pet/1" }, ".location"],
  [{ location: "/pet/1" }, ".location"],
  [{ status: 302, location: "pet/1" }, ".location"],
  [{ status: 302, location: "https://a.example/" }, ".location"],
  [{ status: 302, location: "//a.example/" }, ".location"],
  [{ status: 302, location: "/../pet/1" }, ".location"],
  [{ status: 302, location: "/pet/%2E%2e/%2e." }, ".location"],
  [{ status: 302, location: "/pet/..?a" }, ".location"],
  [{ status: 302, location: "/\\..\\a" }, ".location"],
  [{ status: 302, location: "/pet/1#a" }, ".location"],
  [{ status: 302, location: "/pet/\r\nx-a: b" }, ".location"],
  [{ status: 302, location: "/user/Jörg" }, ".location"],
  // Nothing of this is sent when the connection closes.
  [{ break: "connection", status: 503 }, ".status"],
  [{ break: "connection", headers: { "x-a": "b" } }, ".headers"],
  [{ break: "connection", patch: {} }, ".patch"],
  [{ break: "connection", body: "x" }, ".body"],
  [{ break: "connection", retryAfter: 1 }, ".retryAfter"],
  [{ break: "connection", location: "/pet/1" }, ".location"],
  [{ break: "connection", slowMs: 1 }, ".slowMs"],
  // What never happens.
  [{ status: 503, match: { body: {} }, operationId: "getPetById" }, ".match.body"],
  [{ status: 503, match: { body: {} }, operationId: "updatePetWithForm" }, ".match.body"],
  [{ status: 503, match: { body: 1 }, method: "GET" }, ".match.body"],
  [{ status: 503, match: { body: 1 }, method: "POST", path: "/pet/1" }, ".match.body"],
  [{ status: 503, operationId: "getPetById", method: "POST" }, ".operationId"],
  [{ delayMs: 1, operationId: "addPet", method: "HEAD" }, ".operationId"],
  [{ patch: {}, operationId: "getPetById", path: "/user/{username}" }, ".operationId"],
  [{ status: 503, operationId: "getPetById", path: "/pet" }, ".operationId"],
  [{ status: 503, operationId: "getPetById", path: "/pet/findByStatus" }, ".operationId"],
  [{ status: 503, operationId: "getPetById", path: "/pet/%66indByTags" }, ".operationId"],
  [{ status: 503, operationId: "getUserByName", path: "/user/login" }, ".operationId"],
  [{ status: 503, operationId: "addPet", method: "PUT", path: "/pet" }, ".operationId"],
  [{ status: 503, operationId: "deletePet", method: "GET", path: "/pet/1" }, ".operationId"],
])("the rule %j is rejected, and the previous rules stay", async (rule, field) => {
  const path = sandbox();
  await put(path, [{ status: 503 }]);
  const errors = await errorsOf(await put(path, [{ status: 500 }, rule]));
  expect(errors.map((error) => error.path)).toEqual([`1${field}`]);
  // The library's own messages do not say what to change.
  expect(errors[0]?.message).not.toMatch(/Invalid|Expected|received/);
  expect(await readRules(path)).toEqual([{ status: 503, used: 0 }]);
});

test("the error of an unknown operation lists the operations", async () => {
  const errors = await errorsOf(await put(sandbox(), [{ status: 503, operationId: "addPett" }]));
  expect(errors[0]?.message).toMatch(/^must be one of addPet, .*\bdeleteUser\b/);
});

test("a rule can set and remove these headers", async () => {
  const names = `content-type content-language etag last-modified cache-control expires age vary
    retry-after allow accept deprecation sunset ratelimit ratelimit-policy x-rate-limit x-own
    x-xss-protection x-dns-prefetch-control x-download-options x-permitted-cross-domain-policies x-powered-by`;
  for (const name of names.split(/\s+/)) {
    for (const value of ["~!", null]) {
      const path = sandbox();
      const headers = { [name]: name === "content-type" && value ? "text/plain" : value };
      expect((await put(path, [{ headers }])).status).toBe(204);
      const response = await send("GET", `${path}/v2/store/inventory`, { documented: false });
      expect(response.headers.get(name)).toBe(headers[name]);
    }
  }
});

test("a rule cannot set other headers", async () => {
  const names = `set-cookie location content-disposition content-length content-security-policy
    access-control-allow-origin refresh server x-accel-redirect x-sendfile
    x-sendfile-temporary x-lighttpd-send-file x-litespeed-location x-reproxy-url x-envoy-ratelimited
    x-appengine-blobkey x-archive-files x-content-type-options x-frame-options x-forwarded-host
    X-Request-Id x-d1-bookmark X-Accel-Limit-Rate`.split(/\s+/);
  for (const value of ["a", null]) {
    const rules = names.map((name) => ({ headers: { [name]: value } }));
    const errors = await errorsOf(await put(sandbox(), rules));
    expect(errors.map(({ path }) => path)).toEqual(names.map((name, at) => `${at}.headers.${name}`));
  }
});

test.each<[string, unknown, string?]>([
  ["x-own", "a\r\nb"],
  ["x-own", "ä"],
  ["x-a b", "a"],
  ["content-type", "Text/JavaScript; charset=utf-8", "x"],
  ["content-type", "text/css", "x"],
  ["content-type", "text/xsl", "x"],
  // Without a body of the rule, these would show a browser what a client stored.
  ["content-type", "text/html; charset=utf-8"],
  ["content-type", "image/svg+xml"],
])("a rule cannot set the header %s to %j", async (name, value, body) => {
  const rule = { headers: { [name]: value }, ...(body !== undefined && { status: 200, body }) };
  const errors = await errorsOf(await put(sandbox(), [rule]));
  expect(errors.map(({ path }) => path)).toEqual([`0.headers.${name}`]);
});

test("a rule cannot hide a script behind another spelling of the header", async () => {
  const headers = { "Content-Type": "text/plain", "content-type": "text/javascript" };
  const errors = await errorsOf(await put(sandbox(), [{ status: 200, body: "x", headers }]));
  expect(errors).toMatchObject([{ path: "0.headers.content-type" }]);
});
