// The keys that passwords are sealed and idempotency keys are kept under, and their rotation: docs/security.md.
/// <reference types="vite/client" />
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import security from "../docs/security.md?raw";
import type { Answer, Send, Sent } from "./client.ts";
import { send } from "./client.ts";
import {
  UNAVAILABLE,
  captureFaults,
  clientWith,
  countOf,
  createPet,
  createUser,
  done,
  etagOf,
  logIn,
  outcome,
  success,
  tokenOf,
  uniqueId,
  uniqueName,
  userPath,
  withKey,
} from "./fixtures.ts";
import type { Bindings, Surroundings } from "./fixtures.ts";
import { upload } from "./images.ts";
import { Calls, d1Through, kvThrough } from "./bindings.ts";
import { costOf } from "./user/secrecy.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The configured one, and the one that takes its place. */
const [OLD, NEW] = [env.PASSWORD_KEY, new Uint8Array(32).fill(7).toBase64()];

async function derived(key: string, use: string, bytes: number): Promise<Uint8Array> {
  const { subtle } = crypto;
  const raw = Uint8Array.fromBase64(key);
  const root = await subtle.importKey("raw", raw, "HKDF", false, ["deriveBits"]);
  const [salt, info] = [new Uint8Array(), new TextEncoder().encode(use)];
  const algorithm = { name: "HKDF", hash: "SHA-256", salt, info };
  return new Uint8Array(await subtle.deriveBits(algorithm, root, 8 * bytes));
}

const idOf = async (key: string) => (await derived(key, "key id", 8)).toHex();
const [OLD_ID, NEW_ID] = [await idOf(OLD), await idOf(NEW)];

/** A client of a Worker with these keys. */
const workerWith = (keys: string, bindings: Bindings = {}, surroundings: Surroundings = {}): Send =>
  clientWith({ ...bindings, PASSWORD_KEY: keys }, surroundings);

/** `PASSWORD_KEY` in each step of a rotation. */
const STEPS = [OLD, `${OLD},${NEW}`, `${NEW},${OLD}`, NEW] as const;
const [before, known, replaced, after] = [
  workerWith(STEPS[0]),
  workerWith(STEPS[1]),
  workerWith(STEPS[2]),
  workerWith(STEPS[3]),
];

/** The rollouts of a rotation, in their order: Workers of both configurations answer at the same time. */
const ROLLOUTS = [
  ["the new key becomes known", before, known],
  ["the new key seals", known, replaced],
  ["the old key goes", replaced, after],
] as const;

interface Row {
  readonly sealedPassword: string;
  readonly credentialId: string;
  readonly version: number;
}

async function rowOf(id: number): Promise<Row> {
  const row = await env.DB.prepare("SELECT * FROM users WHERE id = ?").bind(id).first<Row>();
  if (row === null) throw new Error(`no user ${id}`);
  return row;
}

/** The id of the key that sealed the password of a user. */
const keyOf = async (id: number): Promise<string> =>
  (await rowOf(id)).sealedPassword.split(".")[0] ?? "";

