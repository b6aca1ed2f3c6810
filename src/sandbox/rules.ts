import type { Context } from "hono";
import { tryDecodeURIComponent } from "hono/utils/url";
import * as v from "valibot";
import { metadataOf, templateOf } from "../http/operation.ts";
import { MAX_ITEMS, NotArray, expected } from "../http/schemas.ts";
import { v2 } from "../v2.ts";
import { v3 } from "../v3.ts";
import { only } from "./data.ts";

/** The operations of each interface in the order of its routes, with paths as in the documents: `/pet/{petId}`. */
const INTERFACES = [v2, v3].map(({ routes }) =>
  routes.flatMap(({ handler, method, path }) => {
    const { operationId } = metadataOf(handler);
    const template = templateOf(path);
    const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    return operationId === undefined ? [] : [{ operationId, method, template, pattern }];
  }),
);

const OPERATIONS = INTERFACES.flat();

export const OPERATION_IDS = [...new Set(OPERATIONS.map(({ operationId }) => operationId))];

/** A path whose segments are escaped in one way only, as the router decodes them, without a slash at its end. */
const canonical = (path: string): string =>
  path
    .split("/")
    .map((segment) => encodeURIComponent(tryDecodeURIComponent(segment).toWellFormed()))
    .join("/")
    .replace(/\/$/, "");

/** The path of a request below its interface, in its canonical form. */
export const pathBelow = (c: Context): string =>
  canonical(new URL(c.req.url).pathname.slice(c.get("mount").length)).replace(/^\/(?:v2|api\/v3)(?=\/|$)/, "");

/** The operations of a path, which is literal or as in the documents. */
const operationsAt = (path: string) =>
  OPERATIONS.filter(({ template, pattern }) => path === template || pattern.test(canonical(path)));

/** The methods that the path of a request has in its interface, for `Allow`. */
export function methodsAt(c: Context): Set<string> {
  const [ofV2, ofV3] = INTERFACES;
  const operations = c.req.path.startsWith(`${c.get("mount")}/api/v3/`) ? ofV3 : ofV2;
  const found = operations?.filter(({ pattern }) => pattern.test(pathBelow(c))) ?? [];
  return new Set(found.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : method)));
}

/** What a URL cannot have in its path: a parameter, a query, a fragment, or a segment that would be resolved. */
const NO_PATH = /[{}?#]|\/\.\.?(?:\/|$)/;

const isPath = (path: string): boolean =>
  OPERATIONS.some(({ template }) => template === path) ||
  (!NO_PATH.test(path) && !NO_PATH.test(canonical(path)) && operationsAt(path).length > 0);

const between = (least: number, most: number, isInteger = true) =>
  v.pipe(
    v.number(expected("a number")),
    v.check(
      (value) => value >= least && value <= most && (!isInteger || Number.isInteger(value)),
      `must be ${isInteger ? "an integer " : ""}from ${least} to ${most}`,
    ),
  );

const oneOf = <const Option extends string>(options: readonly Option[]) =>
  v.optional(v.picklist(options, `must be one of ${options.join(", ")}`));

const Path = v.pipe(
  v.string(expected("a string")),
  v.check(isPath, "must be a path of an operation, such as /pet/1 or /pet/{petId}, without /v2"),
);

/** Any object as it is: `v.record` would leave out a member such as `constructor`. */
const Patch = v.pipe(
  v.custom<object>(
    (input) => typeof input === "object" && input !== null && !Array.isArray(input),
    expected("an object"),
  ),
  v.check((patch) => isShallow(patch, 32), "must have at most 32 levels"),
);

/** A deeper patch would overflow the stack. */
function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1));
}

// The headers that a rule can set or remove. Nothing that a rule writes may run in a browser, or act on a proxy.

const STANDARD =
  /^(?:content-(?:type|language)|etag|last-modified|cache-control|expires|age|vary|retry-after|allow|accept|deprecation|sunset|ratelimit(?:-policy)?)$/i;

const EXTENSION = /^x-[\w!#$%&'*+.^`|~-]+$/i;

/** Extensions that proxies and browsers act on, or that the service sets. */
const RESERVED =
  /^x-(?:(?:accel|lighttpd|litespeed|reproxy|envoy|appengine|archive|content|frame|forwarded|d1)-|sendfile|request-id$)/i;

const Name = v.pipe(
  v.string(),
  v.check(
    (name) => STANDARD.test(name) || (EXTENSION.test(name) && !RESERVED.test(name)),
    "is not a header that a rule can set",
  ),
);

/** What a header can carry. Workerd drops an empty one. */
export const Printable = v.pipe(
  v.string(expected("a string")),
  v.regex(/^[!-~](?:[ -~]*[!-~])?$/, "must be printable ASCII without spaces at its ends"),
);

const HeaderValue = v.pipe(Printable, v.maxLength(1024, "must have at most 1024 characters"));

/** The headers of a rule by name. `null` removes one. */
const RuleHeaders = v.pipe(
  NotArray,
  v.record(Name, v.nullable(HeaderValue), expected("an object")),
  v.maxEntries(20, "must have at most 20 headers"),
);

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[^"\\,]*"))*$/;

