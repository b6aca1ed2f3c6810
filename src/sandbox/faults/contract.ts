import * as v from "valibot";
import { operation } from "../../http/operation.ts";
import { BoundedArray, OneOf, expected, isObject, optionalMember } from "../../http/schemas.ts";
import type { PlainObject } from "../../http/schemas.ts";
import { onSandbox } from "../contract.ts";
import { wrongHeaders } from "./headers.ts";

/** The largest number of rules of a sandbox. */
const MAX_RULES = 100;

/** The largest size of all rules as JSON, in bytes, without what only counts: `used`, `met` and `left`. */
export const MAX_RULES_BYTES = 64 * 1024;

/** Longest delay, in milliseconds. */
const MAX_DELAY_MS = 30_000;

const between = (least: number, most: number) =>
  v.pipe(
    v.number(expected("an integer")),
    v.safeInteger(`must be an integer from ${least} to ${most}`),
    v.minValue(least, `must be an integer from ${least} to ${most}`),
    v.maxValue(most, `must be an integer from ${least} to ${most}`),
  );

const Name = v.pipe(
  v.string(expected("a string")),
  v.check((name) => name !== "" && name.length <= 256, "must have 1 to 256 characters"),
);

const isDelay = (ms: unknown): boolean =>
  Number.isInteger(ms) && Number(ms) >= 0 && Number(ms) <= MAX_DELAY_MS;

/** A number, or the least and the most. */
const Delay = v.custom<number | [number, number]>(
  (ms) =>
    Array.isArray(ms)
      ? ms.length === 2 && ms.every(isDelay) && ms[0] <= ms[1]
      : Boolean(ms) && isDelay(ms),
  `must be an integer from 1 to ${MAX_DELAY_MS}, or an array of the least and the most`,
);

/** The path of an issue with a member. */
const pathTo = (key: string, input: Record<string, unknown>): [v.ObjectPathItem] => [
  { type: "object", origin: "value", input, key, value: input[key] },
];

const RuleHeaders = v.pipe(
  v.custom<Readonly<Record<string, string | null>>>(isObject, expected("an object")),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const [name, message] of wrongHeaders(dataset.value)) {
      addIssue({ message, ...(name && { path: pathTo(name, dataset.value) }) });
    }
  }),
);

/** The most levels of a patch. */
const MAX_DEPTH = 32;

/** Whether a value can be in a patch. JavaScript would round other numbers. */
const isWritable = (value: unknown, levels = MAX_DEPTH): boolean =>
  typeof value === "number"
    ? Math.abs(value) <= Number.MAX_SAFE_INTEGER
    : typeof value !== "object" ||
      value === null ||
      (levels > 0 && Object.values(value).every((each) => isWritable(each, levels - 1)));

/** Whether a value is a patch. */
const isPatch = (value: unknown): value is PlainObject => isObject(value) && isWritable(value);

const NO_PATCH = `must be an object of at most ${MAX_DEPTH} levels, with numbers within ±9007199254740991`;

/** What a rule does; it has at least one of these members. src/sandbox/faults/explain.ts says them in words. */
const EFFECTS = {
  /** The status of an answer on demand. */
  status: optionalMember(between(200, 599)),
  /** The JSON Merge Patch (RFC 7396) of the real answer. */
  patch: optionalMember(v.custom<PlainObject>(isPatch, NO_PATCH)),
  /** Headers of the answer on demand, or of the real one. `null` leaves a header out. */
  headers: optionalMember(RuleHeaders),
  /** How many milliseconds the answer is delayed, or the least and the most. */
  delayMs: optionalMember(Delay),
  /** The body leaves at this rate. */
  bytesPerSecond: optionalMember(between(1, 1_000_000)),
  /** `body`: the connection ends in the middle of the body. `json`: half of the body is all of it. */
  break: optionalMember(OneOf(["body", "json"])),
};
export type Effect = keyof typeof EFFECTS;

