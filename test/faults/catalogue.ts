import type { Fault, Store } from "../bindings.ts";

// The whole list of https://developers.cloudflare.com/d1/observability/debug-d1/#error-list, of October 2026.

/** The errors of D1 of which its documentation says no more than "Retry the operation". */
export const D1_TRANSIENT = [
  "D1 DB reset because its code was updated.",
  "Internal error while starting up D1 DB storage caused object to be reset.",
  "Network connection lost.",
  "Replica disconnected from primary.",
  "Internal error in D1 DB storage caused object to be reset.",
  "Cannot resolve D1 DB due to transient issue on remote node.",
].map((message) => `D1_ERROR: ${message}`);

const EXCEEDED = "Your account has exceeded D1's";

/** The others, and one of SQL. */
export const D1_PERMANENT = [
  "No SQL statements detected.",
  `${EXCEEDED} maximum account storage limit, please contact Cloudflare to raise your limit.`,
  `${EXCEEDED} free tier daily row read limit. Upgrade to a paid plan or wait until tomorrow (midnight UTC)`,
  `${EXCEEDED} free tier daily row write limit. Upgrade to a paid plan or wait until tomorrow (midnight UTC)`,
  "Exceeded maximum DB size.",
  "Can't read from request stream because client disconnected.",
  "D1 DB storage operation exceeded timeout which caused object to be reset.",
  "D1 DB is overloaded. Requests queued for too long.",
  "D1 DB is overloaded. Too many requests queued.",
  "D1 DB's isolate exceeded its memory limit and was reset.",
  "D1 DB exceeded its CPU time limit and was reset.",
  "no such table: pets: SQLITE_ERROR",
].map((message) => `D1_ERROR: ${message}`);

/** As Workers KV's binding words them; 429 is that of https://developers.cloudflare.com/kv/platform/limits/. */
const KV_ERRORS = [
  "KV PUT failed: 429 Too Many Requests",
  "KV GET failed: 500 Internal Server Error",
  "KV DELETE failed: 503 Service Unavailable",
];

/** The service errors of https://developers.cloudflare.com/r2/api/error-codes/. */
const R2_ERRORS = [
  "put: We encountered an internal error. Please try again. (10001)",
  "get: Service is temporarily unavailable. (10043)",
  "delete: Client disconnected before request completed. (10054)",
  "put: Reduce your concurrent request rate for the same object. (10058)",
];

/** What the runtime throws where a binding's own service fails; Cloudflare documents no errors of the limiter. */
const LIMITER_ERRORS = ["internal error; reference = 0123456789abcdef", "Network connection lost."];

const errors = (messages: readonly string[]): Fault[] =>
  messages.flatMap((message) => [
    { when: "before", message },
    { when: "after", message },
  ]);

const MINUTE_MS = 60_000;
const TWO_HOURS_MS = 120 * MINUTE_MS;

/** How long a call to a store may take, in milliseconds (docs/reliability.md, Retries). */
export const DEADLINE_MS = 10_000;

const LATE: Fault = { when: "late", ms: DEADLINE_MS - 1 };

/** No answer, ever. */
const SILENCE: readonly Fault[] = [
  { when: "never", done: false },
  { when: "never", done: true },
];

/** The faults of each store: errors, latency below the deadline, silence, refusals. */
export const FAULTS: Readonly<Record<Store, readonly Fault[]>> = {
  D1: [...errors([...D1_TRANSIENT, ...D1_PERMANENT]), LATE, ...SILENCE],
  KV: [...errors(KV_ERRORS), LATE, ...SILENCE],
  R2: [
    ...errors(R2_ERRORS),
    LATE,
    ...SILENCE,
    { when: "midway", message: "Network connection lost." },
  ],
  REQUESTS: [...errors(LIMITER_ERRORS), LATE, ...SILENCE, { when: "refused" }],
  LOGINS: [...errors(LIMITER_ERRORS), LATE, ...SILENCE, { when: "refused" }],
  LOGINS_PER_USER: [...errors(LIMITER_ERRORS), LATE, ...SILENCE, { when: "refused" }],
  // A session lasts an hour.
  clock: [
    { when: "off", ms: TWO_HOURS_MS },
    { when: "off", ms: -TWO_HOURS_MS },
  ],
};

/** Faults that a retry meets again, and a clock that stays wrong. */
export const LASTING: typeof FAULTS = {
  D1: errors(["D1_ERROR: Network connection lost."]),
  KV: errors(KV_ERRORS.slice(0, 1)),
  R2: errors(R2_ERRORS.slice(0, 1)),
  REQUESTS: errors(LIMITER_ERRORS.slice(0, 1)),
  LOGINS: errors(LIMITER_ERRORS.slice(0, 1)),
  LOGINS_PER_USER: errors(LIMITER_ERRORS.slice(0, 1)),
  clock: FAULTS.clock,
};
