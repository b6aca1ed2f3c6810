import * as v from "valibot";
import {
  MAX_ITEMS,
  NotArray,
  boundedArray,
  expected,
  isObject,
  isShallow,
  issueAt,
  oneOf,
  strictObject,
} from "../../http/schemas.ts";
import type { Operations } from "./operations.ts";
import { RuleHeaders, areInert, textsByName } from "./rule-headers.ts";

const between = (minimum: number, maximum: number, isInteger = true) =>
  v.pipe(
    v.number(expected("a number")),
    v.check(
      (value) => value >= minimum && value <= maximum && (!isInteger || Number.isInteger(value)),
      `must be ${isInteger ? "an integer " : ""}from ${minimum} to ${maximum}`,
    ),
  );

/** The maximum depth of a JSON value. A deeper one would overflow the stack. */
const MAX_LEVELS = 32;

const shallow = <Value>() =>
  v.check<Value, string>((value) => isShallow(value, MAX_LEVELS), `must have at most ${MAX_LEVELS} levels`);

/** Accepts any object unchanged: `v.record` would drop keys such as `constructor`. */
const Patch = v.pipe(v.custom<object>(isObject, expected("an object")), shallow());

const Milliseconds = between(1, 30_000);

const RANGE = "must be a number, or [minimum, maximum]";

const MillisecondsRange = v.pipe(
  v.array(Milliseconds),
  v.length(2, RANGE),
  v.check(([minimum = 0, maximum = 0]) => minimum <= maximum, RANGE),
);

/** Chosen by the input, because a union would report the errors of both options. */
const Delay = v.lazy((input): v.GenericSchema<number | number[]> =>
  Array.isArray(input) ? MillisecondsRange : Milliseconds,
);

