import { branchesOf, typesOf } from "./document.ts";
import type { Schema } from "./document.ts";

/** A step into an array: to its first item. */
const ITEM = Symbol("item");

type Step = string | typeof ITEM;

/** A value in a body, there or not. */
export interface Place {
  /** The member it is, or is an item of; empty for the whole body. */
  readonly name: string;
  readonly steps: readonly Step[];
  readonly required: boolean;
  readonly types: ReadonlySet<string>;
  readonly branches: readonly Schema[];
}

/** Every place that a schema has. */
export function placesOf(schema: Schema, place?: Partial<Place>): readonly Place[] {
  const { name = "", steps = [], required = true } = place ?? {};
  const branches = branchesOf(schema);
  const here = { name, steps, required, types: new Set(typesOf(schema)), branches };
  const within = branches.flatMap(({ items, properties = {}, required: names = [] }) => [
    ...(items ? placesOf(items, { name, steps: [...steps, ITEM] }) : []),
    ...Object.entries(properties).flatMap(([member, inner]) =>
      placesOf(inner, {
        name: member,
        steps: [...steps, member],
        required: names.includes(member),
      }),
    ),
  ]);
  return [here, ...within];
}

/** The form of a place that is of a type. */
export function branchOf({ branches }: Place, type: string): Schema {
  return branches.find(({ type: types = [] }) => types.includes(type)) ?? {};
}

const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** The value with another one at a place; what is missing on the way is made. */
export function withAt(
  value: unknown,
  [step, ...rest]: readonly Step[],
  change: (present: unknown) => unknown,
): unknown {
  if (step === undefined) return change(value);
  if (step === ITEM) {
    const [first, ...others] = isArray(value) ? value : [];
    return [withAt(first, rest, change), ...others];
  }
  const members = membersOf(value);
  return { ...members, [step]: withAt(members[step], rest, change) };
}

/** The members of an object; none of anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && !isArray(value)
    ? ((value as Readonly<Record<string, unknown>> | null) ?? {})
    : {};
}
