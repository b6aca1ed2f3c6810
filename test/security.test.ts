// What docs/security.md promises and no test of a feature holds: the headers of every answer, the log, and what
// sign-up and login tell of others' accounts.
/// <reference types="vite/client" />
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { routes } from "../src/routes.ts";
import wranglerToml from "../wrangler.toml?raw";
import type { Answer, Send, Sent } from "./client.ts";
import { send } from "./client.ts";
import {
  clientWith,
  createPet,
  createUser,
  etagOf,
  freeOrderIds,
  logIn,
  outcome,
  placeOrder,
  refusal,
  tokenOf,
  uniqueId,
  uniqueName,
  userPath,
} from "./fixtures.ts";
import { PNG, imageForm } from "./images.ts";
import { Calls, d1Through, kvThrough } from "./stores.ts";

const UNAVAILABLE = refusal(503, "Service unavailable");
const API_KEY = "the-api-key-of-this-test";

/** A client of a Worker with these settings, secrets that are not configured here among them. */
const clientOfSettings = (settings: Record<string, string>): Send => clientWith({ env: settings });

const guarded = clientOfSettings({ ACCESS: "protected", API_KEY });

afterEach(() => {
  vi.restoreAllMocks();
});

interface Exchange extends Sent {
  readonly method: string;
  readonly path: string;
}

async function imagePath(): Promise<string> {
  const { id, path } = await createPet({ photoUrls: [] });
  const body = imageForm(new File([PNG], "rex.png"));
  await send("POST", `${path}/uploadImage`, { body });
  const { photoUrls } = (await send("GET", `/pet/${id}`)).json as { photoUrls: string[] };
  return String(photoUrls[0]).replace("/v2", "");
}

const pet = { name: "Rex", photoUrls: "rex.png" };

/** More pets of one tag than a plain body holds. @returns the tag */
async function longList(): Promise<string> {
  const tag = uniqueName("long");
  await env.DB.prepare(
    `insert into pets (id, name, photoUrls, tags)
     select ?2 + value, 'Pet', '"a.png"', json_array(?3) from json_each(?1)`,
  )
    .bind(JSON.stringify([...Array(150).keys()]), uniqueId(), tag)
    .run();
  return tag;
}

async function storedOrder(): Promise<string> {
  await freeOrderIds();
  return (await placeOrder()).path;
}

/** A request of each operation, which succeeds; `word` is in it wherever the operation takes a text. */
const REQUESTS: Record<string, (word: string) => Promise<readonly [path: string, sent?: Sent]>> = {
  addPet: async (word) => ["/pet", { json: { ...pet, name: word, tags: [word] } }],
  updatePet: async (word) => ["/pet", { json: { ...(await createPet()).shown, name: word } }],
  findPetsByStatus: async () => ["/pet/findByStatus?status=sold"],
  findPetsByTags: async (word) => [`/pet/findByTags?tags=${word}`],
  getPetById: async () => [(await createPet()).path],
  updatePetWithForm: async (word) => [
    (await createPet()).path,
    { body: new URLSearchParams({ name: word, another: word }) },
  ],
  deletePet: async () => [(await createPet()).path],
  uploadFile: async (word) => [
    `${(await createPet()).path}/uploadImage`,
    { body: imageForm(new File([PNG], `${word}.png`), word) },
  ],
  getPetImage: async () => [await imagePath()],
  getInventory: async () => ["/store/inventory"],
  placeOrder: async (word) => ["/store/order", { json: { quantity: 1, [word]: word } }],
  getOrderById: async () => [await storedOrder()],
  deleteOrder: async () => [await storedOrder()],
  createUser: async (word) => [
    "/user",
    { json: { username: uniqueName(word), password: word, email: `${word}@pets.example` } },
  ],
  createUsersWithArrayInput: async (word) => [
    "/user/createWithArray",
    { json: [{ username: uniqueName(word), password: word }] },
  ],
  createUsersWithListInput: async (word) => [
    "/user/createWithList",
    { json: [{ username: uniqueName(word), password: word }] },
  ],
  loginUser: async (word) => {
    const { shown } = await createUser({ username: uniqueName(word), password: word });
    return [`/user/login?username=${shown.username}&password=${word}`];
  },
  logoutUser: async () => ["/user/logout"],
  getUserByName: async (word) => [(await createUser({ username: uniqueName(word) })).path],
  updateUser: async (word) => [
    (await createUser({ username: uniqueName(word) })).path,
    { json: { password: word, phone: word } },
  ],
  deleteUser: async (word) => [(await createUser({ username: uniqueName(word) })).path],
};