/** What the query of docs/security.md counts: passwords by the id of the key that sealed them. */
async function passwordsByKey(): Promise<Record<string, number>> {
  const [, sql = ""] = /```sql\s+(SELECT substr\([^`]*)```/.exec(security) ?? [];
  const { results } = await env.DB.prepare(sql).all<{ keyId: string; passwords: number }>();
  return Object.fromEntries(results.map(({ keyId, passwords }) => [keyId, passwords]));
}

beforeEach(async () => {
  await env.DB.exec("DELETE FROM users");
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a sealed password", () => {
  test("names the key that sealed it, which does not tell the key §5.5.4", async () => {
    const { id } = await createUser({ password: "secret" });
    // By `npm run operate -- key-id`, which docs/security.md names.
    expect(OLD_ID).toBe("fa77bb7c4b736ec5");
    expect((await rowOf(id)).sealedPassword).toMatch(/^fa77bb7c4b736ec5\.[A-Za-z\d+/]+={0,2}$/);
  });

  test("is sealed by a key derived from PASSWORD_KEY, not by that itself §5.5.4 §V11.2", async () => {
    const { id } = await createUser({ password: "secret" });
    const { sealedPassword, credentialId } = await rowOf(id);
    const bytes = Uint8Array.fromBase64(sealedPassword.split(".")[1] ?? "");
    const openWith = async (raw: Uint8Array) => {
      const key = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["decrypt"]);
      const additionalData = new TextEncoder().encode(credentialId);
      const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, 12), additionalData };
      const opened = await crypto.subtle.decrypt(algorithm, key, bytes.subarray(12));
      return new TextDecoder().decode(opened);
    };
    expect(await openWith(await derived(OLD, "passwords", 32))).toBe("secret");
    await expect(openWith(Uint8Array.fromBase64(OLD))).rejects.toThrow(/./);
    await expect(openWith(await derived(OLD, "idempotency keys", 32))).rejects.toThrow(/./);
  });

  test("is opened by one decryption, whichever key sealed it and whatever is wrong at a login §5.5.4 §6.1.2", async () => {
    const byOld = await createUser({ password: "secret" });
    const byNew = { username: uniqueName("new"), password: "secret" };
    await after("POST", "/user", { json: byNew });
    const { shown: without } = await createUser();
    const names = [byOld.shown.username, byNew.username, without.username, uniqueName("nobody")];
    for (const keys of [STEPS[1], STEPS[2]]) {
      for (const name of names) {
        const attempt = async (client: Send) => logIn(name, "wrong", client);
        const { answer, cost } = await costOf(attempt, { PASSWORD_KEY: keys });
        expect(answer.status).toBe(400);
        expect(cost).toEqual({ d1: 1, kv: 0, opens: 1, comparisons: 1 });
      }
    }
  });

  test("of a key that is not configured is 503, and the log names the key without showing one §5.5.4 §V11.2 §V13.3", async () => {
    const { shown, path, id } = await createUser({ password: "the secret" });
    const without = await createUser();
    const faults = captureFaults();
    expect(outcome(await after("GET", path))).toEqual(UNAVAILABLE);
    expect(outcome(await logIn(shown.username, "the secret", after))).toEqual(UNAVAILABLE);
    expect(outcome(await logIn(shown.username, "wrong", after))).toEqual(UNAVAILABLE);
    const lines = faults();
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(line).toMatchObject({
        error: "Unavailable",
        message: `a password is sealed by the key ${OLD_ID}, which PASSWORD_KEY does not have`,
      });
      const text = JSON.stringify(line);
      for (const secret of [OLD, NEW, "the secret"]) expect(text).not.toContain(secret);
    }
    expect(await keyOf(id)).toBe(OLD_ID);
    expect((await after("GET", without.path)).json).toEqual(without.shown);
  });
});

describe("a login that proves a password which an old key sealed", () => {
  test("seals it again by the present key, by one more call to D1, and only once §5.5.5 §V13.3", async () => {
    const { id, shown, path } = await createUser({ password: "secret" });
    const [d1, kv] = [new Calls(), new Calls()];
    const bindings = { DB: d1Through(d1), SESSIONS: kvThrough(kv) };
    const client = workerWith(STEPS[2], bindings);
    expect((await logIn(shown.username, "secret", client)).status).toBe(200);
    expect([d1.count, kv.count]).toEqual([2, 1]);
    expect(await keyOf(id)).toBe(NEW_ID);
    expect((await logIn(shown.username, "secret", client)).status).toBe(200);
    expect([d1.count, kv.count]).toEqual([3, 2]);
    expect((await after("GET", path)).json).toEqual(shown);
  });

  test("changes nothing that shows: neither the ETag nor the credential, so that sessions go on §5.5.5", async () => {
    const bindings = { ACCESS: "protected" } as const;
    const { id, shown, path, etag } = await createUser({ password: "secret" });
    const token = tokenOf(await logIn(shown.username, "secret", workerWith(OLD, bindings)));
    const stored = await rowOf(id);
    const client = workerWith(STEPS[2], bindings);
    expect((await logIn(shown.username, "secret", client)).status).toBe(200);
    expect(await keyOf(id)).toBe(NEW_ID);
    expect(await rowOf(id)).toEqual({ ...stored, sealedPassword: expect.any(String) as string });
    const found = await client("GET", path, { headers: { Authorization: `Bearer ${token}` } });
    expect([found.status, etagOf(found)]).toEqual([200, etag]);
  });

  test.each([
    ["a wrong login", async (path: string) => logIn(path.replace("/user/", ""), "wrong", replaced)],
    ["a look-up", async (path: string) => replaced("GET", path)],
    [
      "an update without a password",
      async (path: string) => replaced("PUT", path, { json: { phone: "1" } }),
    ],
  ])("is the only thing that seals it again: %s leaves it as it is", async (_, request) => {
    const { id, path } = await createUser({ password: "secret" });
    const { sealedPassword } = await rowOf(id);
    await request(path);
    expect((await rowOf(id)).sealedPassword).toBe(sealedPassword);
  });

  test("does not undo a change of the password that comes between §5.5.5", async () => {
    const { id, shown, path } = await createUser({ password: "secret" });
    const d1 = new Calls((call) => (call === 1 ? { when: "late", ms: 0 } : undefined), {
      silence: () => undefined,
      pass: async () => {
        expect((await replaced("PUT", path, { json: { password: "changed" } })).status).toBe(200);
      },
    });
    const client = workerWith(STEPS[2], { DB: d1Through(d1) });
    expect((await logIn(shown.username, "secret", client)).status).toBe(200);
    expect(d1.met).toHaveLength(1);
    expect((await replaced("GET", path)).json).toEqual({ ...shown, password: "changed" });
    expect((await logIn(shown.username, "changed", replaced)).status).toBe(200);
    expect((await logIn(shown.username, "secret", replaced)).status).toBe(400);
    expect(await keyOf(id)).toBe(NEW_ID);
  });

  test("at the same time as others is answered as they are, and seals once", async () => {
    const { id, shown, etag, path } = await createUser({ password: "secret" });
    const d1 = new Calls();
    const client = workerWith(STEPS[2], { DB: d1Through(d1) });
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => logIn(shown.username, "secret", client)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(d1.rowsWritten).toBe(1);
    expect(await keyOf(id)).toBe(NEW_ID);
    expect(etagOf(await replaced("GET", path))).toBe(etag);
  });

  test.each(["before", "after"] as const)(
    "succeeds though it cannot be sealed again, which is logged: D1 fails %s it was done §5.5.5",
    async (when) => {
      const { id, shown } = await createUser({ password: "secret" });
      const message = "D1_ERROR: no such thing";
      const d1 = new Calls((call) => (call === 1 ? { when, message } : undefined));
      const faults = captureFaults();
      const client = workerWith(STEPS[2], { DB: d1Through(d1) });
      const login = await logIn(shown.username, "secret", client);
      expect([login.status, tokenOf(login)]).toEqual([200, expect.stringMatching(/\S/)]);
      expect(faults()).toEqual([
        expect.objectContaining({
          route: "/v2/user/login",
          status: 200,
          message: "D1 failed",
          cause: message,
        }),
      ]);
      expect(await keyOf(id)).toBe(when === "before" ? OLD_ID : NEW_ID);
      // The next login finds it as it is.
      expect((await logIn(shown.username, "secret", replaced)).status).toBe(200);
      expect(await keyOf(id)).toBe(NEW_ID);
    },
  );
});

describe("PASSWORD_KEY", () => {
  test("seals by the first of its keys: at sign-ups, of several too, and at updates §5.5.5 §V13.3", async () => {
    const password = "secret";
    const names = ["one", "many", "updated"].map(uniqueName) as [string, string, string];
    await createUser({ username: names[2], password: "sealed by the old key" });
    for (const answer of [
      await replaced("POST", "/user", { json: { username: names[0], password } }),
      await replaced("POST", "/user/createWithArray", { json: [{ username: names[1], password }] }),
      await replaced("PUT", userPath(names[2]), { json: { password } }),
    ]) {
      expect(answer.status).toBe(200);
    }
    expect(await passwordsByKey()).toEqual({ [NEW_ID]: 3 });
    for (const name of names) expect((await logIn(name, password, after)).status).toBe(200);
  });

  test("may have a key twice", async () => {
    const client = workerWith(`${NEW},${OLD},${NEW},${OLD}`);
    const sent = newPetWithKey();
    const first = await client("POST", "/pet", sent);
    expect(first.status).toBe(200);
    expect((await client("POST", "/pet", sent)).text).toBe(first.text);
  });

  const malformed = ["not base64 at all!", btoa("x".repeat(31)), btoa("x".repeat(33)), OLD + OLD];

  test.each([...malformed, ...["", ...malformed].map((key) => `${NEW},${key}`), `,${NEW}`])(
    "with a malformed key makes everything that needs a key 503, and only the setting is logged: %j §6.6.1 §V13.3",
    async (keys) => {
      const { shown, path } = await createUser({ password: "secret" });
      const username = uniqueName("eve");
      const pet = newPet();
      const faults = captureFaults();
      const client = workerWith(keys);
      for (const request of [
        async () => client("GET", path),
        async () => logIn(shown.username, "secret", client),
        async () => logIn("nobody", "secret", client),
        async () => client("PUT", path, { json: { password: "another" } }),
        async () => client("POST", "/user", { json: { username, password: "secret" } }),
        async () => client("POST", "/user", { json: { username } }),
        async () => client("POST", "/pet", withKey(crypto.randomUUID(), { json: pet })),
      ]) {
        const lines = faults().length;
        expect(outcome(await request())).toEqual(UNAVAILABLE);
        const [line, ...more] = faults().slice(lines);
        expect(more).toEqual([]);
        expect(line?.["message"]).toContain("PASSWORD_KEY must be 32 bytes in base64");
        for (const key of keys.split(",").filter((part) => part !== "")) {
          expect(JSON.stringify(line)).not.toContain(key);
        }
      }
      expect((await send("GET", path)).json).toEqual(shown);
      expect((await send("GET", userPath(username))).status).toBe(404);
      expect(await petsNamed(pet.name)).toBe(0);
    },
  );
});

/** A new pet to be created. */
const newPet = () => ({ name: uniqueName("rex"), photoUrls: "rex.png" });

/** A request for a new pet, with a new key. */
const newPetWithKey = (): Sent => withKey(crypto.randomUUID(), { json: newPet() });

/** A client of a Worker with these keys, whose service has this time. */
const at = (keys: string, now: number): Send => workerWith(keys, {}, { now: () => now });

const petsNamed = async (name: string) => countOf("pets WHERE name = ?", name);

const essence = ({ status, text, headers }: Answer) => [status, text, headers.get("etag")];

const keysKept = async () => countOf("idempotency_keys");

describe("a rotation", () => {
  // Some 300 requests.
  test("by the steps of docs/security.md never answers 503 while two configurations run at once §5.5.5 §V13.3", async () => {
    const faults = captureFaults();
    const users: { username: string; password: string; id: number }[] = [];

    /** Each Worker signs a user up; then each looks all of them up, refuses a wrong login and repeats the sign-up. */
    const walk = async (...workers: readonly Send[]) => {
      for (const worker of workers) {
        const user = { username: uniqueName("user"), password: uniqueName("secret") };
        const created = await worker("POST", "/user", { json: user });
        expect(created.status).toBe(200);
        users.push({ ...user, id: Number((created.json as { message: string }).message) });
      }
      const requests = workers.flatMap((worker) => users.map((user) => ({ worker, ...user })));
      await Promise.all(
        requests.map(async ({ worker, id, username, password }) => {
          const found = await worker("GET", userPath(username));
          expect(outcome(found)).toEqual(success({ id, username, password }));
          expect((await logIn(username, "wrong", worker)).status).toBe(400);
          const again = await worker("POST", "/user", { json: { username, password } });
          expect(outcome(again)).toEqual(done(String(id)));
        }),
      );
    };
    const logAllIn = async (worker: Send) => {
      for (const { username, password } of users) {
        expect((await logIn(username, password, worker)).status).toBe(200);
      }
    };

    // Step 2: the new key becomes known, and seals nothing yet.
    await walk(before, known);
    expect(await passwordsByKey()).toEqual({ [OLD_ID]: users.length });
    // Step 3: it seals. Logins by both configurations seal to and fro, and all of it opens.
    await walk(known, replaced);
    await logAllIn(replaced);
    expect(await passwordsByKey()).toEqual({ [NEW_ID]: users.length });
    await walk(known, replaced);
    await logAllIn(known);
    await walk(known, replaced);
    // Step 4: logins seal what is left, until the query counts nothing under the old key.
    expect((await passwordsByKey())[OLD_ID]).toBeGreaterThan(0);
    await logAllIn(replaced);
    expect(await passwordsByKey()).toEqual({ [NEW_ID]: users.length });
    // Step 5: the old key goes.
    await walk(replaced, after);
    expect(await passwordsByKey()).toEqual({ [NEW_ID]: users.length });
    expect(faults()).toEqual([]);
  });
});

describe("idempotency keys while PASSWORD_KEY is replaced", () => {
  test.each([
    ["step 1 and 2", before, known],
    ["step 2 and 1", known, before],
    ["step 2 and 3", known, replaced],
    ["step 3 and 2", replaced, known],
    ["step 3 and 4", replaced, after],
    ["step 4 and 3", after, replaced],
    ["step 1 and 3", before, replaced],
    ["step 2 and 4", known, after],
  ])(
    "are known to both configurations, as long as they share a key: %s §6.8.5",
    async (_, first, second) => {
      const key = crypto.randomUUID();
      const pet = newPet();
      const answer = await first("POST", "/pet", withKey(key, { json: pet }));
      expect(answer.status).toBe(200);
      const repeat = await second("POST", "/pet", withKey(key, { json: pet }));
      expect(essence(repeat)).toEqual(essence(answer));
      expect(await petsNamed(pet.name)).toBe(1);
      const other = await second("POST", "/pet", withKey(key, { json: newPet() }));
      expect(other.status).toBe(422);
    },
  );

  test.each(ROLLOUTS)(
    "are done once by requests to both configurations at the same moment: %s §6.8.5 §V13.3",
    async (_, one, other) => {
      for (let round = 0; round < 4; round++) {
        const pet = newPet();
        const users = ["a", "b"].map((end) => ({ username: uniqueName(end), password: "secret" }));
        const onePet = withKey(crypto.randomUUID(), { json: pet });
        const many = withKey(crypto.randomUUID(), { json: users });
        const workers = [one, other, one, other];
        const [pets, lists] = await Promise.all([
          Promise.all(workers.map(async (worker) => worker("POST", "/pet", onePet))),
          Promise.all(workers.map(async (to) => to("POST", "/user/createWithList", many))),
        ]);
        expect(pets[0]?.status).toBe(200);
        expect(new Set(pets.map((answer) => JSON.stringify(essence(answer)))).size).toBe(1);
        expect(await petsNamed(pet.name)).toBe(1);
        expect(lists.map(outcome)).toEqual(workers.map(() => done("ok")));
      }
    },
  );

  test.each(["known", "replaced"] as const)(
    "cost no extra call with two keys, and leave nothing behind a refused request: %s §6.8.5",
    async (step) => {
      const calls = new Calls();
      const keys = step === "known" ? STEPS[1] : STEPS[2];
      const client = workerWith(keys, { DB: d1Through(calls) });
      const key = crypto.randomUUID();
      const pet = newPet();
      const kept = await keysKept();

      const { id } = await createPet();
      const refused = await client("POST", "/pet", withKey(key, { json: { ...pet, id } }));
      expect([refused.status, calls.count, await keysKept()]).toEqual([405, 1, kept]);
      const first = await client("POST", "/pet", withKey(key, { json: pet }));
      expect([first.status, calls.count, await keysKept()]).toEqual([200, 2, kept + 2]);
      expect(essence(await client("POST", "/pet", withKey(key, { json: pet })))).toEqual(
        essence(first),
      );
      expect([calls.count, await keysKept()]).toEqual([4, kept + 2]);
    },
  );

  test("are remembered through all the steps for 24 hours, and then free for all configurations §6.8.5", async () => {
    const start = Date.now();
    const sent = newPetWithKey();
    const first = await at(STEPS[0], start)("POST", "/pet", sent);
    const late = start + DAY_MS - 1;
    for (const keys of [STEPS[1], STEPS[2]]) {
      expect((await at(keys, late)("POST", "/pet", sent)).text).toBe(first.text);
    }
    const again = await at(STEPS[1], start + DAY_MS)("POST", "/pet", sent);
    expect([again.status, again.text === first.text]).toEqual([200, false]);
    for (const keys of STEPS) {
      expect((await at(keys, start + DAY_MS)("POST", "/pet", sent)).text).toBe(again.text);
    }
  });

  test("let a repeated upload store one image while the order of the keys changes", async () => {
    const { id, path } = await createPet({ id: uniqueId(), photoUrls: [] });
    const key = crypto.randomUUID();
    for (const worker of [known, replaced]) {
      const sent = withKey(key, upload());
      expect((await worker("POST", `${path}/uploadImage`, sent)).status).toBe(200);
    }
    expect((await env.IMAGES.list({ prefix: `${id}/` })).objects).toHaveLength(1);
  });

  test("are kept under a key derived for them, not under PASSWORD_KEY itself nor that of passwords §6.8.5 §V11.2", async () => {
    const signed = vi.spyOn(crypto.subtle, "sign");
    await before("POST", "/pet", newPetWithKey());
    expect(signed.mock.calls).toHaveLength(2);
    const own = { name: "HMAC", hash: "SHA-256" };
    const raw = await derived(OLD, "idempotency keys", 32);
    const expected = await crypto.subtle.importKey("raw", raw, own, false, ["sign"]);
    const data = new Uint8Array(8);
    const results = new Set<string>();
    for (const key of [expected, ...signed.mock.calls.map(([, used]) => used)]) {
      results.add(new Uint8Array(await crypto.subtle.sign("HMAC", key, data)).toHex());
    }
    expect(results.size).toBe(1);
  });
});

test("keys are derived once for each environment, not for each request", async () => {
  const worker = workerWith(STEPS[2]);
  const imported = vi.spyOn(crypto.subtle, "importKey");
  const derivedKeys = vi.spyOn(crypto.subtle, "deriveKey");
  for (let request = 0; request < 3; request++) {
    await worker("POST", "/pet", newPetWithKey());
    await worker("POST", "/user", { json: { password: "secret" } });
  }
  expect([imported.mock.calls.length, derivedKeys.mock.calls.length]).toEqual([2, 4]);
});
