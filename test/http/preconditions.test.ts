import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { send } from "../client.ts";
import { isSandbox } from "../engine.ts";
import {
  clientWith,
  createPet,
  createUser,
  etagOf,
  refusal,
  uniqueName,
  userPath,
} from "../fixtures.ts";
import type { Made } from "../fixtures.ts";
import type { Exchange, OperationsWith } from "../operations.ts";
import { MISSING, STORED, exchange, operations, prepare } from "../operations.ts";

type HeaderValues = Record<string, string>;

type FromTag = readonly [name: string, header: (etag: string) => string];

const tagIn = (etag: string) => etag.slice(1, -1);

/** Headers that name a tag, by both comparisons. */
const NAMING: readonly FromTag[] = [
  ["the tag", (etag) => etag],
  ["*", () => "*"],
  ["a list with the tag", (etag) => `"another", ${etag},"a third"`],
  ["a list with the tag beside its weak form", (etag) => `W/${etag}, ${etag}`],
  ["a list with empty elements and a tab", (etag) => `, "another",, \t${etag} ,`],
  ["the tag beside *", (etag) => `*, ${etag}`],
  ["* twice", () => " *, * "],
];

/** Headers that name it by weak comparison only, as `If-None-Match` compares, and not `If-Match`. */
const WEAKLY_NAMING: readonly FromTag[] = [
  ["the tag in its weak form", (etag) => `W/${etag}`],
  ["a list with the weak tag", (etag) => `W/"another" , W/${etag}`],
];

/** Headers that name a tag by neither comparison. */
const NOT_NAMING: readonly FromTag[] = [
  ["another tag", () => '"another"'],
  ["a list of other tags", () => '"another", "1"'],
  ["a longer tag", (etag) => `${etag.slice(0, -1)}0"`],
  ["a quoted *", () => '"*"'],
  ["another tag beside *", () => '*, "another"'],
  [
    "other forms of the same number",
    (etag) => `"0${tagIn(etag)}", "${tagIn(etag)}.0", "${tagIn(etag)}e0"`,
  ],
  ["an empty tag", () => '""'],
  ["a tag with a comma", (etag) => `"1,${tagIn(etag)}"`],
  ["what has a space, and so is no tag", (etag) => `"${tagIn(etag)} 1"`],
];

/** Headers that name no tag at all. */
const NAMING_NOTHING: readonly FromTag[] = [
  // An empty header does not cross to an object.
  ...(isSandbox ? [] : [["nothing", () => ""] as const]),
  ["an empty list", () => ","],
  ["the tag without its quotes", tagIn],
  ["what is no list of tags", () => 'garbage, "unterminated, W/'],
];

type Conditional = OperationsWith<{ readonly errors: { readonly changed: unknown } }>;

/** What each operation on one resource that has an ETag is about, in either interface. */
const RESOURCES: Readonly<Record<Conditional, "Pet" | "Image" | "Order" | "User">> = {
  getPetById: "Pet",
  updatePet: "Pet",
  updatePetWithForm: "Pet",
  deletePet: "Pet",
  getPetImage: "Image",
  getOrderById: "Order",
  deleteOrder: "Order",
  getUserByName: "User",
  updateUser: "User",
  deleteUser: "User",
};

const otherTags = (count: number) =>
  Array.from({ length: count }, (_, index) => `"other-${index}"`).join(", ");

/** Operations that declare 412. */
const declaring = operations.filter(({ operation: { errors } }) => "changed" in errors);

const CONDITIONAL = declaring.flatMap(({ name, id, method }) =>
  (method === "GET" ? ["GET", "HEAD"] : [method]).map((each) => ({
    operation: name,
    method: each,
    resource: RESOURCES[id as Conditional],
  })),
);

/** One read and one write try every header. The others read headers in the same way, so `npm test -- --mode all` tries them. */
const THOROUGH = new Set(["getPetById GET", "updatePet PUT"]);

/** Operations whose success has no content. */
const EMPTY = new Set(
  operations.flatMap(({ name, operation }) => (operation.mediaTypes?.length === 0 ? name : [])),
);

/** Calls the app directly, because the runtime drops an empty `If-Match` or `If-None-Match`. */
const client = clientWith({});

