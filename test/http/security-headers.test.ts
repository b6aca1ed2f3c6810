import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import openApi from "../../openapi.json";
import { send } from "../client.ts";
import type { Answer } from "../client.ts";
import {
  captureFaults,
  clientWith,
  createPet,
  createUser,
  logIn,
  tokenOf,
  uniqueId,
  uniqueName,
} from "../fixtures.ts";
import type { Bindings } from "../fixtures.ts";
import { STORED, exchange, operations, prepare } from "../operations.ts";
import type { Exchange } from "../operations.ts";
import { Calls, d1Through, defectiveD1 } from "../stores.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

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

const tooMany: Bindings = { REQUESTS: { limit: async () => ({ success: false }) } };

interface Kind {
  readonly status: number;
  readonly what: string;
  /** How the Worker differs from the configured one. */
  readonly worker?: Bindings;
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
    request: async () => get((await STORED.image()).path, { Range: "bytes=0-3" }),
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
    request: async () => get((await STORED.image()).path, { "If-None-Match": "*" }),
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
    request: async () => get((await STORED.image()).path, { Range: "bytes=9999-" }),
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
    worker: { DB: defectiveD1 },
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
  test.each(operations)("are on a success of $id, for https too", async ({ id }) => {
    for (const https of [false, true]) {
      const { request } = await prepare(id);
      const answer = await exchange(clientWith({}, { https }), request);
      expect(answer.status).toBe(200);
      expectSecurityHeaders(answer, https, id === "getPetImage" ? OF_IMAGES : OF_DATA);
    }
  });

  test.each(KINDS)("are on $status, $what, for https too", async ({ status, worker, request }) => {
    captureFaults();
    for (const https of [false, true]) {
      const sent = await request();
      const answer = await exchange(clientWith(worker, { https }), sent);
      expect(answer.status).toBe(status);
      const isImage = sent.path.includes("/images/") && status < 400;
      expectSecurityHeaders(answer, https, isImage ? OF_IMAGES : OF_DATA);
    }
  });

  test("are tried for every status that the document of the interface has", async () => {
    const items = Object.values(openApi.paths) as Record<string, { responses?: object }>[];
    const documented = items.flatMap((item) =>
      Object.values(item).flatMap(({ responses = {} }) => Object.keys(responses)),
    );
    // "default" stands for every status that the table does not list.
    const tried = new Set(["default", ...[200, ...KINDS.map(({ status }) => status)].map(String)]);
    expect([...new Set(documented)].filter((status) => !tried.has(status))).toEqual([]);
  });
});
