import * as v from "valibot";
import { operation } from "../../http/operation.ts";
import { BoundedArray, expected, optionalMember } from "../../http/schemas.ts";
import { onSandbox } from "../contract.ts";

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
  v.nonEmpty("must not be empty"),
  v.maxLength(256, "must have at most 256 characters"),
);

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"] as const;

const BREAKS = ["body", "json"] as const;

const Range = v.strictTuple([between(0, MAX_DELAY_MS), between(0, MAX_DELAY_MS)]);
const DELAY_MESSAGE = `must be an integer from 1 to ${MAX_DELAY_MS}, or an array of the least and the most`;

const Count = optionalMember(between(0, Number.MAX_SAFE_INTEGER));

/** A rule that makes requests to a sandbox fail, so that people can test how their client reacts, and its counts. */
export const FaultState = v.pipe(
  v.strictObject(
    {
      // The next three say which requests the rule is for. Without them, it is for all.
      operationId: optionalMember(Name),
      method: optionalMember(v.picklist(METHODS, `must be one of ${METHODS.join(", ")}`)),
      /** Below the base path: `/pet/1`, or the path of the document, `/pet/{petId}`. */
      path: optionalMember(
        v.pipe(
          Name,
          v.regex(/^\//, "must begin with /"),
          v.regex(/^[^?#]*[^?#/]$/, "must have no ?, no # and no / at its end"),
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
      /** How many milliseconds the answer is delayed, or the least and the most. */
      delayMs: optionalMember(
        v.pipe(
          v.union([between(1, MAX_DELAY_MS), Range], DELAY_MESSAGE),
          v.check((ms) => typeof ms === "number" || ms[0] <= ms[1], DELAY_MESSAGE),
        ),
      ),
      /** The status of the error. */
      status: optionalMember(between(400, 599)),
      /**
       * With `true`, the service does the request and then answers the error. Otherwise, it does not do the request.
       */
      after: optionalMember(v.boolean(expected("a boolean"))),
      /** The error's `Retry-After`, in seconds. */
      retryAfter: optionalMember(between(0, 86_400)),
      /** The error's body, in place of JSON. */
      body: optionalMember(v.string(expected("a string"))),
      /** `body`: the connection ends in the middle of the body. `json`: half of the body is all of it. */
      break: optionalMember(v.picklist(BREAKS, `must be one of ${BREAKS.join(", ")}`)),
      used: Count,
      met: Count,
      left: v.optional(v.unknown()),
    },
    (issue) => (issue.expected === "never" ? "is no member of a rule" : expected("a rule")(issue)),
  ),
  v.check(
    (rule) => (rule.status ?? rule.delayMs ?? rule.break) !== undefined,
    "must have a status, a delayMs or a break",
  ),
  v.check(
    ({ status, after, retryAfter, body }) =>
      status !== undefined || (after ?? retryAfter ?? body) === undefined,
    "must have a status if it has after, retryAfter or body",
  ),
  v.check(
    ({ seed, chance, delayMs }) =>
      seed === undefined || chance !== undefined || typeof delayMs === "object",
    "must have a chance or a range of delays if it has a seed",
  ),
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

/** Makes answers of a sandbox fail, by rules. */
export const putStoreFaults = operation({
  ...onSandbox,
  id: "putStoreFaults",
  // More than the largest rules need, with their counts.
  body: { schema: FaultRules, maxBytes: 2 * MAX_RULES_BYTES, maxValues: 4000 },
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