test("an operation other than POST that has an ETag declares 412 §7.2.5", () => {
  const lacking = operations.filter(
    ({ method, operation: { etag, errors } }) =>
      method !== "POST" && etag && !("changed" in errors),
  );
  expect(lacking.map(({ name }) => name)).toEqual([]);
});

describe.each(CONDITIONAL)("$operation by $method", ({ operation, method, resource }) => {
  const isHead = method === "HEAD";
  const isThorough = env.ALL || THOROUGH.has(`${operation} ${method}`);
  const tried = (...groups: readonly (readonly FromTag[])[]) =>
    groups.flatMap((headers) => headers.slice(0, isThorough ? undefined : 1));

  const isRead = method === "GET" || isHead;

  /** Sends the request for a new resource. @returns the answer, and whether the resource is unchanged */
  const attempt = async (headersOf: (etag: string) => HeaderValues) => {
    const { of, request } = await prepare(operation);
    const answer = await exchange(client, { ...request, method }, headersOf(of.etag));
    const { status, json, text, headers } = answer;
    const isUnchanged = (await send("HEAD", of.path)).headers.get("etag") === of.etag;
    // An unchanged resource has its tag, in answers without a body too.
    if (status < 400 && isRead) expect(headers.get("etag")).toBe(of.etag);
    if (status === 304) expect(headers.get("content-type")).toBeNull();
    const isEmpty = status === 304 || (status === 200 && EMPTY.has(operation));
    expect(text === "").toBe(isHead || isEmpty);
    // A sandbox has room for 100 images.
    if (resource === "Image") await send("DELETE", `/pet/${of.id}`);
    return { status, json, isUnchanged };
  };

  const done = expect.objectContaining({ status: 200, isUnchanged: isRead }) as unknown;
  const { json } = refusal(412, `${resource} does not meet the precondition`);
  const failed = { status: 412, json: isHead ? undefined : json, isUnchanged: true };
  const excluded = isRead ? { status: 304, json: undefined, isUnchanged: true } : failed;

  test.each(isThorough ? NAMING : NAMING.slice(0, 2))(
    "is done where If-Match has %s §7.2.2",
    async (_, header) => {
      expect(await attempt((etag) => ({ "If-Match": header(etag) }))).toEqual(done);
    },
  );

  test.each(tried(NOT_NAMING, WEAKLY_NAMING, NAMING_NOTHING))(
    "is 412, and changes nothing, where If-Match has %s §7.2.2 §7.2.6",
    async (_, header) => {
      expect(await attempt((etag) => ({ "If-Match": header(etag) }))).toEqual(failed);
    },
  );

  test.each(tried(NAMING, WEAKLY_NAMING))(
    "is 304 for a read, 412 for a write, where If-None-Match has %s §1.2.3 §3.13.1 §7.2.3",
    async (_, header) => {
      expect(await attempt((etag) => ({ "If-None-Match": header(etag) }))).toEqual(excluded);
    },
  );

  test.each(tried(NOT_NAMING, NAMING_NOTHING))(
    "is done where If-None-Match has %s §7.2.3 §7.2.6",
    async (_, header) => {
      expect(await attempt((etag) => ({ "If-None-Match": header(etag) }))).toEqual(done);
    },
  );

  test("looks at If-Match before If-None-Match §7.2.4", async () => {
    const answers = [
      await attempt((etag) => ({ "If-Match": '"another"', "If-None-Match": etag })),
      await attempt((etag) => ({ "If-Match": etag, "If-None-Match": etag })),
      await attempt((etag) => ({ "If-Match": etag, "If-None-Match": '"another"' })),
    ];
    expect(answers).toEqual([failed, excluded, done]);
  });

  test("is 404 where there is nothing, whatever is demanded of it §7.2.4", async () => {
    for (const name of ["If-Match", "If-None-Match"]) {
      for (const value of ["*", '"1"', 'W/"1"', "", ","]) {
        const { request } = await prepare(operation, { makers: MISSING });
        const answer = await exchange(client, { ...request, method }, { [name]: value });
        expect(answer.status).toBe(404);
      }
    }
  });

  test.each(["If-Match", "If-None-Match"])(
    "takes 100 tags in %s, and no more §7.2.7",
    async (name) => {
      const listed = await attempt((etag) => ({ [name]: `${otherTags(99)}, ${etag}` }));
      expect(listed).toEqual(name === "If-Match" ? done : excluded);
      const tooMany = refusal(400, "Invalid precondition", name);
      expect(await attempt((etag) => ({ [name]: `${otherTags(100)}, ${etag}` }))).toEqual({
        ...tooMany,
        json: isHead ? undefined : tooMany.json,
        isUnchanged: true,
      });
    },
  );

  test("ignores dates: nothing that the service shows has one §7.2.4", async () => {
    const before = { "If-Unmodified-Since": "Sat, 29 Oct 1994 19:43:31 GMT" };
    const after = { "If-Modified-Since": "Tue, 29 Oct 2999 19:43:31 GMT" };
    expect(await attempt(() => before)).toEqual(done);
    expect(await attempt(() => after)).toEqual(done);
  });
});