const MEMBERS = {
  // The next three say which requests the rule is for. Without them, it is for all.
  operationId: optionalMember(Name),
  method: optionalMember(OneOf(["GET", "HEAD", "POST", "PUT", "DELETE"])),
  /** Below the base path: `/pet/1`, or the path of the document, `/pet/{petId}`. */
  path: optionalMember(
    v.pipe(
      Name,
      v.regex(/^\/[^?#]*[^?#/]$/, "must have no ?, no # and no / at its end, and begin with /"),
    ),
  ),
  /** How many times the rule is used. Without it, the rule is used until the rules are replaced. */
  times: optionalMember(between(1, 1_000_000)),
  /** With 3, the rule is used for every third of these requests. Default: 1, for each of them. */
  every: optionalMember(between(1, 1_000_000)),
  /** The part of these requests that the rule is used for, from 0 to 1. Default: 1, for each of them. */
  chance: optionalMember(
    v.pipe(
      v.number(expected("a number")),
      v.check((chance) => chance >= 0 && chance <= 1, "must be from 0 to 1"),
    ),
  ),
  /** What `chance` and a range of delays are drawn from. Default: chosen at random. */
  seed: optionalMember(between(0, 2 ** 32 - 1)),
  ...EFFECTS,
  /** With `true`, the service does the request and then answers on demand. Otherwise, it does not do the request. */
  after: optionalMember(v.boolean(expected("a boolean"))),
  /** The `Retry-After` of the answer on demand, in seconds. */
  retryAfter: optionalMember(between(0, 86_400)),
  /** The body of the answer on demand. Without it, an error has the service's own, and any other answer has none. */
  body: optionalMember(v.string(expected("a string"))),
};

type Members = v.InferOutput<v.ObjectSchema<typeof MEMBERS, undefined>>;

const hasNoStatus = ({ status }: Members) => status === undefined;
const hasNoBody = ({ status = 400, body }: Members) => status < 400 && !body;

/** When a member means nothing beside the others, and what the error then says. */
const CONFLICTS: readonly (readonly [
  member: keyof Members,
  isMeaningless: (rule: Members) => boolean,
  message: string,
])[] = [
  [
    "seed",
    ({ chance, delayMs }) => chance === undefined && typeof delayMs !== "object",
    "needs a chance or a range of delays",
  ],
  ["patch", ({ status }) => status !== undefined, "needs a rule without a status"],
  ["bytesPerSecond", hasNoBody, "needs an answer with a body"],
  ["break", hasNoBody, "needs an answer with a body"],
  ["after", hasNoStatus, "needs a status"],
  ["retryAfter", hasNoStatus, "needs a status"],
  [
    "retryAfter",
    ({ headers = {} }) => Object.keys(headers).some((name) => /^retry-after$/i.test(name)),
    "is already set by headers",
  ],
  ["body", hasNoStatus, "needs a status"],
  ["body", ({ status = 0 }) => [204, 205, 304].includes(status), "is not sent with this status"],
];

// `Object.keys` forgets which names there are.
const EFFECT_NAMES = Object.keys(EFFECTS) as Effect[];

const Count = optionalMember(between(0, Number.MAX_SAFE_INTEGER));

/** A rule that changes answers of a sandbox, so that people can test how their client reacts, and its counts. */
export const FaultState = v.pipe(
  v.custom(isObject, expected("a rule")),
  v.strictObject({ ...MEMBERS, used: Count, met: Count, left: v.optional(v.unknown()) }, (issue) =>
    issue.expected === "never" ? "is not a member of a rule" : expected("a rule")(issue),
  ),
  v.check(
    (rule) => EFFECT_NAMES.some((name) => rule[name] !== undefined),
    `must have one of ${EFFECT_NAMES.join(", ")}`,
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const rule = dataset.value;
    for (const [name, isMeaningless, message] of CONFLICTS) {
      if (rule[name] !== undefined && isMeaningless(rule)) {
        addIssue({ message, path: pathTo(name, rule) });
      }
    }
  }),
  // oxlint-disable-next-line no-unused-vars -- what is left is shown, and follows from the others
  v.transform(({ used = 0, met = 0, left, ...rule }) => ({ rule, used, met })),
);

/** A rule, how many requests it was for (`met`), and how many of these it was used for. */
export type FaultState = v.InferOutput<typeof FaultState>;
export type FaultRule = FaultState["rule"];

const FaultRules = BoundedArray(FaultState, MAX_RULES, "rules", expected("an array of rules"));

const INVALID = [400, "Invalid rules"] as const;

/** Changes answers of a sandbox by rules. */
export const putStoreFaults = operation({
  ...onSandbox,
  id: "putStoreFaults",
  // More than the largest rules need, with their counts, even if a client escapes every character.
  body: { schema: FaultRules, maxBytes: 7 * MAX_RULES_BYTES, maxValues: 2 * MAX_RULES_BYTES },
  success: v.undefined(),
  errors: { ...onSandbox.errors, malformed: INVALID, invalid: INVALID, unmatched: INVALID },
});

/** Reads the rules of a sandbox, and how often each was used. */
export const getStoreFaults = operation({
  ...onSandbox,
  id: "getStoreFaults",
  success: v.array(v.unknown()),
});

/** Deletes the rules of a sandbox. */
export const deleteStoreFaults = operation({
  ...onSandbox,
  id: "deleteStoreFaults",
  success: v.undefined(),
});
