import * as fc from "fast-check";
import { branchesOf } from "./document.ts";
import type { Schema } from "./document.ts";
import { dateTime, text, url } from "../arbitraries.ts";
import { IMAGE, TARGET } from "./targets.ts";

/** Strings of members that allow less than their schema can say (interface §3 to §5). */
const NARROWER: Readonly<Record<string, fc.Arbitrary<string>>> = {
  photoUrls: url,
  shipDate: dateTime,
  // Random enough that no two are equal.
  username: fc.tuple(text, fc.uuid()).map(([stem, uuid]) => {
    const printable = stem.replaceAll(/\p{Cc}/gu, "");
    return `${printable}${uuid}`;
  }),
};

/** Values that the schema allows, of the member or parameter of this name. */
export function validValue(schema: Schema, name: string): fc.Arbitrary<unknown> {
  return fc.oneof(...branchesOf(schema).map((branch) => ofBranch(branch, name)));
}

function ofBranch(schema: Schema, name: string): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? []].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema, name)));
}

function ofType(type: string, schema: Schema, name: string): fc.Arbitrary<unknown> {
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return integer(schema);
    case "string":
      return string(schema, name);
    case "array":
      return fc.array(validValue(schema.items ?? {}, name), {
        minLength: schema.minItems ?? 0,
        maxLength: 3,
      });
    case "object":
      return object(schema);
    default:
      throw new Error(`no values of the type ${type}`);
  }
}

function integer({
  minimum: min = Number.MIN_SAFE_INTEGER,
  maximum: max = Number.MAX_SAFE_INTEGER,
}: Schema): fc.Arbitrary<number> {
  // An id that is taken would be no valid one of a new resource.
  return fc.integer({ min, max }).filter((value) => value !== TARGET.id);
}

function string({ format, minLength = 0 }: Schema, name: string): fc.Arbitrary<string> {
  if (format === "binary") return fc.constant(IMAGE);
  return NARROWER[name] ?? text.filter(({ length }) => length >= minLength);
}

function object({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, schema]) => [
    name,
    validValue(schema, name),
  ]);
  return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: [...required],
  });
}
