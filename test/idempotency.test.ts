import { describe, expect, test } from "vitest";
import { BASE_PATH } from "../src/http/base-path.ts";
import type { Pet } from "../src/pet/pet.ts";
import { fetchBytes } from "./bytes.ts";
import { send } from "./client.ts";
import type { Answer, Send, Sent } from "./client.ts";
import {
  API_KEY,
  PROTECTED,
  bearer,
  clientWith,
  countOf,
  createPet,
  createSession,
  createUser,
  logIn,
  outcome,
  refusal,
  runScheduled,
  tokenOf,
  uniqueId,
  uniqueName,
  withKey,
} from "./fixtures.ts";
import { PNG, imageForm, upload } from "./images.ts";
import { A_BOOKMARK, Calls, databaseThrough, laggingReplica } from "./bindings.ts";
import { basePath, database, images } from "./engine.ts";
import { operations, toPetstore3 } from "./operations.ts";
import type { OperationsWith } from "./operations.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** One request of an operation, another that asks for something else, and how often either was done. */
interface Case {
  readonly path: string;
  readonly sent: Sent;
  readonly other: Sent;
  readonly timesDone: () => Promise<number>;
  /** Undoes what the request did, so that doing it again would show. */
  readonly undo: (first: Answer) => Promise<unknown>;
}

/** What an expression gives for a pet. */
const numberOf = async (expression: string, id: number) =>
  (await database
    .prepare(`SELECT ${expression} AS number FROM pets WHERE id = ?`)
    .bind(id)
    .first<number>("number")) ?? 0;

const usersNamed = async (stem: string) => countOf("users WHERE username LIKE ?", `${stem}%`);

async function createUsers(path: string): Promise<Case> {
  const stem = uniqueName("all");
  const users = ["a", "b"].map((end) => ({ username: `${stem}-${end}`, password: "secret" }));
  return {
    path,
    sent: { json: users },
    other: { json: [...users, { username: `${stem}-c` }] },
    timesDone: async () => (await usersNamed(`${stem}-`)) / users.length,
    undo: async () => {
      await database.prepare("DELETE FROM users WHERE username LIKE ?").bind(`${stem}-%`).run();
    },
  };
}

type Idempotent = OperationsWith<{ readonly idempotent: true }>;

const cases: Readonly<Record<Idempotent, () => Promise<Case>>> = {
  addPet: async () => {
    const pet = { name: uniqueName("pet"), photoUrls: ["rex.png"], tags: ["once"], status: "sold" };
    return {
      path: "/pet",
      sent: { json: pet },
      other: { json: { ...pet, status: "pending" } },
      timesDone: async () => countOf("pets WHERE name = ?", pet.name),
      undo: async ({ json }) => send("DELETE", `/pet/${(json as { id: number }).id}`),
    };
  },
  updatePetWithForm: async () => {
    const { id, path, shown } = await createPet();
    const version = async () => numberOf("version", id);
    let before = await version();
    return {
      path,
      sent: { body: new URLSearchParams({ name: "Max" }) },
      other: { body: new URLSearchParams({ name: "Moritz" }) },
      timesDone: async () => (await version()) - before,
      undo: async () => {
        await send("PUT", "/pet", { json: shown });
        before = await version();
      },
    };
  },
  uploadFile: async () => {
    const { id, path } = await createPet({ photoUrls: [] });
    const timesDone = async () => numberOf("json_array_length(photoUrls)", id);
    return {
      path: `${path}/uploadImage`,
      sent: upload(),
      other: { body: imageForm(new File([PNG, "more"], "rex.png")) },
      timesDone,
      undo: async () => {
        await database
          .prepare("UPDATE pets SET photoUrls = '[]', version = version + 1 WHERE id = ?")
          .bind(id)
          .run();
      },
    };
  },
  placeOrder: async () => {
    const order = { petId: uniqueId(), quantity: 1, complete: true };
    return {
      path: "/store/order",
      sent: { json: order },
      other: { json: { ...order, quantity: 2 } },
      timesDone: async () => countOf("orders WHERE petId = ?", order.petId),
      undo: async ({ json }) => send("DELETE", `/store/order/${(json as { id: number }).id}`),
    };
  },
  createUser: async () => {
    const username = uniqueName("once");
    return {
      path: "/user",
      sent: { json: { username, password: "secret" } },
      other: { json: { username, password: "another" } },
      timesDone: async () => usersNamed(username),
      undo: async () => send("DELETE", `/user/${username}`),
    };
  },
  createUsersWithArrayInput: async () => createUsers("/user/createWithArray"),
  createUsersWithListInput: async () => createUsers("/user/createWithList"),
};

