import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type * as v from "valibot";
import type { AppEnv } from "./env.ts";
import { ApiError, type ErrorSpec } from "./errors.ts";
import { withMetadata } from "./operation.ts";
import { SMALL_BODY, checkLength, readBody, tooLarge } from "./read-body.ts";
import { hasUtf8Escapes, parseOrThrow, type ErrorsByField } from "./validate.ts";

/** Returns the media type of a body without parameters, in lower case; "" if there is no `Content-Type`. */
const parseMediaType = (contentType = ""): string => (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();

/** Returns a 415. */
export const unsupported = (accepted: string) => [415, "Unsupported media type", { Accept: accepted }] as const;
const COMPRESSED = [415, "Unsupported media type", { "Accept-Encoding": "identity" }] as const;

/** Rejects a body whose media type is not accepted, or that is compressed. Throws `ApiError` 415. */
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

/** Whether `Content-Type` allows JSON in UTF-8. If the header is sent twice, as by Postman, a comma joins its values. */
function isJson(c: Context): boolean {
  const values = (c.req.header("Content-Type") ?? "").match(/(?:"[^"]*"|[^,"])+/g) ?? [];
  return values.every((value) => {
    const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(value)?.[1];
    return ["", JSON_TYPE].includes(parseMediaType(value)) && /^utf-?8$/i.test(charset ?? "utf-8");
  });
}

/** Rejects a body whose `Content-Type` is not JSON. Throws `ApiError` 415. */
export const checkJson = (c: Context): void => checkMediaType(c, isJson(c), JSON_TYPE);

interface JsonOptions {
  /** The maximum size in bytes. */
  readonly limit?: number;
  readonly byField?: ErrorsByField;
}

/**
 * Validates a JSON body. Hono's validator treats a body of another media type as `{}`, and returns 400 for malformed JSON,
 * where a pet requires 405.
 */
export const json = <Schema extends v.GenericSchema>(
  schema: Schema,
  invalid: ErrorSpec,
  { limit = SMALL_BODY, byField = {} }: JsonOptions = {},
) =>
  withMetadata(
    {
      body: { mediaTypes: [JSON_TYPE], schema, limit },
      errors: [tooLarge(limit), unsupported(JSON_TYPE), COMPRESSED, ...Object.values(byField), invalid],
    },
    createMiddleware<AppEnv, string, { in: { json: v.InferInput<Schema> }; out: { json: v.InferOutput<Schema> } }>(
      async (c, next) => {
        checkLength(c, limit);
        checkJson(c);
        const malformed = byField["body"] ?? invalid;
        const bytes = await readBody(c, limit, malformed);
        const input = parseJson(bytes);
        if (input === undefined) {
          const message = bytes.byteLength === 0 ? "is empty" : "is not JSON in UTF-8";
          throw new ApiError(malformed, [{ path: "body", message }]);
        }
        c.req.addValidatedData("json", parseOrThrow(schema, input, invalid, "body", byField) as object);
        await next();
      },
    ),
  );

/** Drops a byte order mark, as RFC 8259, section 8.1, allows. */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** Decodes UTF-8. Returns `undefined` if it is not valid. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Parses JSON in UTF-8. Returns `undefined` if it is not valid. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch {
    return undefined;
  }
}

export const MULTIPART = "multipart/form-data";
const URLENCODED = "application/x-www-form-urlencoded";

interface FormOptions {
  /** The accepted media types. */
  readonly mediaTypes?: readonly string[];
  /** The maximum size in bytes. */
  readonly limit?: number;
  /** The error of a larger form. */
  readonly tooLarge?: ErrorSpec;
}

/** Validates a form. Hono's validator treats a body of another media type as an empty form. */
export const form = <Schema extends v.GenericSchema & { readonly entries: v.ObjectEntries }>(
  schema: Schema,
  invalid: ErrorSpec,
  { mediaTypes = [URLENCODED, MULTIPART], limit = SMALL_BODY, tooLarge: large = tooLarge(limit) }: FormOptions = {},
) => {
  const accepted = mediaTypes.join(", ");
  return withMetadata(
    { body: { mediaTypes, schema }, errors: [large, unsupported(accepted), COMPRESSED, invalid] },
    createMiddleware<AppEnv, string, { in: { form: v.InferInput<Schema> }; out: { form: v.InferOutput<Schema> } }>(
      async (c, next) => {
        checkLength(c, limit, large);
        const contentType = c.req.header("Content-Type") ?? "";
        checkMediaType(c, mediaTypes.includes(parseMediaType(contentType)), accepted);
        const bytes = await readBody(c, limit, invalid, large);
        const data = await parseForm(bytes, contentType, invalid);
        const repeated = Object.keys(schema.entries)
          .filter((path) => data.getAll(path).length > 1)
          .map((path) => ({ path, message: "must be given once" }));
        if (repeated.length > 0) throw new ApiError(invalid, repeated);
        c.req.addValidatedData("form", parseOrThrow(schema, Object.fromEntries(data), invalid, "body") as object);
        await next();
      },
    ),
  );
};

/**
 * Parses a form. The runtime's `formData()` replaces bytes that are not UTF-8, and drops a `%` that is not part of an escape.
 * @throws ApiError `invalid` if the form is malformed
 */
async function parseForm(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
  invalid: ErrorSpec,
): Promise<FormData | URLSearchParams> {
  if (parseMediaType(contentType) === URLENCODED) {
    const text = decodeUtf8(bytes);
    // `URLSearchParams` would drop a question mark at the beginning.
    if (text !== undefined && hasUtf8Escapes(text)) return new URLSearchParams(`&${text}`);
    throw new ApiError(invalid, [{ path: "body", message: "is not UTF-8" }]);
  }
  const data = await parseMultipart(bytes, contentType, invalid);
  const replaced = [...data].find(([, value]) => typeof value === "string" && value.includes("\uFFFD"));
  if (replaced) throw new ApiError(invalid, [{ path: replaced[0], message: "is not UTF-8, or contains U+FFFD" }]);
  return data;
}

async function parseMultipart(bytes: Uint8Array<ArrayBuffer>, contentType: string, invalid: ErrorSpec) {
  try {
    return await new Response(bytes, { headers: { "Content-Type": contentType } }).formData();
  } catch {
    const lacksBoundary = !/;\s*boundary\s*=\s*"?[^\s;"]/i.test(contentType);
    const error = lacksBoundary
      ? { path: "Content-Type", message: "must have a boundary" }
      : { path: "body", message: "is not a form" };
    throw new ApiError(invalid, [error]);
  }
}

/** Media types of forms and objects: a client that sends one of these does not mean to send a file. */
const NOT_A_FILE = /^(?:multipart\/.*|application\/x-www-form-urlencoded|.*[/+](?:json|xml))$/;

const FILES = "application/octet-stream, image/*";

/**
 * Rejects a body whose media type says that it is a form or an object, not a file. SVG counts as an image.
 * The handler reads the file with `readBody`.
 */
export const fileBody = (limit: number) =>
  withMetadata(
    { body: { mediaTypes: ["application/octet-stream"] }, errors: [tooLarge(limit), unsupported(FILES), COMPRESSED] },
    createMiddleware<AppEnv>(async (c, next) => {
      checkLength(c, limit);
      const type = parseMediaType(c.req.header("Content-Type"));
      checkMediaType(c, !NOT_A_FILE.test(type) || type === "image/svg+xml", FILES);
      await next();
    }),
  );