const operations = routes.map(({ method, path, endpoint }) => ({
  method,
  route: path,
  id: endpoint.operation.id,
}));

async function requestOf(id: string, word = "word"): Promise<readonly [string, Sent]> {
  const [path = "", sent = {}] = (await REQUESTS[id]?.(word)) ?? [];
  return [path, sent];
}

test("every one of the 21 operations has its request", () => {
  expect(operations).toHaveLength(21);
  expect(Object.keys(REQUESTS).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
});

test("no operation sends a request of its own, whatever URLs it is given", async () => {
  const fetched = vi.spyOn(globalThis, "fetch");
  for (const { id, method } of operations) {
    const [path, sent] = await requestOf(id, "http://127.0.0.1/");
    await send(method, path, sent);
  }
  const photoUrls = ["http://127.0.0.1/", "http://169.254.169.254/latest", "//pets.example/a.png"];
  await send("POST", "/pet", { json: { name: "Rex", photoUrls } });
  expect(fetched).not.toHaveBeenCalled();
});

/** An R2 of which every call fails. */
const failingImages = new Proxy(env.IMAGES, {
  get: () => async () => {
    throw new Error("R2 failed");
  },
});

/** A Worker all of whose stores fail. */
const withoutStores = clientWith({
  env: {
    DB: d1Through(new Calls(() => ({ when: "before", message: "D1_ERROR: no such table: x" }))),
    SESSIONS: kvThrough(new Calls(() => ({ when: "before", message: "KV failed" }))),
    IMAGES: failingImages,
  },
});

/** A D1 that fails as only a defect of our own would. */
const defective: Partial<Env> = {
  DB: new Proxy(env.DB, {
    get: () => () => {
      throw new TypeError("cannot read properties of undefined");
    },
  }),
};

const tooMany: Partial<Env> = { REQUESTS: { limit: async () => ({ success: false }) } };

interface Kind {
  readonly status: number;
  readonly what: string;
  /** How the Worker differs from the configured one. */
  readonly worker?: Partial<Env>;
  readonly request: () => Promise<Exchange>;
}

const get = (path: string, headers: Record<string, string> = {}): Exchange => ({
  method: "GET",
  path,
  headers,
});

/** An answer of each status, and of each way in which a body is made. */
const KINDS: readonly Kind[] = [
  {
    status: 200,
    what: "an answer of HEAD",
    request: async () => ({ method: "HEAD", path: (await createPet()).path }),
  },
  {
    status: 200,
    what: "a streamed list",
    request: async () => get(`/pet/findByTags?tags=${await longList()}`),
  },
  { status: 204, what: "OPTIONS", request: async () => ({ method: "OPTIONS", path: "/pet" }) },
  {
    status: 204,
    what: "a preflight",
    request: async () => ({
      method: "OPTIONS",
      path: "/user",
      headers: { "Access-Control-Request-Method": "POST" },
    }),
  },
  {
    status: 206,
    what: "a range of an image",
    request: async () => get(await imagePath(), { Range: "bytes=0-3" }),
  },
  {
    status: 304,
    what: "an unchanged pet",
    request: async () => {
      const { path, etag } = await createPet();
      return get(path, { "If-None-Match": etag });
    },
  },
  {
    status: 304,
    what: "an unchanged image",
    request: async () => get(await imagePath(), { "If-None-Match": "*" }),
  },
  { status: 400, what: "an id that is none", request: async () => get("/pet/x") },
  {
    status: 400,
    what: "a wrong login",
    request: async () => get("/user/login?username=nobody&password=x"),
  },
  {
    status: 401,
    what: "no credential",
    worker: { ACCESS: "protected" },
    request: async () => ({ method: "DELETE", path: "/pet/1" }),
  },
  {
    status: 403,
    what: "another user",
    worker: { ACCESS: "protected" },
    request: async () => {
      const { shown } = await createUser({ password: "secret" });
      const token = tokenOf(await logIn(shown.username, "secret"));
      return get("/user/nobody-at-all", { Authorization: `Bearer ${token}` });
    },
  },
  { status: 404, what: "an unknown path", request: async () => get("/nowhere") },
  { status: 404, what: "an unknown pet", request: async () => get("/pet/987654321") },
  { status: 404, what: "an unknown image", request: async () => get("/pet/1/images/none.png") },
  { status: 405, what: "another method", request: async () => ({ method: "PATCH", path: "/pet" }) },
  {
    status: 405,
    what: "an invalid pet",
    request: async () => ({ method: "POST", path: "/pet", json: {} }),
  },
  {
    status: 409,
    what: "a duplicate",
    request: async () => {
      const { shown } = await createUser();
      return { method: "POST", path: "/user", json: { ...shown, phone: "1" } };
    },
  },
  {
    status: 412,
    what: "a broken condition",
    request: async () => ({
      method: "DELETE",
      path: (await createPet()).path,
      headers: { "If-Match": '"1"' },
    }),
  },
  {
    status: 413,
    what: "a large body",
    request: async () => ({ method: "POST", path: "/user", body: new Uint8Array(300_000) }),
  },
  {
    status: 415,
    what: "another media type",
    request: async () => ({ method: "POST", path: "/pet", body: "{}" }),
  },
  {
    status: 416,
    what: "a range of nothing",
    request: async () => get(await imagePath(), { Range: "bytes=9999-" }),
  },
  {
    status: 422,
    what: "an idempotency key of another request",
    request: async () => {
      const headers = { "Idempotency-Key": uniqueName("key") };
      await send("POST", "/pet", { json: pet, headers });
      return { method: "POST", path: "/pet", json: { ...pet, name: "Max" }, headers };
    },
  },
  { status: 429, what: "too many requests", worker: tooMany, request: async () => get("/pet/1") },
  {
    status: 500,
    what: "a defect",
    worker: defective,
    request: async () => get("/nowhere"),
  },
  {
    status: 503,
    what: "a store that fails",
    worker: { DB: d1Through(new Calls(() => ({ when: "before", message: "D1_ERROR" }))) },
    request: async () => get("/pet/1"),
  },
  {
    status: 503,
    what: "a setting that is wrong",
    worker: { ACCESS: "" },
    request: async () => get("/pet/1"),
  },
];

const OF_DATA = "default-src 'none'; frame-ancestors 'none'";
const OF_IMAGES = "default-src 'none'; frame-ancestors 'none'; sandbox";

function expectSecurityHeaders({ headers }: Answer, https: boolean, policy = OF_DATA): void {
  expect({
    policy: headers.get("content-security-policy"),
    referrer: headers.get("referrer-policy"),
    sniffing: headers.get("x-content-type-options"),
    transport: headers.get("strict-transport-security"),
  }).toEqual({
    policy,
    referrer: "no-referrer",
    sniffing: "nosniff",
    transport: https ? "max-age=31536000" : null,
  });
}

describe("the security headers", () => {
  test.each(operations)("are on a success of $id, for https too", async ({ id, method }) => {
    for (const https of [false, true]) {
      const [path, sent] = await requestOf(id);
      const answer = await clientWith({ https })(method, path, sent);
      expect(answer.status).toBe(200);
      expectSecurityHeaders(answer, https, id === "getPetImage" ? OF_IMAGES : OF_DATA);
    }
  });

  test.each(KINDS)("are on $status, $what, for https too", async ({ status, worker, request }) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    for (const https of [false, true]) {
      const { method, path, ...sent } = await request();
      const answer = await clientWith({ https, ...(worker && { env: worker }) })(
        method,
        path,
        sent,
      );
      expect(answer.status).toBe(status);
      const isImage = path.includes("/images/") && status < 400;
      expectSecurityHeaders(answer, https, isImage ? OF_IMAGES : OF_DATA);
    }
  });

  test("are tried for every status that the document of the interface has", async () => {
    const { default: openApi } = await import("../openapi.json");
    const items = Object.values(openApi.paths) as Record<string, { responses?: object }>[];
    const documented = items.flatMap((item) =>
      Object.values(item).flatMap(({ responses = {} }) => Object.keys(responses)),
    );
    // "default" is what nobody thought of.
    const tried = new Set(["default", ...[200, ...KINDS.map(({ status }) => status)].map(String)]);
    expect([...new Set(documented)].filter((status) => !tried.has(status))).toEqual([]);
  });
});

