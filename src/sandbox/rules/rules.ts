import * as v from "valibot";
import { MAX_ITEMS, NotArray, expected, isObject, strictObject } from "../../http/schemas.ts";
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

const oneOf = <const Option extends string>(options: readonly Option[]) =>
  v.optional(v.picklist(options, `must be one of ${options.join(", ")}`));

/** The maximum depth of a JSON value. A deeper one would overflow the stack. */
const MAX_LEVELS = 32;

const isShallow = (value: unknown, levels = MAX_LEVELS): boolean =>
  typeof value !== "object" ||
  value === null ||
  (levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1)));

const shallow = <Value>() =>
  v.check<Value, string>((value) => isShallow(value), `must have at most ${MAX_LEVELS} levels`);

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
  v.regex(/^\/[!-~]*$/, "must be a path below the API in printable ASCII, such as /pet/2"),
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

/** A rule that changes responses. */
export interface Rule {
  readonly operationId?: string | undefined;
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "DELETE" | undefined;
  readonly path?: string | undefined;
  readonly match?: v.InferOutput<typeof Match> | undefined;
  /** The maximum number of responses that the rule changes. */
  readonly times?: number | undefined;
  /** With 3, the rule applies to every third request that it matches. */
  readonly every?: number | undefined;
  /** The probability that the rule applies. */
  readonly chance?: number | undefined;
  readonly status?: number | undefined;
  readonly body?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly location?: string | undefined;
  /** Whether the request is performed although its response is dropped. */
  readonly after?: boolean | undefined;
  /** A JSON Merge Patch (RFC 7396) of the real success response. */
  readonly patch?: object | undefined;
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
  /** Milliseconds, or the minimum and maximum of a random delay. */
  readonly delayMs?: number | readonly number[] | undefined;
  readonly slowMs?: number | undefined;
  /**
   * `body`: the connection closes in the middle of the body. `json`: the response ends cleanly after half of the body.
   * `connection`: the connection closes without a response.
   */
  readonly break?: "body" | "json" | "connection" | undefined;
}

type ParsedRule = Rule & { readonly used: number };

/** A rule with the number of responses that it changed and, for `every`, of the requests that it matched. */
export interface CountedRule {
  readonly rule: Rule;
  used: number;
  matched: number;
}

const REDIRECTS = [301, 302, 303, 307, 308];

const EFFECTS = ["status", "patch", "headers", "delayMs", "slowMs", "break"];

/** Returns the schema of a sandbox's rules. */
export function rulesSchema(operations: Operations) {
  const common = {
    operationId: v.optional(v.picklist(operations.ids, `must be one of ${operations.ids.join(", ")}`)),
    method: oneOf(["GET", "HEAD", "POST", "PUT", "DELETE"]),
    path: v.optional(
      v.pipe(
        v.string(expected("a string")),
        v.check(
          (path) => operations.hasPath(path),
          "must be a path of an operation, such as /pet/1 or /pet/{petId}, without /v2",
        ),
      ),
    ),
    match: v.optional(Match),
    times: v.optional(between(1, 1_000_000)),
    every: v.optional(between(1, 1_000_000)),
    chance: v.optional(between(0, 1, false)),
    delayMs: v.optional(Delay),
    /** The number of responses that the rule changed. */
    used: v.optional(between(0, Number.MAX_SAFE_INTEGER), 0),
  };
  const sent = {
    ...common,
    headers: v.optional(RuleHeaders),
    slowMs: v.optional(Milliseconds),
    break: oneOf(["body", "json"]),
  };
  const after = v.optional(v.boolean(expected("a boolean")));

  const Change = strictObject({ ...sent, patch: v.optional(Patch) }, "is not a field of a rule without a status");

  const Replacement = strictObject(
    {
      ...sent,
      status: between(200, 599),
      body: v.optional(v.string(expected("a string"))),
      retryAfter: v.optional(between(0, 86_400)),
      location: v.optional(Location),
      after,
    },
    "is not a field of a rule with a status",
  );

  const Disconnection = strictObject(
    { ...common, break: v.literal("connection"), after },
    "is not a field of a rule that breaks the connection",
  );

  // Chosen by the input, because a union would report the errors of every option.
  const AnyRule = v.lazy((input): v.GenericSchema<unknown, ParsedRule> => {
    const { break: broken } = Object(input) as { break?: unknown };
    if (broken === "connection") return Disconnection;
    return "status" in Object(input) ? Replacement : Change;
  });

  /** Returns the conditions on the rule as a whole: whether each holds, the message otherwise, and the path of the field. */
  const conditionsOf = (rule: Rule): readonly (readonly [boolean, string, ...string[]])[] => [
    [EFFECTS.some((name) => name in rule), `must have one of ${EFFECTS.join(", ")}`],
    [operations.canApply(rule), "does not have this method and path", "operationId"],
    [
      !("body" in (rule.match ?? {})) || operations.hasJsonBody(rule),
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

  const OneRule = v.pipe(
    NotArray,
    AnyRule,
    v.rawCheck<ParsedRule>(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const { value } = dataset;
      const [, message, ...keys] = conditionsOf(value).find(([holds]) => !holds) ?? [];
      const at = { type: "unknown", origin: "value", input: value, value } as const;
      const [first, ...others] = keys.map((key) => ({ ...at, key }));
      if (message !== undefined) addIssue({ message, ...(first && { path: [first, ...others] }) });
    }),
  );

  // The length is checked first.
  return v.pipe(
    v.array(v.unknown(), expected("an array")),
    v.maxLength(MAX_ITEMS, `must have at most ${MAX_ITEMS} rules`),
    v.array(OneRule),
  );
}
