import type { FieldError } from "../http/errors.ts";
import { fixedFirst, routes, templateOf } from "../routes.ts";
import type { FaultRule } from "./contract.ts";
import type { Aim } from "./rules.ts";

/** What requests of the interface are for, in the order in which they are matched. */
const OPERATIONS = fixedFirst(routes).map(({ method, path, endpoint }) => ({
  operationId: endpoint.operation.id,
  methods: method === "GET" ? ["GET", "HEAD"] : [method],
  template: templateOf(path),
}));

/** What is wrong with rules that no request could meet, and what is near. */
export function missesOf(rules: readonly FaultRule[]): FieldError[] {
  return rules.flatMap((rule, index) => {
    const [member, message] = missOf(rule) ?? [];
    return member && message ? [{ path: `${index}.${member}`, message }] : [];
  });
}

function missOf({ operationId, path, method }: Aim): [keyof Aim, string] | undefined {
  const named = OPERATIONS.filter((one) => [one.operationId, undefined].includes(operationId));
  if (operationId !== undefined && named.length === 0) {
    const ids = OPERATIONS.map((one) => one.operationId);
    return ["operationId", `must be that of an operation, such as ${nearest(operationId, ids)}`];
  }
  const isAt = (below: string) => {
    const template = templateAt(below);
    return named.filter((one) => one.template === template);
  };
  const placed = path === undefined ? named : isAt(path);
  if (path !== undefined && placed.length === 0) {
    const ends = Array.from(path.matchAll(/\//g), ({ index }) => path.slice(index));
    const meant = ends.find((end) => isAt(end).length > 0);
    if (meant !== undefined) {
      return ["path", `must be ${meant}: leave out ${path.slice(0, -meant.length)}`];
    }
    const templates = named.map(({ template }) => template);
    const of = operationId ?? "an operation";
    return ["path", `must be a path of ${of}, such as ${nearest(path, templates)}`];
  }
  const methods = [...new Set(placed.flatMap((one) => one.methods))];
  return method === undefined || methods.includes(method)
    ? undefined
    : ["method", `must be ${methods.join(" or ")}`];
}

/** The path of the document that a path has: itself, if it has a parameter. */
const templateAt = (path: string): string | undefined =>
  path.includes("{")
    ? path
    : OPERATIONS.map(({ template }) => template).find((template) =>
        new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
      );

/** At most three of the names that have the most pairs of letters in common with a name. */
function nearest(name: string, names: readonly string[]): string {
  const pairsOf = (text: string) =>
    new Set(Array.from(text.toLowerCase(), (_, at) => text.toLowerCase().slice(at, at + 2)));
  const given = pairsOf(name);
  const likeness = (other: string) => {
    const pairs = pairsOf(other);
    return pairs.intersection(given).size / pairs.union(given).size;
  };
  const sorted = [...new Set(names)].toSorted((one, other) => likeness(other) - likeness(one));
  return sorted.slice(0, 3).join(", ");
}