/** What the service logged, and by which method of `console`. */
interface Line {
  readonly by: "log" | "error";
  readonly text: string;
  readonly members: Record<string, unknown>;
}

/** Keeps the log from the output. @returns what was logged since the last call */
function captureLog(): () => Line[] {
  let lines: Line[] = [];
  for (const by of ["log", "error", "warn", "info", "debug"] as const) {
    vi.spyOn(console, by).mockImplementation((...values: unknown[]) => {
      // Whatever is logged in another way is no line that has its members.
      const isLine = (by === "log" || by === "error") && values.length === 1;
      const text = values.map(String).join(" ");
      if (!isLine) throw new Error(`console.${by} was called with ${text}`);
      lines.push({ by, text, members: JSON.parse(text) as Record<string, unknown> });
    });
  }
  return () => {
    const taken = lines;
    lines = [];
    return taken;
  };
}

const WORD = "planted";
// As long as a token is: what is not is not looked up.
const TOKEN = `${WORD}Token${"A".repeat(31)}`;

/** Headers that clients choose, with a secret in each. */
const PLANTED_HEADERS = {
  Cookie: `session=${TOKEN}; ${WORD}=${WORD}`,
  api_key: `${WORD}-key`,
  "User-Agent": WORD,
  Referer: `https://${WORD}.example/?${WORD}`,
  Origin: `https://${WORD}.example`,
  "X-Request-Id": WORD,
  "CF-Connecting-IP": WORD,
  "x-d1-bookmark": WORD,
  "If-None-Match": `"${WORD}"`,
  [`x-${WORD}`]: WORD,
};

