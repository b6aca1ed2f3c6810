import { describe, expect, test } from "vitest";
import { send } from "./client.ts";
import type { Answer } from "./client.ts";
import { database } from "./engine.ts";
import { countOf, createPet, createUser, placeOrder } from "./fixtures.ts";
import { exchange, underCondition } from "./operations.ts";
import type { Exchange } from "./operations.ts";

const MAX_ID = Number.MAX_SAFE_INTEGER;

/** Answers of as many requests at once. */
const atOnce = async (count: number, request: (index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, async (_, index) => request(index)));

const idOf = ({ json }: Answer) => (json as { id: number }).id;

const pet = (name: string) => ({ name, photoUrls: "a.png", status: "available" });

function countByStatus(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

type About = Awaited<ReturnType<typeof createPet | typeof createUser | typeof placeOrder>>;

const remove = ({ path }: About) => ({ method: "DELETE", path });
const edit = ({ id }: Pick<About, "id">, index: number) => ({ id, ...pet(`editor ${index}`) });
const signUp = { username: "everyone", password: "secret" };

/** Requests of which only one can succeed, the status of the others, and their resource. */
const CONTESTS: readonly (readonly [
  what: string,
  status: number,
  make: () => Promise<About>,
  request: (of: About, index: number) => Exchange,
])[] = [
  ["deletes of a pet §3.7.2", 404, createPet, remove],
  ["deletes of an order", 404, placeOrder, remove],
  ["deletes of a user", 404, createUser, remove],
  [
    "deletes with one If-Match §7.2.8",
    404,
    createPet,
    (of) => ({ ...remove(of), ...underCondition(of) }),
  ],
  [
    "creates with one chosen id §3.4.3",
    405,
    async () => ({ ...(await createPet()), id: 5_000_000, path: "/pet/5000000" }),
    (of, index) => ({ method: "POST", path: "/pet", json: edit(of, index) }),
  ],
  [
    "replacements with one If-Match §7.2.8",
    412,
    createPet,
    (of, index) => ({ method: "PUT", path: "/pet", json: edit(of, index), ...underCondition(of) }),
  ],
  [
    "sign-ups with one username §5.1.3",
    409,
    async () => ({ ...(await createUser()), path: "/user/everyone" }),
    (_, index) => ({ method: "POST", path: "/user", json: { ...signUp, phone: `${index}` } }),
  ],
  [
    "updates of a user with one If-Match §7.2.8",
    412,
    createUser,
    (of, i) => ({ method: "PUT", path: of.path, json: { phone: `${i}` }, ...underCondition(of) }),
  ],
];

test.each(CONTESTS)(
  "of 12 requests at once, one succeeds: %s, or else %i §V2.3",
  async (_, status, make, request) => {
    const of = await make();
    const users = await countOf("users");
    const answers = await atOnce(12, async (index) => exchange(send, request(of, index)));

    expect(countByStatus(answers)).toEqual({ 200: 1, [status]: 11 });
    const { json } = request(
      of,
      answers.findIndex((answer) => answer.status === 200),
    );
    const found = await send("GET", of.path);
    expect(found.status).toBe(json === undefined ? 404 : 200);
    expect(found.json).toMatchObject(json ?? { code: 404 });
    expect((await countOf("users")) - users).toBeLessThanOrEqual(1);
  },
);

test("of 8 users renamed to one name at once exactly one gets it §5.4.2", async () => {
  const users = await Promise.all(Array.from({ length: 8 }, async () => createUser()));
  const answers = await Promise.all(
    users.map(async ({ path }) => send("PUT", path, { json: { username: "wanted" } })),
  );
  expect(countByStatus(answers)).toEqual({ 200: 1, 409: 7 });
});

describe("among pets,", () => {
  test("200 parallel creates have 200 distinct ids, and all can be read §1.5.2", async () => {
    const created = await atOnce(200, async (index) =>
      send("POST", "/pet", { json: pet(`pet ${index}`) }),
    );
    expect(countByStatus(created)).toEqual({ 200: 200 });
    const ids = created.map(idOf);
    expect(new Set(ids).size).toBe(200);

    const found = await atOnce(200, async (index) => send("GET", `/pet/${ids[index]}`));
    expect(found.map(({ json }) => json)).toEqual(created.map(({ json }) => json));
  });

  test("12 parallel creates with one chosen id and the same content are all answered with the one pet §3.4.2", async () => {
    const sent = { id: 6_000_000, ...pet("Rex") };
    const answers = await atOnce(12, async () => send("POST", "/pet", { json: sent }));
    expect(countByStatus(answers)).toEqual({ 200: 12 });
    expect(new Set(answers.map(({ headers }) => headers.get("etag"))).size).toBe(1);
  });

  test("parallel creates, replacements and deletes leave the inventory exact §4.1.2", async () => {
    const statuses = ["available", "pending", "sold"];
    await atOnce(60, async (index) => {
      const status = statuses[index % 3];
      const created = await send("POST", "/pet", { json: { ...pet("a"), status } });
      const id = idOf(created);
      if (index % 2 === 0) {
        const next = statuses[(index + 1) % 3];
        return send("PUT", "/pet", { json: { ...pet("b"), id, status: next } });
      }
      return index % 5 === 0 ? send("DELETE", `/pet/${id}`) : created;
    });
    const { json } = await send("GET", "/store/inventory");
    const lists = await atOnce(3, async (index) =>
      send("GET", `/pet/findByStatus?status=${statuses[index]}`),
    );
    const [available, pending, sold] = lists.map((list) => (list.json as unknown[]).length);
    expect(json).toEqual({ available, pending, sold });
  });
});

describe("while clients choose ids and others are generated,", () => {
  test("no pet is lost when chosen and generated ids meet at the same time §1.5.2 §1.5.4", async () => {
    const last = idOf(await send("POST", "/pet", { json: pet("last") }));
    const answers = await atOnce(60, async (index) =>
      send("POST", "/pet", {
        json: { ...(index % 2 === 0 && { id: last + 1 + index }), ...pet(`meeting ${index}`) },
      }),
    );

    const stored = answers.filter(({ status }) => status === 200);
    // Only a chosen id can lose: 405, because a generated one took it first.
    answers.forEach(({ status }, index) => {
      expect(status).toBe(index % 2 === 0 && status !== 200 ? 405 : 200);
    });
    expect(new Set(stored.map(idOf)).size).toBe(stored.length);
    for (const answer of stored) {
      expect((await send("GET", `/pet/${idOf(answer)}`)).json).toEqual(answer.json);
    }
  });

  test.each([
    ["/pet", pet("any")],
    ["/store/order", {}],
    ["/user", {}],
  ])("2^53-1 does not disturb the next ids of %s §1.5.4", async (path, content) => {
    const greatest = await send("POST", path, { json: { id: MAX_ID, ...content } });
    expect(greatest.status).toBe(200);
    const answers = await atOnce(4, async () => send("POST", path, { json: content }));
    expect(countByStatus(answers)).toEqual({ 200: 4 });
    const ids = answers.map(({ json }) => {
      const { id, message } = json as { id?: number; message?: string };
      return id ?? Number(message);
    });
    expect(new Set(ids).size).toBe(4);
    expect(Math.max(...ids)).toBeLessThan(1000);
  });
});

describe("among users,", () => {
  test("parallel updates of different members of a user are all kept §5.4.1", async () => {
    const { path } = await createUser();
    const members = { firstName: "A", lastName: "B", email: "C", phone: "D", userStatus: 0 };
    await Promise.all(
      Object.entries(members).map(async ([name, value]) =>
        send("PUT", path, { json: { [name]: value } }),
      ),
    );
    expect((await send("GET", path)).json).toMatchObject(members);
  });
});

describe("among orders,", () => {
  test("30 parallel orders get distinct ids, the first ten of them those that can be looked up §1.5.2 §1.5.5", async () => {
    await database.prepare("delete from orders").run();
    const answers = await atOnce(30, async (index) =>
      send("POST", "/store/order", { json: { quantity: index } }),
    );

    expect(countByStatus(answers)).toEqual({ 200: 30 });
    const ids = answers.map(idOf).toSorted((a, b) => a - b);
    expect(new Set(ids).size).toBe(30);
    expect(ids.slice(0, 10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const answer of answers.filter((each) => idOf(each) <= 10)) {
      expect((await send("GET", `/store/order/${idOf(answer)}`)).json).toEqual(answer.json);
    }
  });
});
