import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { send } from "./client.ts";
import type { Answer } from "./client.ts";
import { drawn, timeFor, tries } from "./drawn.ts";
import { createPet, createUser, etagOf } from "./fixtures.ts";
import type { Made } from "./fixtures.ts";
import { isLinearizable } from "./linearizable.ts";
import type { Sequential, Timed } from "./linearizable.ts";
import { exchange } from "./operations.ts";
import type { Exchange } from "./operations.ts";

/** What happened to a register of one value. No two writes have the same value. */
type Happened =
  | { readonly kind: "read"; readonly value: string }
  | { readonly kind: "write"; readonly value: string }
  /** A write on condition that the value is still `from`: done, or refused. */
  | {
      readonly kind: "exchange";
      readonly from: string;
      readonly value: string;
      readonly done: boolean;
    };

type Operation = Happened & Timed;

const register = (initial: string): Sequential<Operation, string> => ({
  initial,
  after: (state, operation) => {
    if (operation.kind === "read") return operation.value === state ? state : undefined;
    if (operation.kind === "write") return operation.value;
    if (operation.done !== (operation.from === state)) return undefined;
    return operation.done ? operation.value : state;
  },
});

const read = (value: string): Happened => ({ kind: "read", value });
const write = (value: string): Happened => ({ kind: "write", value });
const exchanged = (from: string, value: string, done: boolean): Happened => ({
  kind: "exchange",
  from,
  value,
  done,
});

/** A history from words: when each began and ended, a write `=b`, a read `b?`, an exchange `a>b` or a refused one `a!b`. */
const historyIn = (words: string): Operation[] =>
  [...words.matchAll(/(\d+)-(\d+) (\w*)([=?>!])(\w*)/g)].map(
    ([, began, ended, from = "", kind, value = ""]) => ({
      began: Number(began),
      ended: Number(ended),
      ...(kind === "?"
        ? read(from)
        : kind === "="
          ? write(value)
          : exchanged(from, value, kind === ">")),
    }),
  );

describe("the checker of histories", () => {
  test.each([
    ["nothing at all", ""],
    ["one client, one thing after the other", "1-2 =b, 3-4 b?"],
    ["reads that overlap a write and see the old value, then the new", "1-10 =b, 2-3 a?, 4-5 b?"],
    ["two writes that overlap, the later answer with the earlier", "1-5 =b, 2-4 =c, 6-7 b?"],
    ["two exchanges of one value, one done and one refused", "1-5 a>b, 2-4 a!c"],
    ["an exchange that overlaps a write, and is done before it", "1-5 =b, 2-6 a>c, 7-8 b?"],
  ])("accepts %s: %s", (_, words) => {
    expect(isLinearizable(historyIn(words), register("a"))).toBe(true);
  });

  test.each([
    ["a stale read", "1-2 =b, 3-4 a?"],
    ["a read of what nobody wrote", "1-2 z?"],
    ["a read that goes back behind what another read has seen", "1-10 =b, 2-3 b?, 4-5 a?"],
    ["a lost update: two exchanges of one value that are both done", "1-5 a>b, 2-4 a>c"],
    ["a write that is gone", "1-2 =b, 3-4 =c, 5-6 b?"],
    ["an exchange that is refused though nobody was faster", "1-2 a!b"],
    ["an exchange of a value that was replaced before it began", "1-2 =b, 3-4 a>c"],
    ["an exchange that was refused and is seen all the same", "1-4 =b, 2-5 a!c, 6-7 c?"],
  ])("rejects %s: %s", (_, words) => {
    expect(isLinearizable(historyIn(words), register("a"))).toBe(false);
  });

  test("decides twelve writes at once, which have more orders than could ever be tried", () => {
    const writes = Array.from({ length: 12 }, (_, index) => `${index}-100 =w${index}`).join();
    expect(isLinearizable(historyIn(`${writes}, 101-102 w3?`), register("a"))).toBe(true);
    expect(isLinearizable(historyIn(`${writes}, 101-102 a?`), register("a"))).toBe(false);
  });
});

/** Random plans, and random counts by each operation. */
const HISTORIES = tries(25);
const COUNTS = 4;

const STEPS = ["read", "write", "exchange"] as const;
type Step = (typeof STEPS)[number];

