/// <reference types="vite/client" />
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import wranglerToml from "../../wrangler.toml?raw";
import { BASE_PATH } from "../../src/http/base-path.ts";
import { send } from "../client.ts";
import type { Answer, Send, Sent } from "../client.ts";
import {
  API_KEY,
  PROTECTED,
  UNAVAILABLE,
  clientWith,
  createPet,
  createUser,
  logIn,
  outcome,
  refusal,
  tokenOf,
  uniqueName,
  userPath,
} from "../fixtures.ts";
import type { Bindings } from "../fixtures.ts";
import { STORED, exchange, operations, prepare } from "../operations.ts";
import type { Exchange } from "../operations.ts";
import { Calls, d1Through, defectiveStore, kvThrough, r2Through } from "../bindings.ts";

const guarded = clientWith(PROTECTED);

afterEach(() => {
  vi.restoreAllMocks();
});

/** A Worker all of whose stores fail. */
const withoutStores = clientWith({
  DB: d1Through(new Calls(() => ({ when: "before", message: "D1_ERROR: no such table: x" }))),
  SESSIONS: kvThrough(new Calls(() => ({ when: "before", message: "KV failed" }))),
  IMAGES: r2Through(new Calls(() => ({ when: "before", message: "R2 failed" }))),
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
      // A line that is logged in another way does not have these members.
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
// This is as long as a token. The service does not look up anything else.
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

/** A request with a secret in every place where the operation accepts text. */
async function planted(name: string): Promise<Exchange> {
  const user = async () => createUser({ username: uniqueName(WORD), password: WORD });
  return (await prepare(name, { makers: { ...STORED, user }, word: WORD })).request;
}

/** Sends a request with secrets wherever one can be, beside those that it has. */
async function sendPlanted(
  client: Send,
  { path, headers, ...request }: Exchange,
  credential: Record<string, string> = {},
): Promise<Answer> {
  const query = `${path.includes("?") ? "&" : "?"}${WORD}=${WORD}&password=${WORD}`;
  return exchange(client, {
    ...request,
    // The repeated parameter would make the login another one.
    path: path.startsWith("/user/login") ? path : `${path}${query}`,
    headers: {
      ...PLANTED_HEADERS,
      "Idempotency-Key": uniqueName(WORD),
      ...headers,
      ...credential,
    },
  });
}

const LOGGED = ["requestId", "method", "route", "status", "ms"];

/** What a line must say of a request. */
interface Asked {
  readonly method: string;
  readonly basePath?: string;
  readonly route: string | undefined;
}

/** Fails unless there is exactly one line, for this request, without anything that its client sent. */
function expectOneLine(
  lines: readonly Line[],
  answer: Answer,
  { method, basePath = BASE_PATH, route }: Asked,
): Line {
  for (const { text } of lines) expect(text.toLowerCase()).not.toContain(WORD);
  // Work that fails after the answer has a line without a status.
  const [line, ...others] = lines.filter(({ members }) => "status" in members);
  if (line === undefined) throw new Error("no line");
  expect(others).toEqual([]);
  const { requestId, status, ms } = line.members;
  expect(line.members).toMatchObject({ method, status: answer.status });
  expect(line.members["route"]).toBe(route && basePath + route);
  expect(requestId).toBe(answer.headers.get("x-request-id"));
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(status).toBeTypeOf("number");
  expect(ms).toBeTypeOf("number");
  return line;
}

type Refused = [
  status: number,
  method: string,
  path: string,
  route?: string | undefined,
  sent?: Sent,
];

const withKeys = clientWith({ API_KEY: `${WORD}-key`, ACCESS: "protected" } as Bindings);

describe("the log", () => {
  test.each(operations)(
    "has one line for a request of $name, without anything that was sent §V16.2 §R1",
    async ({ name, ...asked }) => {
      const taken = captureLog();
      const credentials = [{}, { Authorization: `Bearer ${TOKEN}` }];
      for (const client of [send, withKeys]) {
        for (const credential of credentials) {
          const request = await planted(name);
          taken();
          const answer = await sendPlanted(client, request, credential);
          expect(answer.status).toBe(200);
          const line = expectOneLine(taken(), answer, asked);
          expect(line.by).toBe("log");
          expect(Object.keys(line.members)).toEqual(LOGGED);
        }
      }
    },
  );

  test.each(operations)(
    "has one line for a fault at $name: what failed, and nothing that was sent §V16.3",
    async ({ name, id, ...asked }) => {
      const taken = captureLog();
      const request = await planted(name);
      taken();
      const answer = await sendPlanted(withoutStores, request);
      // A logout succeeds all the same (interface §6.3).
      expect(answer).toMatchObject(id === "logoutUser" ? { status: 200 } : UNAVAILABLE);
      const line = expectOneLine(taken(), answer, asked);
      expect(line.by).toBe("error");
      expect(Object.keys(line.members)).toEqual([...LOGGED, "error", "message", "cause"]);
      expect(line.members).toMatchObject({ error: "Unavailable" });
    },
  );

  const refused: Refused[] = [
    [404, "GET", `/${WORD}`],
    [404, "POST", `/pet/1/${WORD}`, undefined, { json: { [WORD]: WORD } }],
    [405, "PATCH", `/user/${WORD}`, "/user/:username"],
    [204, "OPTIONS", `/user/${WORD}`, "/user/:username"],
    [400, "GET", `/pet/${WORD}`, "/pet/:petId"],
    [400, "GET", `/user/${WORD}%ZZ`, "/user/:username"],
    [404, "GET", `/user/${WORD}`, "/user/:username"],
    [404, "GET", `/pet/1/images/${WORD}`, "/pet/:petId/images/:name"],
    [400, "GET", `/pet/findByStatus?status=${WORD}`, "/pet/findByStatus"],
    [400, "GET", `/user/login?username=${WORD}&password=${WORD}`, "/user/login"],
    [415, "POST", "/pet", "/pet", { body: WORD }],
    [405, "POST", "/pet", "/pet", { json: { name: WORD } }],
    [400, "POST", "/user", "/user", { json: { username: WORD, userStatus: WORD } }],
    [413, "POST", "/user", "/user", { json: { phone: WORD.repeat(50_000) } }],
  ];
  test.each<Refused>(refused)(
    "has one line for a request that is refused, without anything that was sent: %i of %s %s §V16.2",
    async (status, method, path, route, sent = {}) => {
      const taken = captureLog();
      const answer = await sendPlanted(send, { method, path, ...sent });
      expect(answer.status).toBe(status);
      const line = expectOneLine(taken(), answer, { method, route });
      expect(line.by).toBe("log");
      const members = LOGGED.filter((member) => member !== "route" || route !== undefined);
      expect(Object.keys(line.members)).toEqual(members);
    },
  );

  test("names the routes of sandboxes, without their names §R1", async () => {
    const taken = captureLog();
    const name = crypto.randomUUID();
    for (const [path, route] of [
      ["", "/stores/:store"],
      ["/data", "/stores/:store/data"],
      ["/v2/pet/1", "/v2/pet/:petId"],
    ]) {
      await clientWith({}, { base: "" })("GET", `/stores/${name}${path}`);
      const lines = taken();
      expect(lines.map(({ members }) => members["route"])).toEqual([route]);
      expect(JSON.stringify(lines)).not.toContain(name);
    }
  });

  test("has neither the token of a login nor the right API key §V16.2", async () => {
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

  test("names a defect and its place, and the answer does not §V13.4 §V16.3", async () => {
    const taken = captureLog();
    const answer = await clientWith(defectiveStore)("GET", "/store/inventory");
    expect(outcome(answer)).toEqual(refusal(500, "Internal error"));
    const line = expectOneLine(taken(), answer, { method: "GET", route: "/store/inventory" });
    expect(line.by).toBe("error");
    expect(line.members).toMatchObject({
      error: "TypeError",
      message: "cannot read properties of undefined",
      // Only the frames: the message is there already.
      stack: expect.stringMatching(/^( +at .+\n)* +at .+$/),
    });
  });

  test("of Cloudflare has no URLs in any environment, as they hold passwords and names of sandboxes §V14.2 §R1", () => {
    const tables = wranglerToml.split(/^(?=\[)/m).filter((table) => /observability/.test(table));
    // Environments inherit the two tables.
    expect(tables.map((table) => table.split("\n")[0])).toEqual([
      "[observability]",
      "[observability.logs]",
    ]);
    expect(tables[0]).toMatch(/^redact_query_string = true$/m);
    expect(tables[1]).toMatch(/^invocation_logs = false$/m);
  });

  test("has the time that a request took §V16.2", async () => {
    const taken = captureLog();
    let time = 100;
    vi.spyOn(Date, "now").mockImplementation(() => (time += 7));
    await send("GET", "/nowhere");
    expect(taken().map(({ members }) => members["ms"])).toEqual([7]);
  });
});