/** What a repeat must have of the first answer. */
const essence = ({ status, headers, text }: Answer) => ({
  status,
  text,
  etag: headers.get("etag"),
  type: headers.get("content-type"),
});

/** A client whose service has this time. */
const at = (time: number): Send => clientWith({}, { now: () => time });

const postTo: (path: string, sent: Sent, client?: Send) => Promise<Answer> = async (
  path,
  sent,
  client = send,
) => client("POST", path, sent);

/** What Petstore 3 answers a repeat with, where that is as it is now (interface §11). */
const SHOWN_NOW: Readonly<Record<string, (first: Answer, path: string) => Promise<object>>> = {
  "/api/v3#updatePetWithForm": async (_, path) => essence(await toPetstore3(send)("GET", path)),
};

const posts = operations.filter(({ method }) => method === "POST");

test("every POST operation takes an Idempotency-Key", () => {
  const lacking = posts.filter(({ operation }) => !operation.idempotent);
  expect(lacking.map(({ name }) => name)).toEqual([]);
});

describe.each(posts)("$name with an Idempotency-Key", ({ name, id, basePath: to }) => {
  const isPetstore3 = to !== BASE_PATH;

  const make = async (): Promise<Case> => {
    return cases[id as Idempotent]();
  };

  const post: typeof postTo = async (path, sent, client = send) =>
    postTo(path, sent, isPetstore3 ? toPetstore3(client) : client);

  /** A key is read in the same way, whichever interface gets it. */
  const tried = (keys: readonly string[]) => keys.slice(0, isPetstore3 ? 1 : keys.length);

  test("is done once by eight requests at the same time, which get one answer §6.8.2", async () => {
    const { path, sent, timesDone } = await make();
    const key = crypto.randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => post(path, withKey(key, sent))),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(essence(answer)))).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await timesDone()).toBe(1);
  });

  test("is refused with 422, and does nothing, where the key came with other content §6.8.2", async () => {
    const { path, sent, other, timesDone } = await make();
    const key = crypto.randomUUID();
    await post(path, withKey(key, sent));
    const answer = await post(path, withKey(key, other));
    expect(answer.status).toBe(422);
    expect(answer.json).toEqual({
      code: 422,
      type: "error",
      message: "Idempotency-Key was used for another request",
    });
    expect(await timesDone()).toBe(1);
  });

  test("is done once though the database's first answer is lost", async () => {
    const { path, sent, timesDone } = await make();
    const key = crypto.randomUUID();
    // An upload lets D1 know of the image before it stores it.
    const writing = id === "uploadFile" ? 1 : 0;
    const calls = new Calls((call) =>
      call === writing
        ? { when: "after", message: "D1_ERROR: Network connection lost." }
        : undefined,
    );
    const first = await post(path, withKey(key, sent), clientWith({ ...databaseThrough(calls) }));
    expect(first.status).toBe(200);
    expect(essence(await post(path, withKey(key, sent)))).toEqual(essence(first));
    expect(await timesDone()).toBe(1);
  });

  test("is not done again for 24 hours, even after it was undone: a repeat gets the first answer; then it is §6.8.2", async () => {
    const { path, sent, timesDone, undo } = await make();
    const key = crypto.randomUUID();
    const start = Date.now();
    const first = await post(path, withKey(key, sent), at(start));
    await undo(first);
    expect(await timesDone()).toBe(0);
    const repeat = await post(path, withKey(key, sent), at(start + DAY_MS - 1));
    expect(essence(repeat)).toEqual((await SHOWN_NOW[name]?.(first, path)) ?? essence(first));
    expect(await timesDone()).toBe(0);
    expect((await post(path, withKey(key, sent), at(start + DAY_MS))).status).toBe(200);
    expect(await timesDone()).toBe(1);
  });

  test.each(tried(["x".repeat(256), "\u0001", "two\tkeys"]))(
    "is refused with 400 where the key is %j, and nothing is done §6.8.1",
    async (key) => {
      const { path, sent, timesDone } = await make();
      const answer = await post(path, withKey(key, sent));
      expect(outcome(answer)).toEqual(refusal(400, "Invalid Idempotency-Key", "Idempotency-Key"));
      expect(await timesDone()).toBe(0);
    },
  );

  test.each(tried(["", " "]))("is done as without one where the key is %j §6.8.1", async (key) => {
    const { path, sent, timesDone } = await make();
    const before = await countOf("idempotency_keys");
    expect((await post(path, withKey(key, sent))).status).toBe(200);
    expect(await timesDone()).toBe(1);
    expect(await countOf("idempotency_keys")).toBe(before);
  });
});

