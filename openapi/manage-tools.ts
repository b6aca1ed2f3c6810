// The management of a sandbox as MCP tools. No OpenAPI document describes it.
import type { JsonSchema } from "@valibot/to-json-schema";
import type { Tool } from "../src/mcp/toolset.ts";
import { listOf } from "./texts.ts";

const integer = (minimum: number, maximum: number, description: string): JsonSchema => ({
  type: "integer",
  minimum,
  maximum,
  description,
});

const text = (description: string): JsonSchema => ({ type: "string", description });

const anyObject = (description: string): JsonSchema => ({ type: "object", description });

/** A rule of a sandbox. */
export const RULE = {
  type: "object",
  additionalProperties: false,
  properties: {
    operationId: text(
      "Selects requests to an operation, such as addPet; mcp selects MCP requests, and manageMcp those of this endpoint.",
    ),
    method: { enum: ["GET", "HEAD", "POST", "PUT", "DELETE"], description: "Selects requests by method." },
    path: text("Selects requests by path below the API: /pet/1, or /pet/{petId} for all pets."),
    match: {
      type: "object",
      additionalProperties: false,
      description: "Selects requests by content.",
      properties: {
        query: anyObject("Parameters with exact values. null: absent."),
        headers: anyObject("Headers with exact values. null: absent."),
        body: { description: "A JSON value that the body must contain." },
      },
    },
    times: integer(1, 1_000_000, "The maximum number of responses that the rule changes."),
    every: integer(1, 1_000_000, "With 3, the rule applies to every third request that it selects."),
    chance: { type: "number", minimum: 0, maximum: 1, description: "The probability that the rule applies." },
    status: integer(200, 599, "Sends a fault response with this status."),
    body: text("With status: the body."),
    retryAfter: integer(0, 86_400, "With status: the header Retry-After, in seconds."),
    location: text("With a redirect status: a path below the API, such as /pet/2."),
    after: {
      type: "boolean",
      description: 'With status or break "connection": true performs the request first, and then drops its response.',
    },
    patch: anyObject("A JSON Merge Patch of the real success response, or of each item of a list. Not with status."),
    headers: anyObject("Headers to set. null removes a header."),
    delayMs: {
      description: "Milliseconds before the response, or [least, most] for a random delay.",
      anyOf: [
        { type: "integer", minimum: 1, maximum: 30_000 },
        { type: "array", items: { type: "integer", minimum: 1, maximum: 30_000 }, minItems: 2, maxItems: 2 },
      ],
    },
    slowMs: integer(1, 30_000, "Milliseconds over which the body is sent."),
    break: {
      enum: ["body", "json", "connection"],
      description:
        "body: the connection closes in the middle of the body. json: the response ends after half of the body. connection: it closes without a response.",
    },
    used: integer(0, Number.MAX_SAFE_INTEGER, "The number of responses that the rule changed."),
  },
} satisfies JsonSchema;

const RESOURCES = { pets: listOf("Pet"), orders: listOf("Order"), users: listOf("User") };

const NEW_RESOURCES = { pets: listOf("NewPet"), orders: listOf("NewOrder"), users: listOf("NewUser") };

interface Management extends Pick<Tool, "method" | "path" | "output"> {
  readonly title: string;
  readonly description?: string;
  readonly query?: Readonly<Record<string, JsonSchema>>;
  readonly body?: JsonSchema;
  readonly outputSchema?: JsonSchema;
}

const TOOLS: Readonly<Record<string, Management>> = {
  getData: {
    title: "Get all pets, orders, and users",
    method: "GET",
    path: "/data",
    output: "json",
    outputSchema: { type: "object", required: Object.keys(RESOURCES), properties: RESOURCES },
  },
  replaceData: {
    title: "Replace all pets, orders, and users",
    description:
      "Creates the sandbox if it does not exist. Generated IDs start over; sessions, uploads, and the request log are cleared. Rules stay.",
    method: "PUT",
    path: "/data",
    body: {
      type: "object",
      properties: {
        data: { enum: ["classic", "empty"], description: "A named set, in place of the lists." },
        ...NEW_RESOURCES,
      },
    },
    output: "none",
  },
  getRules: {
    title: "Get the rules for faulty responses",
    description: "`used` is the number of responses that a rule changed.",
    method: "GET",
    path: "/faults",
    output: "list",
    outputSchema: { type: "object", required: ["items"], properties: { items: { type: "array", items: RULE } } },
  },
  setRules: {
    title: "Replace the rules for faulty responses",
    description: "Of the rules that apply to a request, only the first is used. An empty list removes all rules.",
    method: "PUT",
    path: "/faults",
    body: { type: "array", maxItems: 100, items: RULE },
    output: "none",
  },
  listRequests: {
    title: "List the logged requests",
    description: "The last 200 requests, newest first.",
    method: "GET",
    path: "/requests",
    query: {
      operationId: text("Only requests to this operation, such as addPet."),
      status: text("Only responses with this status, such as 503, or 5xx."),
      after: integer(0, Number.MAX_SAFE_INTEGER, "Only requests with greater IDs."),
      limit: integer(1, 200, "At most this many requests."),
      wait: integer(0, 30, "If no request matches, waits for one, for at most this many seconds."),
    },
    output: "list",
    outputSchema: {
      type: "object",
      required: ["items"],
      properties: { items: { type: "array", items: { type: "object" } } },
    },
  },
  clearRequests: {
    title: "Empty the request log",
    method: "DELETE",
    path: "/requests",
    output: "none",
  },
};

/** Returns the tools. @param toInput converts a schema that refers to components */
export const manageTools = (
  toInput: (schema: JsonSchema) => JsonSchema,
  toOutput: (schema: JsonSchema) => JsonSchema,
): Tool[] =>
  Object.entries(TOOLS).map(([name, tool]) => {
    const { title, description = `${title}.`, method, path, query = {}, body, output, outputSchema } = tool;
    const isRead = method === "GET";
    const definition = {
      name,
      title,
      description,
      inputSchema: {
        type: "object",
        properties: { ...query, ...(body && { body: toInput(body) }) },
        required: body ? ["body"] : [],
        additionalProperties: false,
      },
      ...(outputSchema && { outputSchema: toOutput(outputSchema) }),
      annotations: { readOnlyHint: isRead, destructiveHint: !isRead, idempotentHint: true, openWorldHint: false },
    };
    const places = Object.fromEntries(Object.keys(query).map((parameter) => [parameter, "query"] as const));
    return { definition, method, path, places, ...(body && { body: "json" }), output };
  });
