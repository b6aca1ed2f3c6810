// Valid requests of every operation, by the document.
import * as fc from "fast-check";
import { dateTime, text, url } from "../arbitraries.ts";
import { branchesOf } from "./document.ts";
import type { Operation } from "./document.ts";
import type { ParameterObject, Schema } from "../../openapi.ts";
import { IMAGE, MISSING, TARGET } from "./targets.ts";

/** The names and values of a query, values percent-encoded. */
export type Query = readonly (readonly [name: string, value: string])[];

/** A request that nothing is wrong with, in its parts. */
export interface Draft {
  readonly operation: Operation;
  /** Whether what the path names is there. */
  readonly exists: boolean;
  /** Values of the path's parameters, percent-encoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Query;
  /** What the body says; `undefined`: no body. */
  readonly content: unknown;
}

/** A request as it is sent. */
export interface Wire {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in UTF-8, where it is text. */
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
}

/** The parameters of a query that only one value fits. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  username: TARGET.username,
  password: TARGET.password,
};

/** Where the body must name what is there, since the path does not. */
const NAMED_IN_BODY: Readonly<Record<string, object>> = { updatePet: { id: TARGET.id } };

/** Valid requests of an operation. */
export function drafts(operation: Operation): fc.Arbitrary<Draft> {
  const placed = (where: ParameterObject["in"]) =>
    operation.parameters.filter((parameter) => parameter.in === where);
  return fc
    .record({
      exists: operation.path.includes("{")
        ? fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false))
        : fc.constant(true),
      query: fc.tuple(...placed("query").map(queryParameter)),
      content: contentOf(operation),
    })
    .map(({ exists, query, content }) => ({
      operation,
      exists,
      path: Object.fromEntries(placed("path").map(({ name }) => [name, pathValue(name, exists)])),
      query: query.flat(),
      content,
    }));
}

function pathValue(name: string, exists: boolean): string {
  const { id, username, image } = exists ? TARGET : MISSING;
  if (name === "username") return encodeURIComponent(username);
  return name === "name" ? image : String(id);
}

function queryParameter({ name, schema = {}, required }: ParameterObject): fc.Arbitrary<Query> {
  const credential = CREDENTIALS[name];
  const value =
    credential === undefined ? validValue(schema, name) : fc.constant<unknown>(credential);
  const given = value.map((each): Query => [[name, encoded(each)]]);
  return required ? given : fc.oneof(given, fc.constant<Query>([]));
}

/** Items of a list are separated by commas, so their own would separate as well. */
function encoded(value: unknown): string {
  return Array.isArray(value)
    ? value.map((item) => encodeURIComponent(String(item).replaceAll(",", ";"))).join(",")
    : encodeURIComponent(String(value));
}

function contentOf({ id, content }: Operation): fc.Arbitrary<unknown> {
  if (!content) return fc.constant(undefined);
  return validValue(content.schema, "")
    .map((value) => (Array.isArray(value) ? value : { ...(value as object), ...NAMED_IN_BODY[id] }))
    .filter(hasNoTwins);
}

/** No two users of a list may have the same id. */
function hasNoTwins(content: unknown): boolean {
  const ids = (Array.isArray(content) ? content : []).flatMap(
    ({ id }: { id?: number }) => id || [],
  );
  return new Set(ids).size === ids.length;
}

/** The draft as it is sent. */
export function wireOf({ operation, path, query, content }: Draft): Wire {
  const target = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? "");
  const search = query.map((pair) => pair.join("=")).join("&");
  const wire = {
    method: operation.method,
    path: search === "" ? target : `${target}?${search}`,
    headers: {},
  };
  if (!operation.content || content === undefined) return wire;
  const { type } = operation.content;
  const written = WRITERS[type];
  if (!written) throw new Error(`no way to write ${type}`);
  return { ...wire, ...written(content) };
}

/** Names of fields that are sent as files. */
const FILES = new Set(["file"]);
const BOUNDARY = "between-the-fields";

type Writer = (content: unknown) => Pick<Wire, "headers" | "body">;

const writer =
  (type: string, write: (content: unknown) => string): Writer =>
  (content) => ({ headers: { "Content-Type": type }, body: write(content) });

/** The fields of a form that are there. */
const fieldsOf = (content: unknown) =>
  Object.entries(content as Record<string, unknown>).filter(
    (field): field is [string, string] => typeof field[1] === "string",
  );

const WRITERS: Readonly<Record<string, Writer>> = {
  "application/json": writer("application/json", (content) => JSON.stringify(content)),
  "application/x-www-form-urlencoded": writer("application/x-www-form-urlencoded", (content) =>
    new URLSearchParams(fieldsOf(content)).toString(),
  ),
  "multipart/form-data": writer(`multipart/form-data; boundary=${BOUNDARY}`, (content) => {
    const fields = fieldsOf(content).map(([name, value]) => {
      const file = FILES.has(name) ? '; filename="rex.gif"\r\nContent-Type: image/gif' : "";
      return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;
    });
    return `${fields.join("")}--${BOUNDARY}--\r\n`;
  }),
};

/** Strings of members that allow less than their schema can say (interface §3 to §5). */
const NARROWER: Readonly<Record<string, fc.Arbitrary<string>>> = {
  photoUrls: url,
  shipDate: dateTime,
  // Random enough that no two are equal.
  username: fc
    .tuple(text, fc.uuid())
    .map(([stem, uuid]) => `${stem.replaceAll(/\p{Cc}/gu, "")}${uuid}`),
};

/** Values that the schema allows, of the member or parameter of this name. */
export function validValue(schema: Schema, name: string): fc.Arbitrary<unknown> {
  const branches = branchesOf(schema).flatMap((branch) =>
    branch.enum
      ? [fc.constantFrom(...branch.enum)]
      : [branch.type ?? []].flat().map((type) => ofType(type, branch, name)),
  );
  return fc.oneof(...branches);
}

function ofType(type: string, schema: Schema, name: string): fc.Arbitrary<unknown> {
  const { minimum: min, maximum: max, minLength = 0, minItems = 0, required = [] } = schema;
  switch (type) {
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      // An id that is taken would be no valid one of a new resource.
      return fc
        .integer({ min: min ?? Number.MIN_SAFE_INTEGER, max: max ?? Number.MAX_SAFE_INTEGER })
        .filter((value) => value !== TARGET.id);
    case "string":
      if (schema.format === "binary") return fc.constant(IMAGE);
      return NARROWER[name] ?? text.filter(({ length }) => length >= minLength);
    case "array":
      return fc.array(validValue(schema.items ?? {}, name), { minLength: minItems, maxLength: 3 });
    case "object":
      return fc.record(
        Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([member, inner]) => [
            member,
            // Null is as if an optional member were left out.
            required.includes(member)
              ? validValue(inner, member)
              : fc.option(validValue(inner, member), { freq: 8 }),
          ]),
        ),
        { requiredKeys: [...required] },
      );
    default:
      throw new Error(`no values of the type ${type}`);
  }
}