/** Sends a request with secrets wherever one can be, beside those that it has. */
async function sendPlanted(
  client: Send,
  method: string,
  path: string,
  sent: Sent = {},
): Promise<Answer> {
  const planted = `${path}${path.includes("?") ? "&" : "?"}${WORD}=${WORD}&password=${WORD}`;
  // The repeated parameter would make the login another one.
  const whole = path.startsWith("/user/login") ? path : planted;
  const headers = { ...PLANTED_HEADERS, "Idempotency-Key": uniqueName(WORD), ...sent.headers };
  return client(method, whole, { ...sent, headers });
}

const LOGGED = ["requestId", "method", "route", "status", "ms"];

/** Fails unless there is exactly one line, for this request, without anything that its client sent. */
function expectOneLine(
  lines: readonly Line[],
  answer: Answer,
  { method, route }: { readonly method: string; readonly route: string | undefined },
): Line {
  expect(lines).toHaveLength(1);
  const [line] = lines;
  if (line === undefined) throw new Error("no line");
  const { requestId, status, ms } = line.members;
  expect(line.members).toMatchObject({ method, status: answer.status });
  expect(line.members["route"]).toBe(route);
  expect(requestId).toBe(answer.headers.get("x-request-id"));
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(status).toBeTypeOf("number");
  expect(ms).toBeTypeOf("number");
  expect(line.text.toLowerCase()).not.toContain(WORD);
  return line;
}

