import type { JsonSchema } from "@valibot/to-json-schema";
import type { HeaderName } from "./headers.ts";

/** What the documents say about an operation beyond the metadata of its route. */
export interface Text {
  readonly summary: string;
  /** Default: the summary. */
  readonly description?: string;
  /** The parameters whose text differs from PARAMETERS. */
  readonly parameters?: Parameters;
  /** A body that succeeds with the classic data. */
  readonly example?: unknown;
  readonly success: Success;
  /** Whether the operation starts or ends a session. */
  readonly session?: "starts" | "ends";
  /** The differences in `/api/v3`. */
  readonly petstore3?: Partial<Omit<Text, "petstore3">>;
}

/** The description and an example of each parameter. */
export type Parameters = Readonly<Record<string, readonly [description: string, example: unknown]>>;

/** A success. The media type is JSON by default. Without a schema, there is no body. */
export interface Success {
  readonly schema?: JsonSchema;
  readonly mediaTypes?: readonly string[];
  readonly headers?: readonly HeaderName[];
  readonly example?: unknown;
}

export interface Media {
  readonly schema?: unknown;
  readonly examples?: { readonly example: { readonly value: unknown } };
}

export const ref = (schema: string): JsonSchema => ({ $ref: `#/components/schemas/${schema}` });

/** Writes a media type with an example, as OpenAPI 3 does: some tools ignore a single `example`. */
export const mediaOf = (schema: unknown, example: unknown): Media => ({
  schema,
  ...(example !== undefined && { examples: { example: { value: example } } }),
});

export const listOf = (schema: string): JsonSchema => ({ type: "array", items: ref(schema) });

/** Describes a success with a body. */
export const returns = (schema: string | JsonSchema, example: unknown, ...headers: readonly HeaderName[]): Success => ({
  schema: typeof schema === "string" ? ref(schema) : schema,
  headers,
  example,
});

/** Describes the success of an operation of `/v2` that returns no resource. */
export const done = (message: string, ...headers: readonly HeaderName[]): Success =>
  returns("ApiResponse", { code: 200, type: "unknown", message }, ...headers);

/** Describes the success of an operation of `/api/v3` that returns a line of text. */
export const says = (example: string, ...headers: readonly HeaderName[]): Success => ({
  ...returns({ type: "string" }, example, ...headers),
  mediaTypes: ["text/plain"],
});
