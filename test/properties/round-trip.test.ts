import * as fc from "fast-check";
import { expect, test } from "vitest";
import { send } from "../client.ts";
import { always, timeFor, tries } from "../drawn.ts";
import { done, outcome } from "../fixtures.ts";
import { words } from "../spellings.ts";
import { text } from "./arbitraries.ts";
import { validValue } from "./broken-requests/requests.ts";
import { emptyStore } from "./model.ts";

const MAX_ID = Number.MAX_SAFE_INTEGER;

/** The value without members that are as if they had been left out: those that are null, and an empty password. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => member !== null && (name !== "password" || member !== ""))
      .map(([name, member]) => [name, withoutNulls(member)]),
  );
}

/** Bodies that the document allows, without an id, so that no member comes without being tried. */
const contents = (schema: "NewPet" | "NewOrder" | "NewUser") =>
  validValue({ $ref: `#/components/schemas/${schema}` }, "").map((value) => {
    const { id: _, ...members } = value as { id?: unknown };
    return members;
  });
const [pet, order] = [contents("NewPet"), contents("NewOrder")];

/** Names that hold anything, but that nothing else has, and that are no path of their own. */
const username = fc
  .oneof(
    { weight: 8, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 30 }) },
    { weight: 2, arbitrary: fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 12 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom("🐶".repeat(128), ...words("a/b %2F a?b=c&d#e ..a a+b")),
    },
  )
  .filter((name) => name.trim() !== "" && !/\p{Cc}/u.test(name) && !RESERVED.has(name));
const RESERVED = new Set(words("login logout createWithArray createWithList . .."));
const user = fc
  .tuple(contents("NewUser"), username)
  .map(([members, name]) => ({ ...members, username: name }));

const RUNS = tries(100);
/** Only these tests try every member, so they try often. */
const OFTEN = Math.max(RUNS, 30);

test(
  "a pet comes back as it was sent, whatever it holds, until it is deleted §2.5.3 §3.2 §V1.2",
  { timeout: timeFor(OFTEN) },
  async () => {
    await always([pet, pet], { runs: OFTEN, before: emptyStore }, async (first, second) => {
      const created = await send("POST", "/pet", { json: first });
      expect(created.status).toBe(200);
      const { id } = created.json as { id: number };
      const shown = { ...(withoutNulls(first) as object), id };
      expect(created.json, "what is created §3.4.1").toEqual(shown);
      expect((await send("GET", `/pet/${id}`)).json, "what is read §3.6").toEqual(shown);

      // The same content under the same id is a retry, whichever way its nulls are written.
      const again = await send("POST", "/pet", { json: { ...first, id } });
      expect(again.status, "a retry §3.4.2").toBe(200);
      expect(again.headers.get("etag")).toBe(created.headers.get("etag"));

      const replaced = await send("PUT", "/pet", { json: { ...second, id } });
      expect(replaced.status).toBe(200);
      const other = { ...(withoutNulls(second) as object), id };
      expect(replaced.json, "what replaces it §3.5.1").toEqual(other);
      const found = await send("GET", `/pet/${id}`);
      expect(found.json).toEqual(replaced.json);
      expect(found.headers.get("etag")).toBe(replaced.headers.get("etag"));
      const deleted = await send("DELETE", `/pet/${id}`);
      expect(outcome(deleted), "a delete §3.7.1").toEqual(done(String(id)));
      expect((await send("GET", `/pet/${id}`)).status).toBe(404);
    });
  },
);

test(
  "a pet is found by each of its tags, whatever they hold, unless a comma separates them §3.9.1 §V1.2",
  { timeout: timeFor(RUNS) },
  async () => {
    const tags = fc.array(
      text.filter((name) => name !== "" && !name.includes(",") && name.length <= 100),
      { minLength: 1, maxLength: 4 },
    );
    await always([tags, fc.boolean()], { runs: RUNS, before: emptyStore }, async (names, plain) => {
      const json = {
        name: "Rex",
        photoUrls: "a.png",
        tags: plain ? names : names.map((name) => ({ name })),
      };
      const created = await send("POST", "/pet", { json });
      for (const name of names) {
        const found = await send("GET", `/pet/findByTags?tags=${encodeURIComponent(name)}`);
        expect(found.json).toEqual([created.json]);
      }
      const { id } = created.json as { id: number };
      expect((await send("DELETE", `/pet/${id}`)).status).toBe(200);
    });
  },
);

test(
  "an order comes back as it was sent, whatever it holds, until it is deleted §4.0 §4.2.1 §4.2.2",
  { timeout: timeFor(OFTEN) },
  async () => {
    const id = fc.option(
      fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 11, max: MAX_ID })),
    );
    await always([order, id], { runs: OFTEN, before: emptyStore }, async (content, chosen) => {
      const created = await send("POST", "/store/order", { json: { ...content, id: chosen } });
      expect(created.status).toBe(200);
      const { id: given } = created.json as { id: number };
      expect(given).toBe(chosen || given);
      const shown = { ...(withoutNulls(content) as object), id: given };
      expect(created.json, "what is placed §4.3.1").toEqual(shown);

      const again = await send("POST", "/store/order", { json: { ...content, id: given } });
      expect(again.json, "a retry §4.3.2").toEqual(shown);
      const found = await send("GET", `/store/order/${given}`);
      expect(found.status).toBe(given <= 10 ? 200 : 400);
      expect(given <= 10 ? found.json : shown, "what is read §4.4").toEqual(shown);

      const deleted = await send("DELETE", `/store/order/${given}`);
      expect(outcome(deleted), "a delete §4.5").toEqual(done(String(given)));
    });
  },
);

test(
  "a user comes back as it was sent, whatever it holds, until it is deleted §5.0 §5.1.1 §V1.1",
  { timeout: timeFor(OFTEN) },
  async () => {
    await always([user, user], { runs: OFTEN, before: emptyStore }, async (first, second) => {
      const path = `/user/${encodeURIComponent(first.username)}`;
      const created = await send("POST", "/user", { json: first });
      expect(created.status).toBe(200);
      const id = Number((created.json as { message: string }).message);
      const stored = { ...(withoutNulls(first) as object), id };
      expect((await send("GET", path)).json, "what is created §5.2.1 §5.5.1").toEqual(stored);
      const again = await send("POST", "/user", { json: first });
      expect(again.json, "a retry §5.2.4").toEqual(created.json);

      const updated = await send("PUT", path, { json: second });
      expect(outcome(updated), "an update keeps other members §5.4.1").toEqual(done(String(id)));
      const newPath = `/user/${encodeURIComponent(second.username)}`;
      expect((await send("GET", newPath)).json).toEqual({
        ...stored,
        ...(withoutNulls(second) as object),
      });

      const deleted = await send("DELETE", newPath);
      expect(outcome(deleted), "a delete §5.6").toEqual(done(second.username));
      expect((await send("GET", newPath)).status).toBe(404);
    });
  },
);

test(
  "a user logs in with the password that was stored, and with no other, whatever it holds §V6.2",
  { timeout: timeFor(RUNS) },
  async () => {
    const password = text.filter((secret) => secret !== "" && secret.length <= 200);
    let count = 0;
    await always(
      [password, password],
      { runs: RUNS, before: emptyStore },
      async (secret, other) => {
        const name = `login-${++count}`;
        await send("POST", "/user", { json: { username: name, password: secret } });
        const login = async (attempt: string) =>
          send("GET", `/user/login?username=${name}&password=${encodeURIComponent(attempt)}`);
        expect((await login(secret)).status).toBe(200);
        expect((await login(other)).status).toBe(other === secret ? 200 : 400);
      },
    );
  },
);
