import type { Context, Hono } from "hono";
import type { Schema } from "hono/types";
import { tryDecodeURIComponent } from "hono/utils/url";
import { JSON_TYPE } from "../http/body.ts";
import type { AppEnv } from "../http/env.ts";
import { metadataOf, templateOf } from "../http/operation.ts";

/** The APIs by their base path. */
export type Apis = Readonly<Record<string, Hono<AppEnv, Schema>>>;

interface Operation {
  /** The base path of its API. */
  readonly base: string;
  readonly operationId: string;
  readonly method: string;
  /** The path as in the documents: `/pet/{petId}`. */
  readonly template: string;
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

/** Escapes each segment of a path in one way, and decodes it as the router does. Drops a slash at the end. */
export const canonical = (path: string): string =>
  path
    .split("/")
    .map((segment) => encodeURIComponent(tryDecodeURIComponent(segment).toWellFormed()))
    .join("/")
    .replace(/\/$/, "");

const methodFits = (method: string | undefined, operation: Operation): boolean =>
  method === undefined || method === operation.method || (method === "HEAD" && operation.method === "GET");

/** The operations of the APIs, in the order of their routes. */
export class Operations {
  readonly ids: readonly string[];
  readonly #bases: readonly string[];
  readonly #all: readonly Operation[];

  constructor(apis: Apis) {
    this.#bases = Object.keys(apis);
    this.#all = Object.entries(apis).flatMap(([base, { routes }]) => operationsOf(base, routes));
    this.ids = [...new Set(this.#all.map(({ operationId }) => operationId))];
  }

  /** Splits a request's path into the base path of its API, such as `/v2`, and the canonical path below it. */
  split(c: Context): readonly [base: string, path: string] {
    const path = canonical(new URL(c.req.url).pathname.slice(c.get("mount").length));
    const base = this.#bases.find((each) => `${path}/`.startsWith(`${each}/`)) ?? "";
    return [base, path.slice(base.length)];
  }

  /** Returns the methods of a request's path, for `Allow`. */
  methodsAt(c: Context): readonly string[] {
    const [base, path] = this.split(c);
    const methods = this.#all
      .filter((each) => each.base === base && each.pattern.test(path))
      .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : method));
    return [...new Set(methods)];
  }

  /** Whether a path of a rule is a path of an operation, either literal or as in the documents. */
  hasPath(path: string): boolean {
    if (this.#all.some(({ template }) => template === path)) return true;
    const literal = canonical(path);
    if (NOT_A_PATH.test(path) || NOT_A_PATH.test(literal)) return false;
    return this.#all.some(({ pattern }) => pattern.test(literal));
  }

  /** Returns the patterns of a path in the documents by operation ID. */
  patternsOf(template: string): ReadonlyMap<string, RegExp> {
    const found = this.#all.filter((each) => each.template === template);
    return new Map(found.map(({ operationId, pattern }) => [operationId, pattern]));
  }

  /** Whether a rule without an operation, or with one that the router can find at the rule's method and path, can apply. */
  canApply({ operationId, method, path }: Selection): boolean {
    return operationId === undefined || this.#selected({ operationId, method, path }).length > 0;
  }

  /** Whether a rule selects an operation with a JSON body. */
  hasJsonBody(selection: Selection): boolean {
    return this.#selected(selection).some((each) => each.hasJsonBody);
  }

  #selected({ operationId, method, path }: Selection): readonly Operation[] {
    const literal = path === undefined ? "" : canonical(path);
    return this.#all.filter(
      (each) =>
        (operationId ?? each.operationId) === each.operationId &&
        methodFits(method, each) &&
        (path === undefined || path === each.template || each === this.#route(each, literal)),
    );
  }

  /** Returns the operation that the router finds at a path, in the API and with the method of another operation. */
  #route({ base, method }: Operation, path: string): Operation | undefined {
    return this.#all.find((each) => each.base === base && each.method === method && each.pattern.test(path));
  }
}

type Routes = Apis[string]["routes"];

function operationsOf(base: string, routes: Routes): Operation[] {
  const hasJsonBody = (method: string, path: string) =>
    routes.some(
      (route) =>
        route.method === method &&
        route.path === path &&
        metadataOf(route.handler).body?.mediaTypes.includes(JSON_TYPE) === true,
    );
  return routes.flatMap(({ handler, method, path }) => {
    const { operationId } = metadataOf(handler);
    if (operationId === undefined) return [];
    const template = templateOf(path);
    const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    return [{ base, operationId, method, template, pattern, hasJsonBody: hasJsonBody(method, path) }];
  });
}
