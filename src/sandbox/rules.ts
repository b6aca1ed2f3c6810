import type { Context } from "hono";
import * as v from "valibot";
import { operationIdOf } from "../operation.ts";
import { MAX_ITEMS, NotArray, expected } from "../schemas.ts";
import { v2 } from "../v2/index.ts";
import { v3 } from "../v3/index.ts";
import { onlyMembers } from "./data.ts";
import { faultsOfHeaders } from "./rule-headers.ts";

/** The largest body with rules, in bytes. */
export const MAX_RULES_BYTES = 256 * 1024;

const between = (least: number, most: number) =>
  v.pipe(
    v.number(expected("an integer")),
    v.check(
      (value) => Number.isInteger(value) && value >= least && value <= most,
      `must be an integer from ${least} to ${most}`,
    ),
  );

const oneOf = <const Options extends readonly string[]>(options: Options) =>
  v.picklist(options, `must be one of ${options.join(", ")}`);

/** The most levels of a patch. */
const MAX_DEPTH = 32;

const isShallow = (value: unknown, levels = MAX_DEPTH): boolean =>
  typeof value !== "object" ||
  value === null ||
  (levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1)));

/** Any object as it is: `v.record` would leave out a member such as `constructor`. */
const AnyObject = v.custom<Readonly<Record<string, unknown>>>(
  (input) => typeof input === "object" && input !== null && !Array.isArray(input),
  expected("an object"),
);

const EFFECTS = {
  /** The status of an answer on demand. */
  status: v.optional(between(200, 599)),
  /** The JSON Merge Patch (RFC 7396) of the real success. */
  patch: v.optional(
    v.pipe(
      AnyObject,
      v.check((patch) => isShallow(patch), `must have at most ${MAX_DEPTH} levels`),
    ),
  ),
  /** Set on the answer. `null` removes a header. */
  headers: v.optional(AnyObject),
  delayMs: v.optional(between(1, 30_000)),
  /** `body`: the connection ends in the middle of the body. `json`: half of the body is all of it. */
  break: v.optional(oneOf(["body", "json"])),
};

const EFFECT_NAMES = Object.keys(EFFECTS) as (keyof typeof EFFECTS)[];

