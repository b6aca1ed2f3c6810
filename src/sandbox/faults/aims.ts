import { getPath } from "hono/utils/url";
import type { FieldError } from "../../http/errors.ts";
import { routes, templateOf } from "../../routes.ts";
import type { Route } from "../../routes.ts";
import type { FaultRule } from "./contract.ts";

/** Which requests a rule is for. */
type Aim = Pick<FaultRule, "operationId" | "method" | "path">;

/** What rules look at in a request. */
export interface RequestFacts {
  readonly operationId: string | undefined;
  readonly method: string;
  /** Below the base path. */
  readonly path: string;
  /** The same with the names of the parameters: `/pet/{petId}`. */
  readonly template: string;
}

/** A path of a rule as the router reads one of a request. */
const routedPath = (path: string): string =>
  // Most paths have neither an escape nor a dot segment.
  /^[\w/{}-]*$/.test(path) ? path : getPath(new Request(`http://sandbox${path}`));

/** Whether a rule is for a request. */
export function isFor({ operationId, method, path }: Aim, facts: RequestFacts): boolean {
  return (
    (operationId === undefined || operationId === facts.operationId) &&
    (method === undefined || method === facts.method) &&
    (path === undefined || [facts.path, facts.template].includes(routedPath(path)))
  );
}

/** The operations, in the order in which their paths are matched. Made when first needed, so that a Worker starts faster. */
const operations = () => (known ??= routes.map(operationOf));
let known: readonly ReturnType<typeof operationOf>[] | undefined;

function operationOf({ method, path, endpoint }: Route) {
  const template = templateOf(path);
  return {
    id: endpoint.operation.id,
    methods: method === "GET" ? ["GET", "HEAD"] : [method],
    template,
    // Not a path with `{`: it must equal the template.
    pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/{]+")}$`),
  };
}

/** The errors of rules that no request could match. */
export const missesOf = (aims: readonly Aim[]): FieldError[] =>
  aims.flatMap((aim, index) => {
    const miss = missOf(aim);
    return miss ? [{ ...miss, path: `${index}.${miss.path}` }] : [];
  });

function missOf({ operationId, path: stated, method }: Aim): FieldError | undefined {
  const named = operations().filter(({ id }) => operationId === undefined || id === operationId);
  if (named.length === 0) {
    const ids = routes.map(({ endpoint }) => endpoint.operation.id);
    return { path: "operationId", message: `must be one of ${ids.join(", ")}` };
  }
  const path = stated === undefined ? undefined : routedPath(stated);
  const placed = path === undefined ? named : at(path, named);
  if (path !== undefined && placed.length === 0) {
    const ends = Array.from(path.matchAll(/\//g), ({ index }) => path.slice(index));
    const meant = ends.find((end) => at(end, named).length > 0);
    const templates = new Set(named.map(({ template }) => template));
    const message = meant
      ? `must be ${meant}: leave out ${path.slice(0, -meant.length)}`
      : `must be a path of ${operationId ?? "an operation"}: ${[...templates].join(", ")}`;
    return { path: "path", message };
  }
  const methods = new Set(placed.flatMap((operation) => operation.methods));
  return method === undefined || methods.has(method)
    ? undefined
    : { path: "method", message: `must be ${[...methods].join(" or ")}` };
}

/** The named operations that a path matches. */
function at(path: string, named: ReturnType<typeof operations>) {
  const found = operations().find(
    ({ template, pattern }) => path === template || pattern.test(path),
  );
  return named.filter(({ template }) => template === found?.template);
}
