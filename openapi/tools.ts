// The operations of `/v2` as MCP tools, from the routes, schemas, and texts of its OpenAPI document.
import type { JsonSchema } from "@valibot/to-json-schema";
import { JSON_TYPE, MULTIPART } from "../src/http/body.ts";
import { INVALID_KEY } from "../src/http/resource.ts";
import type { Tool, Toolset } from "../src/mcp/toolset.ts";
import { manageTools } from "./manage-tools.ts";
import { TITLE, VERSION, parameterText, routes2, texts } from "./openapi.ts";
import type { Route } from "./routes.ts";
import { componentOf, schemaOf, schemas } from "./schemas.ts";
import type { Text } from "./texts.ts";

/**
 * Replaces references with what they refer to, because the schema of a tool stands alone. Drops formats that JSON Schema does
 * not define: one schema that a client cannot compile hides its tool, or all tools.
 */
const standalone = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (_, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const { $ref, format, ...own } = value as JsonSchema;
    if (format === "binary") return { ...own, contentEncoding: "base64" };
    if (format === "int64" || format === "int32") return own;
    return typeof $ref === "string" ? { ...standalone(schemas[$ref.replace(/.*\//, "")] ?? {}), ...own } : value;
  }) as JsonSchema;

const IDEMPOTENCY_KEY: JsonSchema = {
  type: "string",
  minLength: 1,
  maxLength: 255,
  pattern: "^[ -~]+$",
  description: "Makes a retry safe: a call with the same key and the same body creates nothing a second time.",
};

/** Returns the schema of the body, and how it is sent. @throws Error if a tool cannot send it */
function bodyOf({ operationId, body }: Route): Pick<Tool, "body" | "files"> & { readonly schema?: JsonSchema } {
  if (!body?.schema) return {};
  const schema = standalone(schemas[componentOf(body.schema)] ?? {});
  if (body.mediaTypes.includes(JSON_TYPE)) return { schema, body: "json" };
  if (!body.mediaTypes.includes(MULTIPART)) throw new Error(`src/mcp cannot send the body of ${operationId}`);
  const fields = Object.entries(schema.properties ?? {});
  const files = fields.filter(([, field]) => (field as JsonSchema).contentEncoding).map(([name]) => name);
  return { schema, body: "form", files };
}

/** Returns the schema of a success, and how a call returns it. */
function outputOf({
  success: { schema, mediaTypes = [JSON_TYPE] },
}: Text): Pick<Tool, "output"> & { schema?: JsonSchema } {
  if (!schema) return { output: "none" };
  if (!mediaTypes.includes(JSON_TYPE)) return { output: "file" };
  const whole = standaloneOutput(schema);
  return whole.type === "array" ? { output: "list", schema: listOf(whole) } : { output: "json", schema: whole };
}

/** The same for a response. Drops what helps only to write a request. */
const standaloneOutput = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(standalone(schema)), (key, value: unknown) =>
    key === "examples" || key === "pattern" ? undefined : value,
  ) as JsonSchema;

/** Wraps a list, because the revisions before 2026-07-28 require an object. */
const listOf = (items: JsonSchema): JsonSchema => ({ type: "object", required: ["items"], properties: { items } });

/** Returns the hints for clients. A `POST` to a collection only adds to it. */
function annotationsOf({ method, path }: Route, { session }: Text) {
  const isRead = method === "get" && !session;
  const onlyAdds = session === "starts" || (method === "post" && !path.includes("{"));
  return {
    readOnlyHint: isRead,
    destructiveHint: !isRead && !onlyAdds,
    idempotentHint: isRead || method === "put" || method === "delete" || session === "ends",
    openWorldHint: false,
  };
}

function toolOf(route: Route, text: Text): Tool {
  const { operationId, method, path, parameters, errors } = route;
  const { schema: body, ...sent } = bodyOf(route);
  const { schema: outputSchema, output } = outputOf(text);
  const key: Record<string, JsonSchema> = errors.includes(INVALID_KEY) ? { "Idempotency-Key": IDEMPOTENCY_KEY } : {};
  const properties = parameters.map(({ name, schema }) => {
    const { description } = parameterText(name, text);
    return [name, { description, ...standalone(schemaOf(schema)) }] as const;
  });
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const definition = {
    name: operationId,
    title: text.summary,
    description: text.description ?? `${text.summary}.`,
    inputSchema: {
      type: "object",
      properties: { ...Object.fromEntries(properties), ...key, ...(body && { body }) },
      required: body ? [...required, "body"] : required,
      additionalProperties: false,
    },
    ...(outputSchema && { outputSchema }),
    annotations: annotationsOf(route, text),
  };
  const places = Object.fromEntries([
    ...parameters.map(({ name, in: place }) => [name, place] as const),
    ...Object.keys(key).map((name) => [name, "header"] as const),
  ]);
  return { definition, method: method.toUpperCase(), path: `/v2${path}`, places, ...sent, output };
}

const serverInfo = (name: string, title: string) => ({ name, title, version: VERSION });

/** Returns the text of each asset with tools by its path. */
export function toolsets(): Record<string, string> {
  const operations: Toolset = {
    serverInfo: serverInfo("pet-store", TITLE),
    // An agent under test must not learn from it that failures may be deliberate.
    instructions: "A pet store: pets, orders, and users.",
    tools: Object.entries(texts).flatMap(([operationId, text]) => {
      const route = routes2.get(operationId);
      return route ? [toolOf(route, text)] : [];
    }),
  };
  const management: Toolset = {
    serverInfo: serverInfo("pet-store-management", `${TITLE}: management of a sandbox`),
    instructions:
      "Manages a private pet store for tests: its data, its rules for faulty responses, and its request log.",
    tools: manageTools(standalone, standaloneOutput),
  };
  return { "operations.json": JSON.stringify(operations), "management.json": JSON.stringify(management) };
}
