import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type * as v from "valibot";
import type { AppEnv } from "./env.ts";
import { ApiError, type Refusal } from "./errors.ts";
import { stating } from "./operation.ts";
import { valid, type ByMember } from "./validate.ts";

/** The media type of a body without its parameters, in lower case; "" if none is stated. */
const mediaTypeOf = (contentType = ""): string => (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();

/** 415. */
export const unsupported = (accepted: string) => [415, "Unsupported media type", { Accept: accepted }] as const;
const COMPRESSED = [415, "Unsupported media type", { "Accept-Encoding": "identity" }] as const;

/** Refuses a body in another media type than the accepted ones, or compressed. @throws ApiError 415 */
function checkMediaType(c: Context, isAccepted: boolean, accepted: string): void {
  if (!isAccepted) {
    const message = `must be ${accepted}, not ${c.req.header("Content-Type") ?? "none"}`;
    throw new ApiError(unsupported(accepted), [{ path: "Content-Type", message }]);
  }
  const coding = c.req.header("Content-Encoding") || "identity";
  if (coding.toLowerCase() !== "identity") {
    throw new ApiError(COMPRESSED, [{ path: "Content-Encoding", message: "must be identity" }]);
  }
}

export const JSON_TYPE = "application/json";

/** Whether a body is JSON in UTF-8 by its header. If that comes twice, as from Postman, a comma joins its values. */
function isJson(c: Context): boolean {
  const values = (c.req.header("Content-Type") ?? "").match(/(?:"[^"]*"|[^,"])+/g) ?? [];
  return values.every((value) => {
    const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(value)?.[1];
    return ["", JSON_TYPE].includes(mediaTypeOf(value)) && /^utf-?8$/i.test(charset ?? "utf-8");
  });
}

/** Refuses a body that is not JSON by its header. @throws ApiError 415 */
export const checkJson = (c: Context): void => checkMediaType(c, isJson(c), JSON_TYPE);

/**
 * Validates a JSON body. Hono's own validator would take `{}` for a body of another media type, and answer 400 to
 * malformed JSON, which is 405 for a pet.
 */
export const json = <Schema extends v.GenericSchema>(schema: Schema, invalid: Refusal, byMember: ByMember = {}) =>
  stating(
    {
      body: { mediaTypes: [JSON_TYPE], schema },
      refusals: [unsupported(JSON_TYPE), COMPRESSED, ...Object.values(byMember), invalid],
    },
    createMiddleware<AppEnv, string, { in: { json: v.InferInput<Schema> }; out: { json: v.InferOutput<Schema> } }>(
      async (c, next) => {
        checkJson(c);
        const bytes = await c.req.arrayBuffer();
        const input = parse(bytes);
        if (input === undefined) {
          const message = bytes.byteLength === 0 ? "is empty" : "is not JSON in UTF-8";
          throw new ApiError(byMember["body"] ?? invalid, [{ path: "body", message }]);
        }
        c.req.addValidatedData("json", valid(schema, input, invalid, "body", byMember) as object);
        await next();
      },
    ),
  );

/** Drops a byte order mark, as RFC 8259 allows (section 8.1). */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** The value of JSON text in UTF-8; `undefined` if it is none. */
function parse(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch {
    return undefined;
  }
}

export const MULTIPART = "multipart/form-data";
const URLENCODED = "application/x-www-form-urlencoded";

/**
 * Validates a form. Hono's own validator would take an empty form for a body of another media type.
 * @param mediaTypes those that the operation takes
 */
export const form = <Schema extends v.GenericSchema & { readonly entries: v.ObjectEntries }>(
  schema: Schema,
  invalid: Refusal,
  mediaTypes: readonly string[] = [URLENCODED, MULTIPART],
) => {
  const accepted = mediaTypes.join(", ");
  return stating(
    { body: { mediaTypes, schema }, refusals: [unsupported(accepted), COMPRESSED, invalid] },
    createMiddleware<AppEnv, string, { in: { form: v.InferInput<Schema> }; out: { form: v.InferOutput<Schema> } }>(
      async (c, next) => {
        const contentType = c.req.header("Content-Type") ?? "";
        const type = mediaTypeOf(contentType);
        checkMediaType(c, mediaTypes.includes(type), accepted);
        const data = await c.req.formData().catch((error: unknown) => {
          if (error instanceof ApiError) throw error;
          const lacksBoundary = type === MULTIPART && !/;\s*boundary\s*=\s*"?[^\s;"]/i.test(contentType);
          const fault = lacksBoundary
            ? { path: "Content-Type", message: "must have a boundary" }
            : { path: "body", message: "is not a form" };
          throw new ApiError(invalid, [fault]);
        });
        const repeated = Object.keys(schema.entries)
          .filter((path) => data.getAll(path).length > 1)
          .map((path) => ({ path, message: "must be given once" }));
        if (repeated.length > 0) throw new ApiError(invalid, repeated);
        c.req.addValidatedData("form", valid(schema, Object.fromEntries(data), invalid, "body") as object);
        await next();
      },
    ),
  );
};

/** Media types of forms and objects: a client that sends one does not mean to send a file. */
const NO_FILE = /^(?:multipart\/.*|application\/x-www-form-urlencoded|.*[/+](?:json|xml))$/;

const FILES = "application/octet-stream, image/*";

/** Refuses a body whose media type says that it is a form or an object. SVG counts as an image. */
export const fileBody = stating(
  { body: { mediaTypes: ["application/octet-stream"] }, refusals: [unsupported(FILES), COMPRESSED] },
  createMiddleware<AppEnv>(async (c, next) => {
    const type = mediaTypeOf(c.req.header("Content-Type"));
    checkMediaType(c, !NO_FILE.test(type) || type === "image/svg+xml", FILES);
    await next();
  }),
);
