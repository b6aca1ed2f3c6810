import type { JsonSchema } from "@valibot/to-json-schema";
import type { HeaderName } from "./headers.ts";

/** An operation of `/v2`. The documents of Petstore 2 and 3 take its texts, statuses and examples. */
export interface Operation {
  readonly at: `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`;
  readonly summary: string;
  /** Default: the summary. */
  readonly description?: string;
  /** Who may call it if access is protected; `session`: it ends the session of the request. Default: anyone. */
  readonly access?: "account" | "owner" | "session";
  readonly parameters?: readonly ReturnType<typeof parameter>[];
  /** The name of a component, and media types, by default JSON. */
  readonly body?: { readonly schema: string; readonly mediaTypes?: readonly string[]; readonly example?: unknown };
  readonly success: Success;
  /** The messages of its errors by status. Those that every operation has are added. */
  readonly errors?: Readonly<Record<number, string>>;
  /** What differs in `/api/v3`, besides what petstore3.json states. */
  readonly petstore3?: Partial<Pick<Operation, "description" | "parameters">> & { readonly success?: Partial<Success> };
}

/** Its media type is JSON by default. */
export interface Success {
  readonly schema: JsonSchema;
  readonly mediaTypes?: readonly string[];
  readonly headers?: readonly HeaderName[];
  readonly example?: unknown;
}

export const ref = (schema: string): JsonSchema => ({ $ref: `#/components/schemas/${schema}` });

export const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER): JsonSchema => ({
  type: "integer",
  format: "int64",
  minimum,
  maximum,
});

/** A parameter in the path. One elsewhere spreads it. */
export const parameter = (name: string, description: string, schema: JsonSchema, example?: unknown) => ({
  name,
  in: "path",
  required: true,
  description,
  schema,
  example,
});

/** A success with a body. */
export const returns = (schema: string, example: object, ...headers: readonly HeaderName[]): Success => ({
  schema: ref(schema),
  headers,
  example,
});

/** The success of an operation that returns no resource. */
export const done = (message: string, ...headers: readonly HeaderName[]): Success =>
  returns("ApiResponse", { code: 200, type: "unknown", message }, ...headers);

export const INVALID_ID = { 400: "Invalid ID supplied" };
export const KEY_TAKEN = { 422: "The idempotency key is taken" };
export const CHANGED = { 412: "Precondition failed" };
