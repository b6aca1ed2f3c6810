import { expect, test } from "vitest";
import { getJson, sandbox, send } from "../client.ts";
import { DOCUMENTS, listOperations, namedSchemas, resolve, type Document, type Schema } from "./operations.ts";
import { walk } from "./walk.ts";

/** Composes an example from those of the properties, as tools do that read only these. */
function composeExample(document: Document, reference: Schema): unknown {
  const { properties, items } = resolve(document, reference);
  if (items) return [composeExample(document, items)];
  return Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, property]) => [
      name,
      property.examples?.[0] ?? property.example ?? composeExample(document, property),
    ]),
  );
}

const CASES = DOCUMENTS.flatMap(([path, base]) =>
  (["empty", "classic"] as const).flatMap((data) => [
    { path, base, data, kind: "whole", fromProperties: false },
    { path, base, data, kind: "property", fromProperties: true },
  ]),
);

test.each(CASES)(
  "the $kind examples of $path succeed with $data data, in the order of the document",
  async ({ path, base, data, fromProperties }) => {
    const to = sandbox();
    await send("PUT", `${to}/data`, { json: { data } });
    const document = await getJson<Document>(to + path);
    const steps = walk({
      document,
      send: async ({ method, target, ...init }) => send(method, to + base + target, init),
      bodyFor: (schema, example) =>
        fromProperties ? composeExample(document, schema) : (example ?? resolve(document, schema).example),
    });
    const statuses: [string, number][] = [];
    for await (const { operation, response } of steps) statuses.push([operation.operationId, response.status]);
    expect(statuses.length).toBeGreaterThan(18);
    expect(statuses).toEqual(statuses.map(([id]) => [id, 200]));
  },
);

test.each(DOCUMENTS)("every property in %s has an example", async (path) => {
  const document = await getJson<Document>(path);
  const properties = Object.entries(namedSchemas(document)).flatMap(([name, schema]) =>
    Object.entries(schema.properties ?? {}).map(([property, inner]) => ({ name: `${name}.${property}`, ...inner })),
  );
  expect(properties.length).toBeGreaterThan(30);
  // A reference has no siblings before OpenAPI 3.1: the properties of its schema have examples.
  const missing = properties.filter(
    ({ $ref, format, example, examples }) =>
      $ref === undefined && format !== "binary" && (example ?? examples) === undefined,
  );
  expect(missing).toEqual([]);
});

test.each(["/v2", "/api/v3"])(
  "every media type of a body in the OpenAPI document of %s has `examples`",
  async (base) => {
    const operations = listOperations(await getJson<Document>(`${base}/openapi.json`));
    const missing = operations.filter(
      ({ operationId, requestBody }) =>
        requestBody &&
        operationId !== "uploadFile" &&
        !Object.values(requestBody.content).every(({ examples }) => examples),
    );
    expect(missing).toEqual([]);
  },
);