/** A new pet to be created. */
const newPet = () => ({ name: uniqueName("rex"), photoUrls: "rex.png" });

test("a repeat whose key is forgotten before its answer is found is a new request §6.8.2", async () => {
  const calls = new Calls((call) => (call === 1 ? { when: "late", ms: 0 } : undefined), {
    silence: () => undefined,
    pass: async () => void (await database.prepare("DELETE FROM idempotency_keys").run()),
  });
  const sent = withKey(crypto.randomUUID(), { json: newPet() });
  const first = await postTo("/pet", sent);
  const second = await postTo("/pet", sent, clientWith(databaseThrough(calls)));
  expect([second.status, (second.json as Pet).id]).toEqual([200, (first.json as Pet).id + 1]);
  expect(calls.count).toBe(3);
});

test.each(["a", "x".repeat(255), '"8e03978e-40d5-43dd-bc93-6894a57f9324"', "two words"])(
  "the key %j is one",
  async (key) => {
    const sent = withKey(key, { json: newPet() });
    const first = await postTo("/pet", sent);
    expect(essence(await postTo("/pet", sent))).toEqual(essence(first));
  },
);

test("two ways to write the same content are the same", async () => {
  const key = crypto.randomUUID();
  const { name, photoUrls } = newPet();
  const first = await postTo("/pet", withKey(key, { json: { name, photoUrls, status: null } }));
  const again = await postTo("/pet", withKey(key, { json: { photoUrls, name, other: 1 } }));
  expect(essence(again)).toEqual(essence(first));
});

test("the same content for another operation, or for another pet, is another request", async () => {
  const users = { json: [{ username: uniqueName("array-or-list") }] };
  const form = { body: new URLSearchParams({ name: "Max" }) };
  for (const [one, other, sent] of [
    ["/user/createWithArray", "/user/createWithList", users],
    [(await createPet()).path, (await createPet()).path, form],
  ] as const) {
    const key = crypto.randomUUID();
    expect((await postTo(one, withKey(key, sent))).status).toBe(200);
    expect((await postTo(other, withKey(key, sent))).status).toBe(422);
  }
});

test("callers share no keys, unless they share an address or an IPv6 /64 §6.8.4", async () => {
  const key = crypto.randomUUID();
  const json = newPet();
  const addresses = ["192.0.2.1", "2001:db8:0:1::1", "2001:DB8:0:1:ffff::2", "2001:db8:0:2::1"];
  const [one, two, asTwo, three] = await Promise.all(
    addresses.map(async (address) =>
      postTo("/pet", withKey(key, { json, headers: { "CF-Connecting-IP": address } })),
    ),
  );
  expect(asTwo?.text).toBe(two?.text);
  const others = [one, two, three];
  expect(others.map((answer) => answer?.status)).toEqual([200, 200, 200]);
  expect(new Set(others.map((answer) => answer?.text)).size).toBe(3);
});

