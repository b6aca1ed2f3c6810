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

const Headers = v.pipe(
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

/** The members that others depend on. */
interface Partners {
  readonly status?: number | undefined;
  readonly body?: string | undefined;
  readonly headers?: object | undefined;
  readonly chance?: number | undefined;
  readonly delayMs?: number | readonly number[] | undefined;
}

/** When a member means nothing, and what the error then says. */
type Conflict = readonly [isMeaningless: (rule: Partners) => boolean, message: string];

const NO_STATUS: Conflict = [({ status }) => status === undefined, "needs a status"];
const NO_BODY: Conflict = [
  ({ status = 400, body }) => status < 400 && !body,
  "needs an answer with a body",
];

/** A member of a rule: its values, and its conflicts with other members. */
const member = <Input, Output>(
  schema: v.GenericSchema<Input, Output>,
  ...conflicts: readonly Conflict[]
) => ({ schema: optionalMember(schema), conflicts });

/** What a rule does; it has at least one of these members. src/sandbox/faults/explain.ts says them in words. */
const EFFECTS = {
  /** The status of an answer on demand. */
  status: member(between(200, 599)),
  /** The JSON Merge Patch (RFC 7396) of the real answer. */
  patch: member(v.custom<Readonly<Record<string, unknown>>>(isPatch, NO_PATCH), [
    ({ status }) => status !== undefined,
    "needs a rule without a status",
  ]),
  /** Headers of the answer on demand, or of the real one. `null` leaves a header out. */
  headers: member(Headers),
  /** How many milliseconds the answer is delayed, or the least and the most. */
  delayMs: member(Delay),
  /** The body leaves at this rate. */
  bytesPerSecond: member(between(1, 1_000_000), NO_BODY),
  /** `body`: the connection ends in the middle of the body. `json`: half of the body is all of it. */
  break: member(OneOf(["body", "json"]), NO_BODY),
};
export type Effect = keyof typeof EFFECTS;

const MEMBERS = {
  // The next three say which requests the rule is for. Without them, it is for all.
  operationId: member(Name),
  method: member(OneOf(["GET", "HEAD", "POST", "PUT", "DELETE"])),
  /** Below the base path: `/pet/1`, or the path of the document, `/pet/{petId}`. */
  path: member(
    v.pipe(
      Name,
      v.regex(/^\/[^?#]*[^?#/]$/, "must have no ?, no # and no / at its end, and begin with /"),
    ),
  ),
  /** How many times the rule is used. Without it, the rule is used until the rules are replaced. */
  times: member(between(1, 1_000_000)),
  /** With 3, the rule is used for every third of these requests. Default: 1, for each of them. */
  every: member(between(1, 1_000_000)),
  /** The part of these requests that the rule is used for, from 0 to 1. Default: 1, for each of them. */
  chance: member(
    v.pipe(
      v.number(expected("a number")),
      v.check((chance) => chance >= 0 && chance <= 1, "must be from 0 to 1"),
    ),
  ),
  /** What `chance` and a range of delays are drawn from. Default: chosen at random. */
  seed: member(between(0, 2 ** 32 - 1), [
    ({ chance, delayMs }) => chance === undefined && typeof delayMs !== "object",
    "needs a chance or a range of delays",
  ]),
  ...EFFECTS,
  /** With `true`, the service does the request and then answers on demand. Otherwise, it does not do the request. */
  after: member(v.boolean(expected("a boolean")), NO_STATUS),
  /** The `Retry-After` of the answer on demand, in seconds. */
  retryAfter: member(between(0, 86_400), NO_STATUS, [
    ({ headers = {} }) => Object.keys(headers).some((name) => /^retry-after$/i.test(name)),
    "is already set by headers",
  ]),
  /** The body of the answer on demand. Without it, an error has the service's own, and any other answer has none. */
  body: member(v.string(expected("a string")), NO_STATUS, [
    ({ status = 0 }) => [204, 205, 304].includes(status),
    "is not sent with this status",
  ]),
};
type MemberName = keyof typeof MEMBERS;

// Objects lose the names of their members on the way through `Object.entries`.
const NAMES = Object.keys(MEMBERS) as MemberName[];
const EFFECT_NAMES = Object.keys(EFFECTS) as Effect[];
const SCHEMAS = Object.fromEntries(NAMES.map((name) => [name, MEMBERS[name].schema])) as {
  [Name in MemberName]: (typeof MEMBERS)[Name]["schema"];
};

const Count = optionalMember(between(0, Number.MAX_SAFE_INTEGER));

/** A rule that changes answers of a sandbox, so that people can test how their client reacts, and its counts. */
export const FaultState = v.pipe(
  v.custom(isObject, expected("a rule")),
  v.strictObject({ ...SCHEMAS, used: Count, met: Count, left: v.optional(v.unknown()) }, (issue) =>
    issue.expected === "never" ? "is not a member of a rule" : expected("a rule")(issue),
  ),
  v.check(
    (rule) => EFFECT_NAMES.some((name) => rule[name] !== undefined),
    `must have one of ${EFFECT_NAMES.join(", ")}`,
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const rule = dataset.value;
    for (const name of NAMES) {
      if (rule[name] === undefined) continue;
      for (const [isMeaningless, message] of MEMBERS[name].conflicts) {
        if (isMeaningless(rule)) addIssue({ message, path: pathTo(name, rule) });
      }
    }
  }),
  // oxlint-disable-next-line no-unused-vars -- what is left is shown, and follows from the others
  v.transform(({ used = 0, met = 0, left, ...rule }) => ({ rule, used, met })),
);

/** A rule, how many requests it was for (`met`), and how many of these it was used for. */
export type FaultState = v.InferOutput<typeof FaultState>;
export type FaultRule = FaultState["rule"];

export const FaultRules = BoundedArray(
  FaultState,
  MAX_RULES,
  "rules",
  expected("an array of rules"),
);

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
