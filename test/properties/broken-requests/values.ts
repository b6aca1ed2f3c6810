import * as fc from "fast-check";
import { branchesOf } from "./document.ts";
import type { Schema } from "./document.ts";
import { IMAGE, TARGET } from "./targets.ts";

/** Any characters but U+0000. */
const text = fc
  .oneof(
    { weight: 4, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
    { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 20 }) },
    { weight: 1, arbitrary: fc.constantFrom("", " ", "null", "'; drop table pets; --", "a,b") },
  )
  .map((any) => any.replaceAll("\0", ""));

const pad = (value: number) => String(value).padStart(2, "0");

/** Strings of members that allow less than their schema can say (interface §3 to §5). */
const NARROWER: Readonly<Record<string, fc.Arbitrary<string>>> = {
  photoUrls: fc.oneof(
    fc.webUrl().filter((url) => !url.includes(",")),
    fc.constantFrom("string", "a.png", "../b.gif", "https://pets.example/é.png"),
  ),
  shipDate: fc
    .tuple(
      fc.date({
        min: new Date("0001-01-01T00:00:00Z"),
        max: new Date("9999-12-31T23:59:59Z"),
        noInvalidDate: true,
      }),
      fc.constantFrom("", ".5", ".123456789"),
      fc.oneof(
        fc.constantFrom("", "Z", "+0000"),
        fc.tuple(fc.nat(23), fc.nat(59)).map(([hour, minute]) => `-${pad(hour)}:${pad(minute)}`),
      ),
    )
    .map(([date, fraction, zone]) => `${date.toISOString().slice(0, 19)}${fraction}${zone}`),
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
