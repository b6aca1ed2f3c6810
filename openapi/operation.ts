import type { JsonSchema } from "@valibot/to-json-schema";

/** An operation of `/v2`. The documents of Petstore 2 and 3 take its texts, statuses and examples. */
export interface Operation {
  readonly at: `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`;
  readonly summary: string;
  /** Default: the summary. */
  readonly description?: string;
  /** Who may call it if access is protected; `session`: it ends the session of the request. Default: anyone. */
  readonly access?: "account" | "owner" | "session";
  readonly parameters?: readonly Parameter[];
  readonly body?: Body;
  readonly success: Success;
  /** The messages of its errors by status. Those that every operation has are added. */
  readonly errors: Readonly<Record<number, string>>;
  /** Leads to the operations with this parameter, whose value is a runtime expression. */
  readonly link?: readonly [parameter: keyof typeof LINKED, value: string];
  /** What differs in `/api/v3`, besides what petstore3.json states. */
  readonly petstore3?: Partial<Pick<Operation, "description" | "parameters">> & {
    readonly success?: Pick<Success, "headers" | "example">;
  };
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly explode?: boolean;
}

export interface Body {
  /** The name of a component. */
  readonly schema: string;
  /** Default: JSON. */
  readonly mediaTypes?: readonly string[];
  readonly example?: unknown;
}

export interface Success {
  readonly schema: JsonSchema;
  /** Default: JSON. */
  readonly mediaTypes?: readonly string[];
  /** Names of headers. */
  readonly headers?: readonly string[];
  readonly example?: unknown;
}

/** The operations that take a parameter. */
export const LINKED = {
  petId: ["getPetById", "updatePetWithForm", "uploadFile", "deletePet"],
  orderId: ["getOrderById", "deleteOrder"],
  username: ["getUserByName", "updateUser", "deleteUser"],
};

export const ref = (schema: string): JsonSchema => ({ $ref: `#/components/schemas/${schema}` });

export const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER): JsonSchema => ({
  type: "integer",
  format: "int64",
  minimum,
  maximum,
});

/** A required parameter, in the path unless stated. */
export const parameter = (
  name: string,
  description: string,
  schema: JsonSchema,
  example: unknown,
  more: Partial<Parameter> = {},
): Parameter => ({ name, in: "path", required: true, description, schema, example, ...more });

/** The success of an operation that returns no resource. */
export const done = (message: string, headers: readonly string[] = []): Success => ({
  schema: ref("ApiResponse"),
  headers,
  example: { code: 200, type: "unknown", message },
});
