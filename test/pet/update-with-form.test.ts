import { describe, expect, test } from "vitest";
import { send } from "../client.ts";
import type { Sent } from "../client.ts";
import { createPet, done, etagOf, outcome, refusal, success } from "../fixtures.ts";

type Fields = Readonly<Record<string, string>>;

function multipart(fields: Fields): Sent {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return { body };
}

const urlencoded = (fields: Fields): Sent => ({ body: new URLSearchParams(fields) });

const typed = (type: string, body: string): Sent => ({ body, headers: { "Content-Type": type } });

const PLAIN = "application/x-www-form-urlencoded";

/** As generated clients send them, too. The type of a `URLSearchParams` ends with `;charset=UTF-8`. */
const FORMATS: readonly (readonly [string, (fields: Fields) => Sent])[] = [
  ["a urlencoded form", urlencoded],
  ...["", "; charset=utf-8"].map((charset): (typeof FORMATS)[number] => [
    `a urlencoded form whose type ends with "${charset}"`,
    (fields) => typed(`${PLAIN}${charset}`, new URLSearchParams(fields).toString()),
  ]),
  ["a multipart form", multipart],
];

const whole = {
  category: { id: 1, name: "Dogs" },
  name: "Rex",
  photoUrls: ["https://pets.example/rex.png"],
  tags: [{ id: 1, name: "brown" }, "old"],
  status: "available",
};

describe.each(FORMATS)("%s", (_, form) => {
  test("sets a pet's name and status, and keeps all else §2.8 §3.11.1", async () => {
    const { id, path } = await createPet(whole);
    const answer = await send("POST", path, form({ name: "Max & Möbius+ 🐕", status: "sold" }));
    expect(outcome(answer)).toEqual(done(String(id)));
    expect(outcome(await send("GET", path))).toEqual(
      success({ id, ...whole, name: "Max & Möbius+ 🐕", status: "sold" }),
    );
  });

  test.each<[string, Fields]>([
    ["name", { name: "Max" }],
    ["status", { status: "pending" }],
  ])("with only a %s keeps the other field §3.11.1", async (__, fields) => {
    const { id, path } = await createPet(whole);
    expect(outcome(await send("POST", path, form(fields)))).toEqual(done(String(id)));
    expect((await send("GET", path)).json).toEqual({ id, ...whole, ...fields });
  });

  test.each<[string, Fields, string[]]>([
    ["an unknown status", { name: "Max", status: "lost" }, ["status"]],
    ["a status of other case", { status: "Sold" }, ["status"]],
    ["an empty status", { status: "" }, ["status"]],
    ["an empty name", { name: "", status: "sold" }, ["name"]],
    ["a name that is too long", { name: "x".repeat(4097) }, ["name"]],
    ["a name with U+0000", { name: "Max\0" }, ["name"]],
    ["two fields at fault", { name: "", status: "lost" }, ["name", "status"]],
  ])("with %s is refused and changes nothing §3.11.2", async (__, fields, paths) => {
    const { path, shown, etag } = await createPet(whole);
    const refused = await send("POST", path, form(fields));
    expect(outcome(refused)).toEqual(refusal(405, "Invalid input", ...paths));
    expect(refused.headers.get("allow")).toContain("POST");
    const kept = await send("GET", path);
    expect(kept.json).toEqual(shown);
    expect(etagOf(kept)).toBe(etag);
  });

  test("with unknown fields only changes no member", async () => {
    const { id, path, shown } = await createPet(whole);
    const answer = await send("POST", path, form({ id: "1", photoUrls: "max.png", tags: "new" }));
    expect(outcome(answer)).toEqual(done(String(id)));
    expect((await send("GET", path)).json).toEqual(shown);
  });

  test("for a pet that does not exist is answered 404 §3.11.2", async () => {
    const { path } = await createPet();
    await send("DELETE", path);
    const answer = await send("POST", path, form({ name: "Max" }));
    expect(outcome(answer)).toEqual(refusal(404, "Pet not found"));
  });
});

test("a name that makes a pet larger than 48 KiB is refused, and a shorter one is not §2.3.3", async () => {
  const { id, path, shown } = await createPet({
    photoUrls: Array<string>(12).fill("x".repeat(4000)),
  });
  const room = 48 * 1024 - JSON.stringify({ ...shown, name: "", status: "available" }).length;
  const refused = await send("POST", path, urlencoded({ name: '"'.repeat(room) }));
  expect(outcome(refused)).toEqual(refusal(405, "Invalid input", "name"));
  const conditional = { ...urlencoded({ name: '"'.repeat(room) }), headers: { "If-Match": "*" } };
  expect((await send("POST", path, conditional)).status).toBe(405);
  expect((await send("GET", path)).json).toEqual(shown);
  expect(outcome(await send("POST", path, urlencoded({ name: "x".repeat(room - 100) })))).toEqual(
    done(String(id)),
  );
  const renamed = (await send("GET", path)).json;
  expect((await send("PUT", "/pet", { json: renamed })).status).toBe(200);
});

test.each<[string, Sent]>([
  ["no body", {}],
  ["an empty urlencoded body", urlencoded({})],
  [
    "an empty body and the type of a multipart form",
    { headers: { "Content-Type": "multipart/form-data; boundary=x" } },
  ],
])("%s changes no member §3.11.1", async (_, sent) => {
  const { id, path, shown } = await createPet(whole);
  expect(outcome(await send("POST", path, sent))).toEqual(done(String(id)));
  expect((await send("GET", path)).json).toEqual(shown);
});

const inForm = (part: string) => `--b\r\nContent-Disposition: form-data; ${part}\r\n--b--\r\n`;

const PARTS = "multipart/form-data";
const UNSUPPORTED = [415, "Unsupported media type", "Content-Type"] as const;
const INVALID = [405, "Invalid input"] as const;

test.each<[string, Sent, ...Parameters<typeof refusal>]>([
  ["JSON", { json: { name: "Max" } }, ...UNSUPPORTED],
  ["text", typed("text/plain", "name=Max"), ...UNSUPPORTED],
  ["XML", typed("application/xml", "<Pet/>"), ...UNSUPPORTED],
  ["a type that only begins like a form's", typed(`${PLAIN}-x`, "name=Max"), ...UNSUPPORTED],
  ["an escape of no UTF-8", typed(PLAIN, "name=%FF"), ...INVALID, "body"],
  ["more than 48 KiB", urlencoded({ name: "x".repeat(48 * 1024) }), 413, "Content too large"],
  ["what has no parts", typed(`${PARTS}; boundary=x`, "name=Max"), ...INVALID, "body"],
  [
    "a form of parts without a boundary",
    typed(PARTS, inForm('name="name"\r\n\r\nMax')),
    ...INVALID,
    "body",
  ],
  [
    "a file in place of a name",
    typed(`${PARTS}; boundary=b`, inForm('name="name"; filename="a"\r\n\r\nMax')),
    ...INVALID,
    "name",
  ],
])("%s is refused and changes nothing §2.1.2 §2.3.1 §3.11.2", async (_, sent, ...refused) => {
  const { path, shown } = await createPet(whole);
  const answer = await send("POST", path, sent);
  expect(outcome(answer)).toEqual(refusal(...refused));
  const types = "application/x-www-form-urlencoded, multipart/form-data";
  expect(answer.headers.get("accept")).toBe(answer.status === 415 ? types : null);
  expect(answer.headers.get("accept-encoding")).toBeNull();
  expect((await send("GET", path)).json).toEqual(shown);
});
