import type { Context, Hono } from "hono";
import type { Schema } from "hono/types";
import { tryDecodeURIComponent } from "hono/utils/url";
import { JSON_TYPE } from "../../http/body.ts";
import type { AppEnv } from "../../http/env.ts";
import { collectOperations, type Operation } from "../../http/operation.ts";

/** The APIs by their base path. */
export type Apis = Readonly<Record<string, Hono<AppEnv, Schema>>>;

/** An operation, with the properties by which rules select it. */
interface SelectableOperation extends Operation {
  /** The base path of its API. */
  readonly base: string;
  readonly pattern: RegExp;
  readonly hasJsonBody: boolean;
}

/** The part of a rule that selects operations. */
interface Selection {
  readonly operationId?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
}

/** Characters that the path of a URL cannot contain, and segments that a client would resolve. */
const NOT_A_PATH = /[{}?#]|\/\.\.?(?:\/|$)/;

/** Decodes each segment of a path as the router does, and escapes it in one canonical way. Drops a slash at the end. */
export const canonicalize = (path: string): string =>
  path
    .split("/")
    .map((segment) => encodeURIComponent(tryDecodeURIComponent(segment).toWellFormed()))
    .join("/")
    .replace(/\/$/, "");

const acceptsMethod = (method: string | undefined, operation: Operation): boolean =>
  method === undefined || method === operation.method || (method === "HEAD" && operation.method === "GET");

/** The operations of the APIs, in the order of their routes. */
export class Operations {
  readonly ids: readonly string[];
  readonly #bases: readonly string[];
  readonly #all: readonly SelectableOperation[];
  /** The operations whose path a rule can name. */
  readonly #withPath: readonly SelectableOperation[];

  /** @param apis the APIs, and the MCP endpoints at "", whose path no rule can name */
  constructor(apis: Apis) {
    this.#bases = Object.keys(apis);
    this.#all = Object.entries(apis).flatMap(([base, { routes }]) =>
      collectOperations(routes).map((operation) => ({
        ...operation,
        base,
        pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
        hasJsonBody: operation.metadata.some(({ body }) => body?.mediaTypes.includes(JSON_TYPE)),
      })),
    );
    this.#withPath = this.#all.filter(({ base }) => base !== "");
    this.ids = [...new Set(this.#all.map(({ operationId }) => operationId))];
  }

  /** Splits a request's path into the base path of its API, such as `/v2`, and the canonical path below it. */
  split(c: Context): readonly [base: string, path: string] {
    const path = canonicalize(new URL(c.req.url).pathname.slice(c.get("mount").length));
    const base = this.#bases.find((each) => `${path}/`.startsWith(`${each}/`)) ?? "";
    return [base, path.slice(base.length)];
  }

  /** Whether a path of a rule is a path of an operation, either literal or as in the documents. */
  hasPath(path: string): boolean {
    if (this.#withPath.some((each) => each.path === path)) return true;
    const literal = canonicalize(path);
    if (NOT_A_PATH.test(path) || NOT_A_PATH.test(literal)) return false;
    return this.#withPath.some(({ pattern }) => pattern.test(literal));
  }

  /** Returns the patterns of a path in the documents by operation ID. */
  findPatterns(template: string): ReadonlyMap<string, RegExp> {
    const found = this.#withPath.filter((each) => each.path === template);
    return new Map(found.map(({ operationId, pattern }) => [operationId, pattern]));
  }

  /** Whether the router can find a rule's operation at the rule's method and path. True for a rule without an operation. */
  canApply(rule: Selection): boolean {
    return rule.operationId === undefined || this.#selected(rule).length > 0;
  }

  /** Whether a rule selects an operation with a JSON body. */
  hasJsonBody(rule: Selection): boolean {
    return this.#selected(rule).some((each) => each.hasJsonBody);
  }

  #selected({ operationId, method, path }: Selection): readonly SelectableOperation[] {
    const literal = path === undefined ? "" : canonicalize(path);
    return this.#all.filter(
      (each) =>
        (operationId ?? each.operationId) === each.operationId &&
        acceptsMethod(method, each) &&
        (path === undefined || path === each.path || each === this.#findAt(each, literal)),
    );
  }

  /** Returns the operation that the router selects for this path, in the API and with the method of the given operation. */
  #findAt({ base, method }: SelectableOperation, path: string): SelectableOperation | undefined {
    return this.#all.find((each) => each.base === base && each.method === method && each.pattern.test(path));
  }
}
