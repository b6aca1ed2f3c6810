import { expect, test } from "vitest";
import { sandbox, send, type Init } from "../client.ts";
import {
  DOCUMENTS,
  documentAt,
  jsonBodyOf,
  operationsOf,
  resolved,
  schemasOf,
  type Document,
  type Operation,
  type Schema,
} from "./operations.ts";

/** Composes an example from those of the properties. */
function composed(document: Document, reference: Schema): unknown {
  const { properties, items } = resolved(document, reference);
  if (items) return [composed(document, items)];
  return Object.fromEntries(
    Object.entries(properties ?? {}).map(([name, property]) => [
      name,
      property.examples?.[0] ?? property.example ?? composed(document, property),
    ]),
  );
}

/** Returns the body that a tool sends for an operation. @param fromProperties whether it reads only examples of properties */
function bodyOf(document: Document, operation: Operation, fromProperties: boolean): Init {
  const json = jsonBodyOf(operation);
  if (json) {
    const whole = json.example ?? resolved(document, json.schema).example;
    return { json: fromProperties ? composed(document, json.schema) : whole };
  }
  const form = operation.requestBody?.content["application/x-www-form-urlencoded"];
  const fields = operation.parameters?.filter((each) => each.in === "formData") ?? [];
  const sent =
    (fromProperties ? form && composed(document, form.schema) : form?.examples?.example.value) ??
    Object.fromEntries(fields.map((field) => [field.name, field["x-example"]]));
  return form || fields.length > 0 ? { body: new URLSearchParams(sent as Record<string, string>) } : {};
}

/** Returns the path and the query with the examples of the parameters. */
function targetOf({ path, parameters = [] }: Operation): string {
  const query = new URLSearchParams();
  let target = path;
  for (const { name, in: where, example, "x-example": shown = example } of parameters) {
    const value = String(shown);
    if (where === "query") query.set(name, value);
    if (where === "path") target = target.replace(`{${name}}`, encodeURIComponent(value));
  }
  return `${target}?${query.toString()}`;
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
    const document = await documentAt(to + path);
    // No example can hold a file.
    const operations = operationsOf(document).filter(({ operationId }) => !/uploadFile|getPetImage/.test(operationId));
    const statuses: [string, number][] = [];
    for (const operation of operations) {
      const { status } = await send(
        operation.method,
        to + base + targetOf(operation),
        bodyOf(document, operation, fromProperties),
      );
      statuses.push([operation.operationId, status]);
    }
    expect(statuses.length).toBeGreaterThan(16);
    expect(statuses).toEqual(statuses.map(([id]) => [id, 200]));
  },
);

test.each(DOCUMENTS)("every property in %s has an example", async (path) => {
  const document = await documentAt(path);
  const properties = Object.entries(schemasOf(document)).flatMap(([name, schema]) =>
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
    const operations = operationsOf(await documentAt(`${base}/openapi.json`));
    const missing = operations.filter(
      ({ operationId, requestBody }) =>
        requestBody &&
        operationId !== "uploadFile" &&
        !Object.values(requestBody.content).every(({ examples }) => examples),
    );
    expect(missing).toEqual([]);
  },
);