/** What clients do to one pet, each its own steps and all at the same time, as it happened. */
async function historyOf(plan: readonly (readonly Step[])[]) {
  const pet = await createPet({ name: "first" });
  const history: Operation[] = [];
  let clock = 0;
  let writes = 0;
  const record = async (ask: () => Promise<Answer>, happened: (answer: Answer) => Happened) => {
    const began = ++clock;
    const answer = await ask();
    history.push({ ...happened(answer), began, ended: ++clock });
    return answer;
  };
  const put = async (name: string, headers: Record<string, string>) =>
    send("PUT", "/pet", { json: { id: pet.id, name, photoUrls: "rex.png" }, headers });
  const client = async (steps: readonly Step[]) => {
    let seen = { name: "first", etag: pet.etag };
    for (const step of steps) {
      const name = step === "read" ? "" : `write ${++writes}`;
      const answer =
        step === "read"
          ? await record(
              async () => send("GET", pet.path),
              (found) => read(nameIn(found)),
            )
          : step === "write"
            ? await record(
                async () => put(name, {}),
                () => write(name),
              )
            : await record(
                async () => put(name, { "If-Match": seen.etag }),
                ({ status }) => exchanged(seen.name, name, status === 200),
              );
      expect(step === "exchange" ? [200, 412] : [200]).toContain(answer.status);
      if (answer.status === 200) seen = { name: nameIn(answer), etag: etagOf(answer) };
    }
  };
  await Promise.all(plan.map(client));
  return history;
}

const nameIn = ({ json }: Answer) => (json as { name: string }).name;

describe("with one pet in the hands of many,", () => {
  test(
    "whatever clients read, write and write with If-Match at once, one order explains all answers",
    async () => {
      const steps = fc.array(fc.constantFrom(...STEPS), { minLength: 1, maxLength: 10 });
      let overlaps = 0;
      let refused = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { minLength: 2, maxLength: 6 }), async (plan) => {
          const history = await historyOf(plan);
          overlaps += history.filter((one) =>
            history.some((other) => other.began < one.began && one.began < other.ended),
          ).length;
          refused += history.filter((one) => one.kind === "exchange" && !one.done).length;
          const order = isLinearizable(history, register("first")) ? "some order" : history;
          expect(order).toBe("some order");
        }),
        { ...drawn(HISTORIES), endOnFailure: true },
      );
      // Otherwise no requests overlapped.
      expect(overlaps).toBeGreaterThan(0);
      expect(refused).toBeGreaterThan(0);
    },
    timeFor(HISTORIES),
  );
});

/** Counters that start at 0: a resource, the count that it shows, and a request that sets it. PUT /pet is tested above. */
const COUNTERS: readonly (readonly [
  operation: string,
  make: () => Promise<Made<object>>,
  read: (answer: Answer) => number,
  write: (counter: Made<object>, count: string) => Exchange,
])[] = [
  [
    "POST /pet/{petId}",
    async () => createPet({ name: "0" }),
    (answer) => Number(nameIn(answer)),
    ({ path }, name) => ({ method: "POST", path, body: new URLSearchParams({ name }) }),
  ],
  [
    "PUT /user/{username}",
    async () => createUser({ userStatus: 0 }),
    ({ json }) => (json as { userStatus: number }).userStatus,
    ({ path }, count) => ({ method: "PUT", path, json: { userStatus: Number(count) } }),
  ],
];

describe("with If-Match,", () => {
  test.each(COUNTERS)(
    "no increment is lost by %s",
    async (_, make, countOf, put) => {
      let refusals = 0;
      /** Adds one, and repeats that while another client is faster. */
      const increment = async (counter: Made<object>) => {
        for (;;) {
          const found = await send("GET", counter.path);
          const headers = { "If-Match": etagOf(found) };
          const { status } = await exchange(
            send,
            put(counter, String(countOf(found) + 1)),
            headers,
          );
          if (status === 200) return;
          expect(status).toBe(412);
          refusals += 1;
        }
      };
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 6 }),
          async (increments) => {
            const counter = await make();
            const client = async (times: number) => {
              for (let done = 0; done < times; done++) await increment(counter);
            };
            await Promise.all(increments.map(client));
            const total = increments.reduce((sum, times) => sum + times, 0);
            expect(countOf(await send("GET", counter.path))).toBe(total);
          },
        ),
        { ...drawn(COUNTS), endOnFailure: true },
      );
      // Otherwise no requests overlapped.
      expect(refusals).toBeGreaterThan(0);
    },
    timeFor(COUNTS),
  );
});