const Members = v.strictObject(
  {
    // Which requests the rule is for. Without these, it is for all.
    operationId: v.optional(v.string(expected("a string"))),
    method: v.optional(oneOf(["GET", "HEAD", "POST", "PUT", "DELETE"])),
    /** Below `/v2` and `/api/v3`: `/pet/1`, or `/pet/{petId}` as in the documents. */
    path: v.optional(
      v.pipe(v.string(expected("a string")), v.regex(/^\/[^?#]*$/, "must begin with /")),
    ),
    /** How often the rule is applied, at most. */
    times: v.optional(between(1, 1_000_000)),
    /** With 3, it is applied to each third of these requests. */
    every: v.optional(between(1, 1_000_000)),
    /** The probability that it is applied. */
    chance: v.optional(
      v.pipe(
        v.number(expected("a number")),
        v.check((chance) => chance >= 0 && chance <= 1, "must be from 0 to 1"),
      ),
    ),
    ...EFFECTS,
    // More about an answer on demand.
    body: v.optional(v.string(expected("a string"))),
    retryAfter: v.optional(between(0, 86_400)),
    /** Whether the request is done first. */
    after: v.optional(v.boolean(expected("a boolean"))),
    /** How often the rule was applied. */
    used: v.optional(between(0, Number.MAX_SAFE_INTEGER), 0),
  },
  onlyMembers,
);

/** A rule that makes answers of a sandbox wrong. */
export type Rule = Omit<v.InferOutput<typeof Members>, "used">;

/** A rule as it is kept. */
export interface CountedRule {
  readonly rule: Rule;
  /** How often it was applied. */
  used: number;
  /** The number of requests that it was for. */
  met: number;
}

const at = (input: Readonly<Record<string, unknown>>, key: string): v.ObjectPathItem => ({
  type: "object",
  origin: "value",
  input,
  key,
  value: input[key],
});

const Rule = v.pipe(
  NotArray,
  Members,
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const rule = dataset.value;
    const { headers = {} } = rule;
    if (EFFECT_NAMES.every((name) => rule[name] === undefined)) {
      addIssue({ message: `must have one of ${EFFECT_NAMES.join(", ")}` });
    }
    for (const [member, message] of faultsOf(rule)) addIssue({ message, path: [at(rule, member)] });
    for (const [name, message] of faultsOfHeaders(headers, rule.body !== undefined)) {
      addIssue({ message, path: [at(rule, "headers"), at(headers, name)] });
    }
  }),
);

export const Rules = v.pipe(
  v.array(v.unknown(), expected("an array")),
  v.maxLength(MAX_ITEMS, `must have at most ${MAX_ITEMS} rules`),
  v.array(Rule),
);

/** Statuses whose answers have no body (RFC 9110). */
export const BODILESS = [204, 205, 304];

/** Members that fit neither the others nor the interfaces. */
function* faultsOf(rule: Rule): Generator<[member: keyof Rule, message: string]> {
  const { body, operationId, patch, path, status } = rule;
  if (status === undefined) {
    for (const member of ["body", "retryAfter", "after"] as const) {
      if (rule[member] !== undefined) yield [member, "needs a status"];
    }
  } else {
    if (patch) yield ["patch", "is for the real answer: it needs a rule without a status"];
    if (body && BODILESS.includes(status)) yield ["body", "is not sent with this status"];
  }
  if (operationId !== undefined && OPERATIONS.every((each) => each.operationId !== operationId)) {
    const ids = new Set(OPERATIONS.map((each) => each.operationId));
    yield ["operationId", `must be one of ${[...ids].join(", ")}`];
  }
  if (path !== undefined && OPERATIONS.every((operation) => !isPathOf(operation, path))) {
    yield ["path", "must be a path of an operation, such as /pet/1 or /pet/{petId}, without /v2"];
  }
}

interface Operation {
  readonly operationId: string;
  readonly method: string;
  /** As in the documents: `/pet/{petId}`. */
  readonly template: string;
}

/** The operations of both interfaces. */
const OPERATIONS: readonly Operation[] = [...v2.routes, ...v3.routes].flatMap(
  ({ handler, method, path }) => {
    const operationId = operationIdOf(handler);
    const template = path.replaceAll(/:(\w+)/g, "{$1}").replace(/\/$/, "");
    return operationId === undefined ? [] : [{ operationId, method, template }];
  },
);

const isPathOf = ({ template }: Operation, path: string): boolean =>
  path === template ||
  (!path.includes("{") && new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`).test(path));

/** The methods of a path, for `Allow`. */
export function methodsOf(path: string): string[] {
  const methods = OPERATIONS.filter((operation) => isPathOf(operation, path)).flatMap(
    ({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]),
  );
  return [...new Set(methods)];
}

/** What rules look at in a request. */
interface Facts {
  readonly operationId: string | undefined;
  readonly method: string;
  /** From `pathOfRequest`. */
  readonly path: string;
}

/** Whether a rule is for a request. */
export function isFor(rule: Rule, { operationId, method, path }: Facts): boolean {
  const isGet = rule.method === "GET" && method === "HEAD";
  return (
    (rule.operationId ?? operationId) === operationId &&
    ((rule.method ?? method) === method || isGet) &&
    (rule.path === undefined ||
      escaped(rule.path) === path ||
      OPERATIONS.some((each) => each.operationId === operationId && each.template === rule.path))
  );
}

/** The path of a request below its interface, escaped as in its URL. */
export const pathOfRequest = (c: Context): string =>
  escaped(new URL(c.req.url).pathname.replace(/^\/sandboxes\/[^/]+\/(?:v2|api\/v3)(?=\/|$)/, ""));

/** A path as URLs have it, however it is escaped, without a slash at its end. */
const escaped = (path: string): string => new URL(`http://x${path}`).pathname.replace(/\/$/, "");
