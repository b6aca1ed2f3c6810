import * as fc from "fast-check";
import { beforeAll, describe, expect, test, vi } from "vitest";
import openApi from "../../openapi.json";
import type { Answer } from "../client.ts";
import { drawn, timeFor, tries } from "../drawn.ts";
import { clientWith } from "../fixtures.ts";
import { Calls, d1Through, kvThrough } from "../stores.ts";
import { KINDS } from "./broken-requests/break.ts";
import type { Break, Fate } from "./broken-requests/break.ts";
import { contentBreaks } from "./broken-requests/content-breaks.ts";
import { operations } from "./broken-requests/document.ts";
import type { Operation } from "./broken-requests/document.ts";
import { framingBreaks } from "./broken-requests/framing-breaks.ts";
import { headerBreaks, pathBreaks, queryBreaks } from "./broken-requests/head-breaks.ts";
import { drafts, wireOf } from "./broken-requests/requests.ts";
import type { Draft, Wire } from "./broken-requests/requests.ts";
import { createTargets, restoreTargets, stored } from "./broken-requests/targets.ts";

/** Broken requests in all, at least. */
const REQUESTS = tries(10_000);

/** Requests of each operation that are not broken. */
const UNBROKEN_RUNS = tries(25);

/** The ways to break a request of an operation, by kind. */
const kindsOf = (operation: Operation): ReadonlyMap<string, readonly Break[]> =>
  Map.groupBy(
    [
      ...pathBreaks(operation),
      ...queryBreaks(operation),
      ...headerBreaks(operation),
      ...framingBreaks(operation),
      ...contentBreaks(operation),
    ],
    ({ kind }) => kind,
  );

/** Whether the service must refuse a request that is broken in this way. */
const isHopeless = ({ fate }: Break) =>
  typeof fate === "number" ? fate >= 400 : fate === "refused";

const broken = operations.map((operation) => {
  const kinds = [...kindsOf(operation).values()];
  return {
    operation,
    requests: drafts(operation),
    hopeless: kinds.filter((ways) => ways.every(isHopeless)),
    others: kinds.filter((ways) => !ways.every(isHopeless)),
  };
});
const all = broken.flatMap(({ hopeless, others }) => [...hopeless, ...others]);

/** Runs of each kind of break, for each operation. */
const RUNS = Math.ceil(REQUESTS / all.length);

/** A request with its expected result. */
interface Case extends Wire {
  readonly kind: string;
  readonly fate: Fate;
  /** Whether what its path names is there. */
  readonly exists: boolean;
}

type Way = Break | typeof UNBROKEN;

/** A way to break nothing. */
const UNBROKEN = { kind: "nothing", fate: "served", how: fc.constant(wireOf) } as const;

/** The requests, each broken in one of these ways. */
function cases(requests: fc.Arbitrary<Draft>, ways: readonly Way[]): fc.Arbitrary<Case> {
  return fc.oneof(
    ...ways.map(({ kind, fate, how }) =>
      fc
        .tuple(requests, how)
        .map(([draft, breaks]) => ({ kind, fate, exists: draft.exists, ...breaks(draft) })),
    ),
  );
}

const d1 = new Calls();
const kv = new Calls();

/** Rows in D1, and calls to KV: where access is open, nothing is read from there. */
const written = () => d1.rowsWritten + kv.count;

/** Sends a request to the service, with all that it writes counted. */
const send = clientWith({ DB: d1Through(d1), SESSIONS: kvThrough(kv) });

/** Sends the request and compares the answer with the expected result. @returns whether it wrote */
async function check({ fate, exists, method, path, headers, body }: Case): Promise<boolean> {
  const before = written();
  // A text would bring a Content-Type of its own.
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const answer = await send(method, path, { headers, ...(bytes && { body: bytes }) });
  const wrote = written() > before;
  expect(answer.status).toSatisfy((status: number) => fits(status, fate, exists), String(fate));
  if (answer.status < 400) return wrote;
  expect(wrote).toBe(false);
  if (method !== "HEAD") expectError(answer);
  if (answer.status === 405) expect(answer.headers.get("allow")).toContain("OPTIONS");
  return false;
}

function fits(status: number, fate: Fate, exists: boolean): boolean {
  if (typeof fate === "number") return status === fate;
  if (fate === "served" && !exists) return status === 404;
  const isServed = [200, 206, 304].includes(status);
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
async function checkAll(requests: fc.Arbitrary<Draft>, ways: readonly Way[], numRuns: number) {
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
  // A line for each request would be more than anybody reads.
  vi.spyOn(console, "log").mockReturnValue(undefined);
  await createTargets();
});

test("every operation of the document is broken, and in every kind of way", () => {
  const documented = Object.values(openApi.paths).flatMap((item) =>
    Object.values<{ operationId: string }>(item).map(({ operationId }) => operationId),
  );
  expect(new Set(operations.map(({ id }) => id))).toEqual(new Set(documented));
  expect(new Set(all.flat().map(({ kind }) => kind))).toEqual(new Set(KINDS));
});

describe.each(broken)("$operation.method $operation.path", ({ requests, hopeless, others }) => {
  test(
    "is served where nothing is broken",
    async () => {
      expect(await checkAll(requests, [UNBROKEN], UNBROKEN_RUNS)).toBe(UNBROKEN_RUNS);
    },
    timeFor(UNBROKEN_RUNS),
  );

  test(
    "is refused where that is all that can be done, and nothing is stored",
    async () => {
      await restoreTargets();
      const before = await stored();
      for (const ways of hopeless) {
        expect(await checkAll(requests, ways, RUNS)).toBe(RUNS);
      }
      expect(await stored()).toEqual(before);
    },
    timeFor(RUNS * hopeless.length),
  );

  test(
    "gives an answer that is documented, whatever else is broken",
    async () => {
      for (const ways of others) {
        expect(await checkAll(requests, ways, RUNS)).toBe(RUNS);
      }
    },
    timeFor(RUNS * others.length),
  );
});
