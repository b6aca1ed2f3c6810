import type { JsonSchema } from "@valibot/to-json-schema";
import type { HeaderName } from "./headers.ts";

/** What the documents say of an operation that its route does not state. */
export interface Text {
  readonly summary: string;
  /** Default: the summary. */
  readonly description?: string;
  /** Those that differ from PARAMETERS. */
  readonly parameters?: Parameters;
  /** A body that succeeds in an empty store. */
  readonly example?: unknown;
  readonly success: Success;
  /** Whether it ends or begins a session, whoever calls it. */
  readonly session?: "begins" | "ends";
  /** What differs in `/api/v3`. */
  readonly petstore3?: Partial<Omit<Text, "petstore3">>;
}

/** The description and an example of each parameter. */
export type Parameters = Readonly<Record<string, readonly [description: string, example: unknown]>>;

/** Its media type is JSON by default. Without a schema it has no body. */
export interface Success {
  readonly schema?: JsonSchema;
  readonly mediaTypes?: readonly string[];
  readonly headers?: readonly HeaderName[];
  readonly example?: unknown;
}

export const ref = (schema: string): JsonSchema => ({ $ref: `#/components/schemas/${schema}` });

export const listOf = (schema: string): JsonSchema => ({ type: "array", items: ref(schema) });

/** A success with a body. */
export const returns = (schema: string | JsonSchema, example: unknown, ...headers: readonly HeaderName[]): Success => ({
  schema: typeof schema === "string" ? ref(schema) : schema,
  headers,
  example,
});

/** The success of an operation of `/v2` that returns no resource. */
export const done = (message: string, ...headers: readonly HeaderName[]): Success =>
  returns("ApiResponse", { code: 200, type: "unknown", message }, ...headers);

/** The success of an operation of `/api/v3` that returns a line of text. */
export const says = (example: string, ...headers: readonly HeaderName[]): Success => ({
  ...returns({ type: "string" }, example, ...headers),
  mediaTypes: ["text/plain"],
});