const guarded = clientWith(PROTECTED);

const bearerOf = async (username: string | undefined, password = "secret") =>
  bearer(tokenOf(await logIn(username, password)));

test("two sessions of one user share keys, under another name and with another password too §6.8.4", async () => {
  const key = crypto.randomUUID();
  const { path, shown, headers: ofFirst } = await createSession();
  const json = newPet();
  const first = await postTo("/pet", withKey(key, { json, headers: ofFirst }), guarded);
  expect(first.status).toBe(200);
  const again = async (headers: Record<string, string>) =>
    essence(await postTo("/pet", withKey(key, { json, headers }), guarded));
  expect(await again(await bearerOf(shown.username))).toEqual(essence(first));
  const username = uniqueName("renamed");
  await send("PUT", path, { json: { username, password: "changed" } });
  expect(await again(await bearerOf(username, "changed"))).toEqual(essence(first));
});

test("a new account with the id and name of a deleted one does not share its keys §6.8.4 §API1", async () => {
  const key = crypto.randomUUID();
  const { path, shown, headers } = await createSession();
  const json = newPet();
  const first = await postTo("/pet", withKey(key, { json, headers }), guarded);
  await send("DELETE", path);
  expect((await send("POST", "/user", { json: shown })).status).toBe(200);
  const second = await postTo(
    "/pet",
    withKey(key, { json, headers: await bearerOf(shown.username) }),
    guarded,
  );
  expect(second.status).toBe(200);
  expect(second.text).not.toBe(first.text);
});