/** Whether a content type is no script and no style, and no page without a body. `null` removes the header. */
function isInert(type: string | null, hasBody: boolean): boolean {
  if (type === null) return true;
  const [essence = ""] = type.split(";");
  const isActive = /script|css|xsl|^multipart\//i.test(essence);
  return MEDIA_TYPE.test(type) && !isActive && (hasBody || !/html|xml/i.test(essence));
}

const members = {
  // Which requests the rule is for: all, if it has none of these.
  operationId: oneOf(OPERATION_IDS),
  method: oneOf(["GET", "HEAD", "POST", "PUT", "DELETE"]),
  path: v.optional(Path),
  /** The most times that it is applied. */
  times: v.optional(between(1, 1_000_000)),
  /** With 3, it is applied to every third of these requests. */
  every: v.optional(between(1, 1_000_000)),
  /** The probability that it is applied. */
  chance: v.optional(between(0, 1, false)),
  // What it does.
  headers: v.optional(RuleHeaders),
  delayMs: v.optional(between(1, 30_000)),
  /** `body`: the connection ends in the middle of the body. `json`: half of the body is all of it. */
  break: oneOf(["body", "json"]),
  /** How many answers it changed. */
  used: v.optional(between(0, Number.MAX_SAFE_INTEGER), 0),
};

/** Changes the real answer. */
const Change = only({
  ...members,
  /** The JSON Merge Patch (RFC 7396) of a success. */
  patch: v.optional(Patch),
});

/** Answers on demand. */
const Demand = only({
  ...members,
  status: between(200, 599),
  body: v.optional(v.string(expected("a string"))),
  retryAfter: v.optional(between(0, 86_400)),
  /** Whether the request is done first. */
  after: v.optional(v.boolean(expected("a boolean"))),
});

/** A rule that makes answers wrong. */
export type Rule = Omit<Partial<v.InferOutput<typeof Demand>> & v.InferOutput<typeof Change>, "used">;

/** A rule as it is kept, with the number of answers that it changed, and for `every` that of the requests that it was for. */
export interface CountedRule {
  readonly rule: Rule;
  used: number;
  matched: number;
}

const EFFECTS = ["status", "patch", "headers", "delayMs", "break"];

/** Whether the operation of a rule, if it names one, has its method, and is what the router finds at its path. */
const canApply = ({ operationId, method, path }: Rule): boolean =>
  operationId === undefined ||
  INTERFACES.some((operations) =>
    operations.some(
      (each) =>
        each.operationId === operationId &&
        (method === undefined || method === each.method || (method === "HEAD" && each.method === "GET")) &&
        (path === undefined ||
          path === each.template ||
          // The first route that fits is taken.
          each === operations.find((one) => one.method === each.method && one.pattern.test(canonical(path)))),
    ),
  );

/** The rules of a sandbox. The length is checked first. */
export const Rules = v.pipe(
  v.array(v.unknown(), expected("an array")),
  v.maxLength(MAX_ITEMS, `must have at most ${MAX_ITEMS} rules`),
  v.array(
    v.pipe(
      NotArray,
      v.lazy((input) => ("status" in Object(input) ? Demand : Change)),
      v.forward(
        v.check((rule) => canApply(rule), "is never at this method and path"),
        ["operationId"],
      ),
      v.check((rule) => EFFECTS.some((name) => name in rule), `must have one of ${EFFECTS.join(", ")}`),
      v.forward(
        v.check(
          // A header may be there twice, in two spellings.
          ({ headers = {}, ...rule }) =>
            Object.entries(headers).every(
              ([name, value]) => !/^content-type$/i.test(name) || isInert(value, "body" in rule),
            ),
          "must be a media type, but no script and no style; HTML, SVG and XML need a body",
        ),
        ["headers", "content-type"],
      ),
    ),
  ),
);

/** Whether a rule is for a request. @param path from `pathBelow` */
export function isFor(rule: Rule, operationId: string | undefined, method: string, path: string): boolean {
  const isGet = rule.method === "GET" && method === "HEAD";
  return (
    (rule.operationId ?? operationId) === operationId &&
    ((rule.method ?? method) === method || isGet) &&
    (rule.path === undefined || canonical(rule.path) === path || isAt(rule.path, operationId, path))
  );
}

/** Whether a request is at a path of the documents: that of its operation, or any that fits if it has none. */
const isAt = (template: string, operationId: string | undefined, path: string): boolean =>
  OPERATIONS.filter((each) => each.template === template).some((each) =>
    operationId === undefined ? each.pattern.test(path) : each.operationId === operationId,
  );
