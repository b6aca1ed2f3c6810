import * as fc from "fast-check";
import { beforeAll, expect, test, vi } from "vitest";
import type { Answer } from "../client.ts";
import { drawn, timeFor, tries } from "../drawn.ts";
import { clientWith } from "../fixtures.ts";
import { Calls, allThrough } from "../bindings.ts";
import { kindsOf } from "./broken-requests/breaks.ts";
import type { Break, Fate } from "./broken-requests/breaks.ts";
import { operations } from "./broken-requests/document.ts";
import { drafts, wireOf } from "./broken-requests/requests.ts";
import type { Draft, Wire } from "./broken-requests/requests.ts";
import { createTargets, restoreTargets } from "./broken-requests/targets.ts";

const broken = operations.map((operation) => ({ ...operation, kinds: kindsOf(operation) }));

/** Runs of each kind of break, for each operation: that many broken requests in all, at least. */
const RUNS = Math.ceil(tries(10_000) / broken.flatMap(({ kinds }) => kinds).length);

/** Requests of each operation that are not broken. */
const UNBROKEN_RUNS = tries(25);

/** A way to break nothing. */
const UNBROKEN: Break = { kind: "nothing", fate: "served", how: fc.constant(wireOf) };

/** A request with its expected result. */
interface Case extends Wire {
  readonly kind: string;
  readonly fate: Fate;
  /** Whether what its path names is there. */
  readonly exists: boolean;
}

/** The requests, each broken in one of these ways. */
const cases = (requests: fc.Arbitrary<Draft>, ways: readonly Break[]): fc.Arbitrary<Case> =>
  fc.oneof(
    ...ways.map(({ kind, fate, how }) =>
      fc
        .tuple(requests, how)
        .map(([draft, breaks]) => ({ kind, fate, exists: draft.exists, ...breaks(draft) })),
    ),
  );

const calls = new Calls();
const { DB, SESSIONS, IMAGES } = allThrough(calls).bindings;
const send = clientWith({ DB, SESSIONS, IMAGES });

/** Rows in D1, and calls to KV and R2, which a look-up of an image reads. */
const written = (path: string) =>
  calls.rowsWritten +
  calls.trace.filter((store) => store === "KV" || (store === "R2" && !path.includes("/images/")))
    .length;

/** Sends the request and compares the answer with the expected result. @returns whether it wrote */
async function check({ fate, exists, method, path, headers, body }: Case): Promise<boolean> {
  calls.trace.length = 0;
  const before = written(path);
  // A string would set a Content-Type.
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const answer = await send(method, path, { headers, ...(bytes && { body: bytes }) });
  const wrote = written(path) > before;
  expect(answer.status).toSatisfy((status: number) => fits(status, fate, exists), String(fate));
  if (answer.status < 400) return wrote;
  expect(wrote).toBe(false);
  expectError(answer);
  return false;
}

function fits(status: number, fate: Fate, exists: boolean): boolean {
  if (typeof fate === "number") return status === fate;
  if (fate === "served" && !exists) return status === 404;
  const isServed = status === 200;
  const isRefused = status >= 400 && status < 500;
  return (isServed && fate !== "refused") || (isRefused && fate !== "served");
}

/** interface §2.9: the one shape of them all. */
function expectError({ status, headers, json }: Answer): void {
  expect(headers.get("content-type")).toBe("application/json");
  expect(json).toMatchObject({
    code: status,
    type: "error",
    message: expect.stringMatching(/\S/) as string,
  });
}

/**
 * Sends so many requests, each to a store that holds what the requests are about, and no more.
 * @returns how many were sent
 */
async function checkAll(requests: fc.Arbitrary<Draft>, ways: readonly Break[], numRuns: number) {
  // The check of the last request may have failed before it said so.
  let wrote = true;
  let sent = 0;
  await fc.assert(
    fc
      .asyncProperty(cases(requests, ways), async (each) => {
        wrote = true;
        wrote = await check(each);
        sent += 1;
      })
      .beforeEach(async () => {
        if (wrote) await restoreTargets();
      }),
    drawn(numRuns),
  );
  return sent;
}

beforeAll(async () => {
  // Nobody reads a line for each of thousands of requests.
  vi.spyOn(console, "log").mockReturnValue(undefined);
  await createTargets();
});

test.each(broken)(
  "$method $path is served where nothing is broken",
  async (operation) =>
    expect(await checkAll(drafts(operation), [UNBROKEN], UNBROKEN_RUNS)).toBe(UNBROKEN_RUNS),
  timeFor(UNBROKEN_RUNS),
);

test.each(broken.filter(({ kinds }) => kinds.length > 0))(
  "$method $path is answered as documented, whatever is broken, and stores nothing if it is refused",
  async ({ kinds, ...operation }) => {
    for (const ways of kinds) expect(await checkAll(drafts(operation), ways, RUNS)).toBe(RUNS);
  },
  timeFor(RUNS * Math.max(...broken.map(({ kinds }) => kinds.length))),
);