test("where access is protected, two users and the API key share no keys §6.8.4 §API1", async () => {
  const key = crypto.randomUUID();
  const callers = [
    (await createSession()).headers,
    (await createSession()).headers,
    { api_key: API_KEY },
  ];
  const json = newPet();
  const answers = await Promise.all(
    callers.map(async (headers) => postTo("/pet", withKey(key, { json, headers }), guarded)),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(3);
  // Each meets its own.
  for (const [index, headers] of callers.entries()) {
    const again = await postTo("/pet", withKey(key, { json, headers }), guarded);
    expect(again.text).toBe(answers[index]?.text);
  }
});

test("a refusal is not remembered: the key is free for the request that succeeds §6.8.3", async () => {
  const key = crypto.randomUUID();
  const { id } = await createPet({ name: "first" });
  const json = { ...newPet(), id };
  expect((await postTo("/pet", withKey(key, { json }))).status).toBe(405);
  expect((await postTo("/pet", withKey(key, { json: { ...json, name: "" } }))).status).toBe(405);
  await send("DELETE", `/pet/${id}`);
  expect((await postTo("/pet", withKey(key, { json }))).status).toBe(200);
  expect((await postTo("/pet", withKey(key, { json: newPet() }))).status).toBe(422);
});

test("a duplicate sign-up is refused with a key as it is without, and the key stays free §6.8.3", async () => {
  const key = crypto.randomUUID();
  const { shown } = await createUser({ password: "secret" });
  const taken = { username: shown.username, password: "another" };
  expect((await postTo("/user", withKey(key, { json: taken }))).status).toBe(409);
  expect((await postTo("/user/createWithList", withKey(key, { json: [taken] }))).status).toBe(409);
  const json = { username: uniqueName("free"), password: "another" };
  expect((await postTo("/user", withKey(key, { json }))).status).toBe(200);
});

test("a form whose If-Match fails remembers nothing, and one whose If-Match held is answered again §6.8.3", async () => {
  const key = crypto.randomUUID();
  const { path, etag } = await createPet();
  const form = (match: string): Sent =>
    withKey(key, {
      body: new URLSearchParams({ name: "Max" }),
      headers: { "If-Match": match },
    });
  expect((await postTo(path, form('"1"'))).status).toBe(412);
  const first = await postTo(path, form(etag));
  expect(first.status).toBe(200);
  // By now the pet has another version.
  expect(essence(await postTo(path, form(etag)))).toEqual(essence(first));
});

test("another image with the key of an upload leaves the first as it is", async () => {
  const { id, path } = await createPet({ photoUrls: [] });
  const key = crypto.randomUUID();
  const statuses = [];
  for (const parts of [[PNG], [PNG], [PNG, "more"]]) {
    const body = imageForm(new File(parts, "rex.png"));
    statuses.push((await postTo(`${path}/uploadImage`, withKey(key, { body }))).status);
  }
  expect(statuses).toEqual([200, 200, 422]);
  const { objects } = await images.list({ prefix: `${id}/` });
  expect(objects).toHaveLength(1);
  const { photoUrls } = (await send("GET", path)).json as { photoUrls: string[] };
  expect(photoUrls).toEqual([`${basePath}/pet/${objects[0]?.key.replace("/", "/images/")}`]);
  const image = await fetchBytes("GET", String(photoUrls[0]).replace(basePath, ""));
  expect(image.bytes).toEqual(PNG);
});

test("methods that are safe to repeat by themselves take no notice of a key", async () => {
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const { path, shown } = await createPet();
  const put = async (name: string) => send("PUT", "/pet", { json: { ...shown, name }, headers });
  expect([(await put("Max")).status, (await put("Eve")).status]).toEqual([200, 200]);
  expect((await send("GET", path, { headers })).json).toMatchObject({ name: "Eve" });
  expect((await send("DELETE", path, { headers })).status).toBe(200);
  expect((await send("DELETE", path, { headers })).status).toBe(404);
});

test("what is kept of a request tells neither its key, nor its caller, nor its content §V14.2", async () => {
  const key = "a-key-that-is-easy-to-find";
  const json = { username: uniqueName("kept"), password: "a-clear-password" };
  await postTo("/user", withKey(key, { json, headers: { "CF-Connecting-IP": "192.0.2.77" } }));
  const { results } = await database.prepare("SELECT * FROM idempotency_keys").all();
  const rows = JSON.stringify(results);
  for (const secret of [key, json.username, json.password, "192.0.2.77"]) {
    expect(rows).not.toContain(secret);
  }
  expect(results.at(-1)).toMatchObject({
    key: expect.stringMatching(/^[\da-f]{64}$/) as string,
    request: expect.stringMatching(/^[\da-f]{64}$/) as string,
  });
});

const numbers = (count: number) => JSON.stringify([...Array(count).keys()]);
const keys = async (kind: string) => countOf("idempotency_keys WHERE key GLOB ?", `${kind}-*`);

test("the scheduled run prunes at most 40,000 of the keys whose 24 hours are over, and no other", async () => {
  const now = Date.now() + 10 * DAY_MS;
  await database.prepare("DELETE FROM idempotency_keys").run();
  const insert = database.prepare(
    `INSERT INTO idempotency_keys (key, request, expiresAt)
     SELECT ?1 || value, 'request', ?2 FROM json_each(?3)`,
  );
  await database.batch([
    insert.bind("expired-", now, numbers(40_500)),
    insert.bind("live-", now + 1, numbers(2500)),
  ]);
  await runScheduled({}, now);
  expect([await keys("expired"), await keys("live")]).toEqual([500, 2500]);
  await runScheduled({}, now);
  expect([await keys("expired"), await keys("live")]).toEqual([0, 2500]);
});

test("a repeat that brings a bookmark is answered even where a replica does not show the first request yet", async () => {
  const client = clientWith({ DB: laggingReplica() });
  const sent = withKey(crypto.randomUUID(), {
    json: newPet(),
    headers: { "x-d1-bookmark": A_BOOKMARK },
  });
  const first = await postTo("/pet", sent, client);
  expect(first.status).toBe(200);
  expect(essence(await postTo("/pet", sent, client))).toEqual(essence(first));
});
