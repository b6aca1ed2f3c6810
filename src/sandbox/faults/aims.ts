import type { FieldError } from "../../http/errors.ts";
import { fixedFirst, routes, templateOf } from "../../routes.ts";
import type { Route } from "../../routes.ts";
import { routedPath } from "./rules.ts";
import type { Aim } from "./rules.ts";

/** The operations, in the order in which their paths are matched. Made when first needed, so that a Worker starts faster. */
const operations = () => (known ??= fixedFirst(routes).map(aimOf));
let known: readonly ReturnType<typeof aimOf>[] | undefined;

const aimOf = ({ method, path, endpoint }: Route) => ({
  id: endpoint.operation.id,
  methods: method === "GET" ? ["GET", "HEAD"] : [method],
  template: templateOf(path),
});

/** The errors of rules that no request could match, with similar names. */
export function missesOf(aims: readonly Aim[]): FieldError[] {
  return aims.flatMap((aim, index) => {
    const { member, message = "" } = missOf(aim) ?? {};
    return member === undefined ? [] : [{ path: `${index}.${member}`, message }];
  });
}

function missOf({ operationId, path: stated, method }: Aim) {
  const path = stated === undefined ? undefined : routedPath(stated);
  const named = operations().filter(({ id }) => operationId === undefined || id === operationId);
  if (operationId !== undefined && named.length === 0) {
    const ids = operations().map(({ id }) => id);
    const near = nearest(operationId, ids);
    return { member: "operationId", message: `must be that of an operation, such as ${near}` };
  }
  const at = (below: string) => {
    const found = operations().find(({ template }) => matches(below, template));
    return named.filter(({ template }) => template === found?.template);
  };
  const placed = path === undefined ? named : at(path);
  if (path !== undefined && placed.length === 0) {
    const ends = Array.from(path.matchAll(/\//g), ({ index }) => path.slice(index));
    const meant = ends.find((end) => at(end).length > 0);
    const templates = named.map(({ template }) => template);
    const near = nearest(path, templates);
    const message = meant
      ? `must be ${meant}: leave out ${path.slice(0, -meant.length)}`
      : `must be a path of ${operationId ?? "an operation"}, such as ${near}`;
    return { member: "path", message };
  }
  const methods = new Set(placed.flatMap((one) => one.methods));
  return method === undefined || methods.has(method)
    ? undefined
    : { member: "method", message: `must be ${[...methods].join(" or ")}` };
}

/** Whether a path is that of the document, or one without parameters that it stands for. */
const matches = (path: string, template: string) =>
  path === template || new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/{]+")}$`).test(path);

/** At most three names: those that share the most pairs of letters with the given one. */
function nearest(name: string, names: readonly string[]): string {
  const given = pairsOf(name);
  const likeness = (other: string) => {
    const pairs = pairsOf(other);
    return pairs.intersection(given).size / (pairs.size + given.size);
  };
  const sorted = [...new Set(names)].toSorted((one, other) => likeness(other) - likeness(one));
  return sorted.slice(0, 3).join(", ");
}

const pairsOf = (name: string) =>
  new Set(Array.from(name.toLowerCase().matchAll(/.(?=(.?))/g), (pair) => pair.join("")));