/** A change of each that can be changed. */
const EDITS: readonly (readonly [kind: "pet" | "user", edit: Edit])[] = [
  ["pet", ({ shown }, word) => ({ method: "PUT", path: "/pet", json: { ...shown, name: word } })],
  ["user", ({ path }, word) => ({ method: "PUT", path, json: { firstName: word } })],
];
type Edit = (of: Made<object>, word: string) => Exchange;

test.each(["pet", "order", "user"] as const)(
  "the ETag of a %s is strong, and the same at each look-up §7.2.1",
  async (kind) => {
    const { path, etag } = await STORED[kind]();
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const method of ["GET", "HEAD"]) expect(etagOf(await send(method, path))).toBe(etag);
  },
);

test.each(EDITS)(
  "the ETag of a %s is another after a change: the slower of two editors gets 412 and overwrites nothing §7.2.1 §7.2.8",
  async (kind, edit) => {
    const made = await STORED[kind]();
    const { path, etag } = made;
    const headers = { "If-Match": etag };
    expect((await exchange(send, edit(made, "faster"), headers)).status).toBe(200);
    const faster = await send("GET", path, { headers: { "If-None-Match": etag } });
    expect(faster.status).toBe(200);
    expect(etagOf(faster)).not.toBe(etag);
    expect(faster.text).toContain("faster");
    expect((await exchange(send, edit(made, "slower"), headers)).status).toBe(412);
    expect((await send("DELETE", path, { headers })).status).toBe(412);
    expect((await send("GET", path)).json).toEqual(faster.json);
  },
);

test("a rename under a stale tag is 412 and renames nobody", async () => {
  const { path, shown } = await createUser();
  const username = uniqueName("renamed");
  const sent = { json: { username }, headers: { "If-Match": '"stale"' } };
  expect((await send("PUT", path, sent)).status).toBe(412);
  expect((await send("GET", path)).json).toEqual(shown);
  expect((await send("GET", userPath(username))).status).toBe(404);
});

/** A header that repeats, once for each value. */
const twice = (name: string, ...values: string[]) => {
  const headers = new Headers();
  for (const value of values) headers.append(name, value);
  return Object.fromEntries(headers);
};

test("a header that is sent twice counts as one list §7.2.6", async () => {
  const { path, etag } = await createPet();
  const statusWith = async (headers: HeaderValues) => (await send("GET", path, { headers })).status;
  expect(await statusWith(twice("If-Match", '"another"', etag))).toBe(200);
  expect(await statusWith(twice("If-Match", '"another"', '"a third"'))).toBe(412);
  expect(await statusWith(twice("If-None-Match", '"another"', etag))).toBe(304);
  expect(await statusWith(twice("If-None-Match", "*", "*"))).toBe(304);
});

test("an empty If-Match is dropped by workerd, before any Worker sees it §7.2.6", async () => {
  const { path } = await createPet();
  const headers = { "If-Match": "" };
  expect((await client("GET", path, { headers })).status).toBe(412);
  // If this fails, the runtime now passes the header on: update interface §7.2.6.
  expect((await send("GET", path, { headers })).status).toBe(200);
});

test("operations without an ETag ignore preconditions §7.2.5", async () => {
  const others = operations.filter(({ operation }) => !("changed" in operation.errors));
  expect(others.length).toBeGreaterThan(9);
  for (const headers of [{ "If-Match": '"another"' }, { "If-None-Match": "*" }]) {
    for (const { name } of others) {
      const { request } = await prepare(name);
      expect((await exchange(send, request, headers)).status).toBe(200);
    }
  }
});
