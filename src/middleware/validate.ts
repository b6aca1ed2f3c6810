import type { Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import { validator } from "hono/validator";
import * as v from "valibot";
import type { AppEnv } from "../env.ts";
import { ApiError, fieldErrors, type FieldError, type Refusal } from "../errors.ts";

/** The refusal of an invalid input, or a function that chooses it by the faults. */
type Invalid = Refusal | ((errors: readonly FieldError[]) => Refusal);

const refuse = (invalid: Invalid, errors: readonly FieldError[]) =>
  new ApiError(typeof invalid === "function" ? invalid(errors) : invalid, errors);

/** Validates an input. @param whole how a fault of all of it is named */
function valid<Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  invalid: Invalid,
  whole: string,
): v.InferOutput<Schema> {
  // One issue a field: the checks after a failed one would only repeat it.
  const result = v.safeParse(schema, input, { abortPipeEarly: true });
  if (!result.success) throw refuse(invalid, fieldErrors(result.issues, whole));
  return result.output;
}

/** Validates the parameters of a path. */
export function param<const Entries extends v.ObjectEntries>(entries: Entries, invalid: Refusal) {
  const schema = v.object(entries);
  return validator("param", (params) => valid(schema, params, invalid, "path"));
}

/** Validates the parameters of a query. Each has all its values, because it may be repeated. */
export function query<const Entries extends v.ObjectEntries>(entries: Entries, invalid: Refusal) {
  const schema = v.object(entries);
  return validator("query", (params) => valid(schema, byName(params), invalid, "query"));
}

/** The values of each parameter. `status[]` and `status[0]` mean `status`: axios sends lists so. */
function byName(params: Record<string, string | string[]>): Record<string, string[]> {
  const values: Record<string, string[]> = Object.create(null);
  for (const [name, value] of Object.entries(params)) {
    (values[name.replace(/\[\d*\]$/, "")] ??= []).push(...[value].flat());
  }
  return values;
}

/** 413. */
export const tooLarge = (most: number) => new ApiError([413, `More than ${most} bytes`]);

/** Refuses a body that is larger, in bytes. */
export const limitBody = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw tooLarge(maxSize);
    },
  });

/** The largest body with one pet, order or user, in bytes. */
export const SMALL_BODY = 16 * 1024;
export const smallBody = limitBody(SMALL_BODY);

/** The largest body with an array of users, in bytes. */
export const LARGE_BODY = 256 * 1024;
export const largeBody = limitBody(LARGE_BODY);

/** The media type of a body without its parameters, in lower case; "" if none is stated. */
const mediaTypeOf = (c: Context): string =>
  (c.req.header("Content-Type") ?? "").replace(/;.*$/s, "").trim().toLowerCase();

/** Refuses a body in another media type than the accepted ones, or compressed. @throws ApiError 415 */
function checkMediaType(c: Context, isAccepted: boolean, accepted: string): void {
  if (!isAccepted) {
    const message = `must be ${accepted}, not ${c.req.header("Content-Type") ?? "none"}`;
    throw new ApiError([415, "Unsupported media type", { Accept: accepted }], [{ path: "Content-Type", message }]);
  }
  const coding = c.req.header("Content-Encoding") || "identity";
  if (coding.toLowerCase() !== "identity") {
    throw new ApiError(
      [415, "Unsupported media type", { "Accept-Encoding": "identity" }],
      [{ path: "Content-Encoding", message: "must be identity" }],
    );
  }
}

/**
 * Validates a JSON body. Hono's own validator would take `{}` for a body of another media type, and answer 400 to
 * malformed JSON, which is 405 for a pet.
 */
export const json = <Schema extends v.GenericSchema>(schema: Schema, invalid: Invalid) =>
  createMiddleware<AppEnv, string, { in: { json: v.InferInput<Schema> }; out: { json: v.InferOutput<Schema> } }>(
    async (c, next) => {
      const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(c.req.header("Content-Type") ?? "")?.[1];
      const isJson = ["", "application/json"].includes(mediaTypeOf(c)) && /^utf-?8$/i.test(charset ?? "utf-8");
      checkMediaType(c, isJson, "application/json");
      const bytes = await c.req.arrayBuffer();
      const input = parse(bytes);
      if (input === undefined) {
        throw refuse(invalid, [
          { path: "body", message: bytes.byteLength === 0 ? "is empty" : "is not JSON in UTF-8" },
        ]);
      }
      c.req.addValidatedData("json", valid(schema, input, invalid, "body") as object);
      await next();
    },
  );

/** Keeps a byte order mark, which is no part of JSON. */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The value of JSON text in UTF-8; `undefined` if it is none. */
function parse(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch {
    return undefined;
  }
}

export const MULTIPART = "multipart/form-data";
export const URLENCODED = "application/x-www-form-urlencoded";

/**
 * Validates a form. Hono's own validator would take an empty form for a body of another media type.
 * @param types the media types that the operation takes
 */
export const form = <Schema extends v.GenericSchema>(
  schema: Schema,
  invalid: Refusal,
  types: readonly string[] = [URLENCODED, MULTIPART],
) =>
  createMiddleware<AppEnv, string, { in: { form: v.InferInput<Schema> }; out: { form: v.InferOutput<Schema> } }>(
    async (c, next) => {
      checkMediaType(c, types.includes(mediaTypeOf(c)), types.join(", "));
      const data = await c.req.formData().catch(() => {
        throw refuse(invalid, [{ path: "body", message: "is not a form" }]);
      });
      const input = Object.fromEntries(data);
      c.req.addValidatedData("form", valid(schema, input, invalid, "body") as object);
      await next();
    },
  );

/** Media types of forms and objects: a client that sends one does not mean to send a file. */
const NO_FILE = /^(?:multipart\/.*|application\/x-www-form-urlencoded|.*[/+](?:json|xml))$/;

/** Refuses a body whose media type says that it is a form or an object. SVG counts as an image. */
export const fileBody = createMiddleware<AppEnv>(async (c, next) => {
  const type = mediaTypeOf(c);
  checkMediaType(c, !NO_FILE.test(type) || type === "image/svg+xml", "application/octet-stream, image/*");
  await next();
});