const withKeys = clientOfSettings({ API_KEY: `${WORD}-key`, ACCESS: "protected" });

describe("the log", () => {
  test.each(operations)(
    "has one line for a request of $id, without anything that was sent",
    async ({ id, method, route }) => {
      const taken = captureLog();
      const credentials = [{}, { Authorization: `Bearer ${TOKEN}` }];
      for (const client of [send, withKeys]) {
        for (const credential of credentials) {
          const [path, sent] = await requestOf(id, WORD);
          taken();
          const headers = { ...sent.headers, ...credential };
          const answer = await sendPlanted(client, method, path, { ...sent, headers });
          expect(answer.status).toBe(200);
          const line = expectOneLine(taken(), answer, { method, route });
          expect(line.by).toBe("log");
          expect(Object.keys(line.members)).toEqual(LOGGED);
        }
      }
    },
  );

  test.each(operations)(
    "has one line for a fault at $id: what failed, and nothing that was sent",
    async ({ id, method, route }) => {
      const taken = captureLog();
      const [path, sent] = await requestOf(id, WORD);
      taken();
      const answer = await sendPlanted(withoutStores, method, path, sent);
      expect(outcome(answer)).toEqual(UNAVAILABLE);
      const line = expectOneLine(taken(), answer, { method, route });
      expect(line.by).toBe("error");
      expect(Object.keys(line.members)).toEqual([...LOGGED, "error", "message", "cause"]);
      expect(line.members).toMatchObject({ error: "Unavailable" });
    },
  );

  const refused: readonly (Exchange & { readonly route?: string; readonly status: number })[] = [
    { method: "GET", path: `/${WORD}`, status: 404 },
    { method: "POST", path: `/pet/1/${WORD}`, json: { [WORD]: WORD }, status: 404 },
    { method: "PATCH", path: `/user/${WORD}`, route: "/user/:username", status: 405 },
    { method: "OPTIONS", path: `/user/${WORD}`, route: "/user/:username", status: 204 },
    { method: "GET", path: `/pet/${WORD}`, route: "/pet/:petId", status: 400 },
    { method: "GET", path: `/user/${WORD}%ZZ`, route: "/user/:username", status: 400 },
    { method: "GET", path: `/user/${WORD}`, route: "/user/:username", status: 404 },
    {
      method: "GET",
      path: `/pet/1/images/${WORD}`,
      route: "/pet/:petId/images/:name",
      status: 404,
    },
    {
      method: "GET",
      path: `/pet/findByStatus?status=${WORD}`,
      route: "/pet/findByStatus",
      status: 400,
    },
    {
      method: "GET",
      path: `/user/login?username=${WORD}&password=${WORD}`,
      route: "/user/login",
      status: 400,
    },
    { method: "POST", path: "/pet", body: WORD, route: "/pet", status: 415 },
    { method: "POST", path: "/pet", json: { name: WORD }, route: "/pet", status: 405 },
    {
      method: "POST",
      path: "/user",
      json: { username: WORD, userStatus: WORD },
      route: "/user",
      status: 400,
    },
    {
      method: "POST",
      path: "/user",
      json: { phone: WORD.repeat(50_000) },
      route: "/user",
      status: 413,
    },
  ];
  test.each(refused)(
    "has one line for a request that is refused, without anything that was sent: $method $path is $status",
    async ({ method, path, route, status, ...sent }) => {
      const taken = captureLog();
      const answer = await sendPlanted(send, method, path, sent);
      expect(answer.status).toBe(status);
      const line = expectOneLine(taken(), answer, { method, route });
      expect(line.by).toBe("log");
      const members = LOGGED.filter((member) => member !== "route" || route !== undefined);
      expect(Object.keys(line.members)).toEqual(members);
    },
  );

  test("has neither the token of a login nor the right API key", async () => {
    const { shown } = await createUser({ password: "secret" });
    const taken = captureLog();
    const token = tokenOf(await logIn(shown.username, "secret", guarded));
    const headers = { Authorization: `Bearer ${token}` };
    await guarded("GET", userPath(String(shown.username)), { headers });
    await guarded("GET", "/user/logout", { headers: { Cookie: `session=${token}` } });
    await guarded("DELETE", (await createPet()).path, { headers: { api_key: API_KEY } });
    const lines = taken();
    expect(lines).toHaveLength(5);
    for (const { text } of lines) {
      for (const secret of [token, API_KEY, env.PASSWORD_KEY]) expect(text).not.toContain(secret);
    }
  });

  test("tells of a defect what it was, and the answer does not", async () => {
    const taken = captureLog();
    const answer = await clientWith({ env: defective })("GET", "/nowhere");
    expect(outcome(answer)).toEqual(refusal(500, "Internal error"));
    const line = expectOneLine(taken(), answer, { method: "GET", route: undefined });
    expect(line.by).toBe("error");
    expect(line.members).toMatchObject({
      error: "TypeError",
      message: "cannot read properties of undefined",
    });
  });

  test("of Cloudflare leaves query strings out, in every environment: a login has the password there", () => {
    const tables = wranglerToml.split(/^(?=\[)/m).filter((table) => /observability/.test(table));
    // Environments inherit the one table.
    expect(tables.map((table) => table.split("\n")[0])).toEqual(["[observability]"]);
    expect(tables[0]).toMatch(/^redact_query_string = true$/m);
  });

  test("has the time that a request took, by the clock of the service", async () => {
    const taken = captureLog();
    let time = 100;
    await clientWith({ now: () => (time += 7) })("GET", "/nowhere");
    expect(taken().map(({ members }) => members["ms"])).toEqual([7]);
  });
});

/** The headers of an answer but for those that differ at every request. */
function comparable({ headers }: Answer): [string, string][] {
  return [...headers].filter(([name]) => name !== "x-request-id" && name !== "x-d1-bookmark");
}

/** What a request cost: calls to D1 and KV, passwords opened and secrets compared. */
async function costOf(request: (client: Send) => Promise<Answer>) {
  const [d1, kv] = [new Calls(), new Calls()];
  const opened = vi.spyOn(crypto.subtle, "decrypt");
  const compared = vi.spyOn(crypto.subtle, "timingSafeEqual");
  const client = clientWith({ env: { DB: d1Through(d1), SESSIONS: kvThrough(kv) } });
  const answer = await request(client);
  const [opens, comparisons] = [opened.mock.calls.length, compared.mock.calls.length];
  vi.restoreAllMocks();
  return { answer, cost: { d1: d1.count, kv: kv.count, opens, comparisons } };
}

describe("a wrong login", () => {
  test("does not tell an unknown user from a wrong password: same bytes, same headers, same work", async () => {
    const { shown } = await createUser({ password: "secret" });
    const { shown: without } = await createUser();
    const names = [shown.username, without.username, uniqueName("nobody")];
    const attempts = [];
    for (const name of names) {
      const { answer, cost } = await costOf(async (client) => logIn(name, "wrong", client));
      attempts.push({
        status: answer.status,
        text: answer.text,
        headers: comparable(answer),
        cost,
      });
    }
    const [first, ...others] = attempts;
    expect(first).toMatchObject({ status: 400, cost: { d1: 1, kv: 0, opens: 1, comparisons: 1 } });
    expect(others).toEqual([first, first]);
  });
});

describe("a secret", () => {
  test("is compared in constant time, whatever its length", async () => {
    const { shown } = await createUser({ password: "secret" });
    for (const sent of ["s", "secreT", "secrets", "x".repeat(1000)]) {
      const compared = vi.spyOn(crypto.subtle, "timingSafeEqual");
      await logIn(shown.username, sent);
      await guarded("DELETE", "/pet/1", { headers: { api_key: sent } });
      expect(compared.mock.calls.map(([one]) => one.byteLength)).toEqual([
        sent.length,
        sent.length,
      ]);
      // It throws where the lengths differ.
      expect(compared.mock.results.map(({ type }) => type)).toEqual(["return", "return"]);
      vi.restoreAllMocks();
    }
  });
});

describe("a sign-up with the username of another", () => {
  const owner = { password: "the secret of the owner", email: "ann@pets.example", userStatus: 1 };
  /** What somebody else may send beside the username. */
  const others: Record<string, object> = {
    "another password": { ...owner, password: "mine" },
    "a password of the same length": { ...owner, password: owner.password.toUpperCase() },
    "no password": { ...owner, password: undefined },
    "another email": { ...owner, email: "eve@pets.example" },
    "the right password and nothing else": { password: owner.password },
    "nothing else": {},
  };

  test.each(Object.keys(others))("takes nothing over: %s", async (what) => {
    const { path, shown, etag } = await createUser(owner);
    const { username } = shown;
    const token = tokenOf(await logIn(username, owner.password, guarded));
    for (const client of [send, guarded]) {
      const json = { ...others[what], username };
      expect((await client("POST", "/user", { json })).status).toBe(409);
      expect((await client("POST", "/user/createWithArray", { json: [json] })).status).toBe(409);
    }
    const after = await send("GET", path);
    expect([after.json, etagOf(after)]).toEqual([shown, etag]);
    expect((await logIn(username, owner.password)).status).toBe(200);
    expect((await logIn(username, "mine")).status).toBe(400);
    const headers = { Authorization: `Bearer ${token}` };
    expect((await guarded("GET", path, { headers })).status).toBe(200);
  });

  test("is answered that it is a duplicate, and no more, whatever else it says", async () => {
    const { shown } = await createUser(owner);
    const { username } = shown;
    const answers = [];
    for (const other of Object.values(others)) {
      const json = { ...other, username };
      const { answer, cost } = await costOf(async (client) => client("POST", "/user", { json }));
      answers.push({ text: answer.text, headers: comparable(answer), cost });
    }
    const [first, ...more] = answers;
    expect(JSON.parse(first?.text ?? "")).toEqual({
      code: 409,
      type: "error",
      message: "Duplicate user",
      errors: [{ path: "username", message: "is a duplicate: another user has it" }],
    });
    expect(first?.cost).toMatchObject({ d1: 1, kv: 0, opens: 1, comparisons: 1 });
    for (const answer of more) expect(answer).toEqual(first);
  });

  // Who knows all that an account has but its password learns by 200 instead of 409 that a guess was right.
  test("is no way around the limit of logins: guesses of a password count as attempts to log in", async () => {
    const user = { username: uniqueName("ann"), password: "secret" };
    await createUser(user);
    const keys: string[] = [];
    const LOGINS: RateLimit = {
      limit: async ({ key }) => {
        keys.push(key);
        return { success: keys.length <= 2 };
      },
    };
    const client = clientWith({ env: { LOGINS, ACCESS: "protected" } });
    const headers = { "CF-Connecting-IP": "192.0.2.1" };
    const statuses = [];
    for (const password of ["one", "two", "secret"]) {
      const json = { ...user, password };
      statuses.push((await client("POST", "/user", { json, headers })).status);
    }
    expect(statuses).toEqual([409, 409, 429]);
    expect(new Set(keys)).toEqual(new Set([`${user.username} 192.0.2.1`]));
  });
});