/** A path below the API. No client may leave the sandbox, so it has no dot segment, and no backslash, which may mean a slash. */
const Location = v.pipe(
  v.string(expected("a string")),
  v.maxLength(1024, "must have at most 1024 characters"),
  v.regex(/^\/(?:[!-.0-~][!-~]*)?$/, "must be a path below the API in printable ASCII, such as /pet/2"),
  v.check(
    (path) => !/[\\#]/.test(path) && !/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path.split("?", 1)[0] ?? ""),
    "must not have a fragment, a backslash, or a dot segment",
  ),
);

const HeaderName = v.pipe(v.string(), v.regex(/^[\w!#$%&'*+.^`|~-]+$/, "is not the name of a header"));

const HeaderText = v.pipe(
  v.string(expected("a string or null")),
  v.check((text) => text === text.trim() && /^\P{Cc}*$/u.test(text), "is not the value of a header"),
);

/** The part of a request that a rule matches. `null` means absent, except in `body`. */
export const Match = v.pipe(
  NotArray,
  strictObject(
    {
      query: v.optional(textsByName(v.string(), v.string(expected("a string or null")), false)),
      headers: v.optional(textsByName(HeaderName, HeaderText, true)),
      body: v.optional(v.pipe(v.unknown(), shallow())),
    },
    "is not a field of match",
  ),
);

/** A rule as clients send it. `checkRule` checks what depends on several fields, or on the operations. */
export const SentRule = strictObject({
  operationId: v.optional(v.string(expected("a string"))),
  method: v.optional(oneOf("GET", "HEAD", "POST", "PUT", "DELETE")),
  path: v.optional(v.string(expected("a string"))),
  match: v.optional(Match),
  /** The maximum number of responses that the rule changes. */
  times: v.optional(between(1, 1_000_000)),
  /** With 3, the rule applies to every third request that it matches. */
  every: v.optional(between(1, 1_000_000)),
  /** The probability that the rule applies. */
  chance: v.optional(between(0, 1, false)),
  status: v.optional(between(200, 599)),
  body: v.optional(v.string(expected("a string"))),
  retryAfter: v.optional(between(0, 86_400)),
  location: v.optional(Location),
  /** Whether the request is performed although its response is dropped. */
  after: v.optional(v.boolean(expected("a boolean"))),
  /** A JSON Merge Patch (RFC 7396) of the real success response. */
  patch: v.optional(Patch),
  headers: v.optional(RuleHeaders),
  /** Milliseconds, or the minimum and maximum of a random delay. */
  delayMs: v.optional(Delay),
  slowMs: v.optional(Milliseconds),
  /**
   * `body`: the connection closes in the middle of the body. `json`: the response ends cleanly after half of the body.
   * `connection`: the connection closes without a response.
   */
  break: v.optional(oneOf("body", "json", "connection")),
  /** The number of responses that the rule changed. */
  used: v.optional(between(0, Number.MAX_SAFE_INTEGER), 0),
});

type SentRule = v.InferOutput<typeof SentRule>;

/** A rule that changes responses. */
export type Rule = Readonly<Omit<SentRule, "used">>;

/** A rule with the number of responses that it changed and, for `every`, of the requests that it matched. */
export interface CountedRule {
  readonly rule: Rule;
  used: number;
  matched: number;
}

const EFFECTS = ["status", "patch", "headers", "delayMs", "slowMs", "break"];

const REDIRECTS = [301, 302, 303, 307, 308];

/** A condition on a rule: whether the rule meets it, the message otherwise, and the path of the invalid field. */
type Condition = readonly [isMet: boolean, message: string, ...path: string[]];

/** Returns conditions that exclude fields from a rule. */
const forbid = (rule: Rule, message: string, ...fields: readonly (keyof Rule)[]): readonly Condition[] =>
  fields.map((field) => [!(field in rule), message, field]);

/** Returns the conditions on the fields that a rule combines. */
function listCombinations(rule: Rule): readonly Condition[] {
  if (rule.break === "connection") {
    const message = 'cannot be used with break "connection"';
    return forbid(rule, message, "status", "body", "retryAfter", "location", "patch", "headers", "slowMs");
  }
  return rule.status === undefined
    ? forbid(rule, "requires a status", "body", "retryAfter", "location", "after")
    : forbid(rule, "cannot be used with a status", "patch");
}

/** Returns the conditions on a rule as a whole, in the order in which they are checked. */
const listConditions = (rule: Rule, operations: Operations): readonly Condition[] => [
  [
    rule.operationId === undefined || operations.ids.includes(rule.operationId),
    `must be one of ${operations.ids.join(", ")}`,
    "operationId",
  ],
  [
    rule.path === undefined || operations.hasPath(rule.path),
    "must be a path of an operation, such as /pet/1 or /pet/{petId}, without /v2",
    "path",
  ],
  ...listCombinations(rule),
  [EFFECTS.some((name) => name in rule), `must have one of ${EFFECTS.join(", ")}`],
  [operations.canApply(rule), "does not have this method and path", "operationId"],
  [
    !rule.match || !("body" in rule.match) || operations.hasJsonBody(rule),
    "is only for operations with a JSON body",
    "match",
    "body",
  ],
  [
    rule.location === undefined || REDIRECTS.includes(rule.status ?? 0),
    `requires a status of ${REDIRECTS.join(", ")}`,
    "location",
  ],
  [
    areInert(rule.headers ?? {}, rule.body !== undefined),
    "must be a media type other than a script or a style sheet; HTML, SVG, and XML require a body",
    "headers",
    "content-type",
  ],
];

/** Reports the first condition that a rule does not meet. */
const checkRule = (operations: Operations) =>
  v.rawCheck<SentRule>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    const [, message, ...keys] = listConditions(value, operations).find(([isMet]) => !isMet) ?? [];
    if (message !== undefined) addIssue(issueAt(message, value, ...keys));
  });

/** Returns the schema of a sandbox's rules. */
export const rulesSchema = (operations: Operations) =>
  boundedArray(v.pipe(NotArray, SentRule, checkRule(operations)), MAX_ITEMS, "rules");
