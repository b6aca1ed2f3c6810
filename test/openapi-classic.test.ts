import { describe, expect, test } from "vitest";
import classic from "./clients/classic-petstore.json";
import { operationsOf, swagger as ours } from "./openapi.ts";
import type { InterfaceDocument, OperationObject, Schema } from "./openapi.ts";

// A generator makes the same client from our swagger.json as from the document of Swagger Petstore 2.0, as far as code
// that calls the client can tell.

const petstore = classic as unknown as InterfaceDocument;

type Typed = Omit<Schema, "required"> & { readonly required?: unknown };

/** What decides the type of a value. */
function typeOf({ $ref, type, format, enum: values, items, ...rest }: Typed): unknown {
  const { additionalProperties, required, properties } = rest;
  return {
    $ref,
    type,
    format,
    values,
    items: items && typeOf(items),
    additionalProperties: additionalProperties && typeOf(additionalProperties),
    required,
    properties:
      properties &&
      Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, typeOf(value)])),
  };
}

/** What decides the signature of the method. */
function signatureOf({
  operationId,
  tags,
  consumes = [],
  parameters = [],
  responses,
}: OperationObject) {
  const { schema } = responses["200"] ?? {};
  return {
    operationId,
    tags,
    // Petstore accepts XML as well.
    consumes: consumes.filter((type) => type !== "application/xml"),
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      required: parameter.required,
      list: parameter.collectionFormat,
      range: [parameter.minimum, parameter.maximum],
      type: typeOf(parameter),
      body: parameter.schema && typeOf(parameter.schema),
    })),
    result: schema && typeOf(schema),
  };
}

const operations = operationsOf(petstore).map((operation) => ({
  name: `${operation.method} ${operation.path}`,
  operation,
  counterpart: ours.paths[operation.path]?.[operation.method.toLowerCase()],
}));

test("the paths begin where Petstore's begin §1.1.2", () => {
  expect(ours.basePath).toBe(petstore.basePath);
});

describe.each(operations)("$name", ({ operation, counterpart }) => {
  test("has the signature that it has in Petstore §9.3", () => {
    expect(counterpart && signatureOf(counterpart)).toEqual(signatureOf(operation));
  });

  test("names the credentials that it has in Petstore §9.3", () => {
    expect(counterpart?.security).toEqual(operation.security);
  });

  test("has an example of each parameter that is required and no body, so that dredd can send it", () => {
    const inTheUrl = counterpart?.parameters?.filter(({ in: where }) => /path|query/.test(where));
    expect(inTheUrl?.filter((parameter) => !("x-example" in parameter))).toEqual([]);
  });
});

test("beside Petstore's operations there is only the one that serves images §9.3", () => {
  const names = new Set(operations.map(({ operation: { operationId } }) => operationId));
  const others = operationsOf(ours).filter(({ operationId }) => !names.has(operationId));
  expect(others.map(({ operationId }) => operationId)).toEqual(["getPetImage"]);
});

test("every operation produces JSON: its errors are", () => {
  const others = operationsOf(ours).filter(
    ({ produces }) => !produces?.includes("application/json"),
  );
  expect(others.map(({ operationId }) => operationId)).toEqual([]);
});

test.each(Object.entries(petstore.definitions))(
  "the model %s is Petstore's §9.3",
  (name, definition) => {
    expect(typeOf(ours.definitions[name] ?? {})).toEqual(typeOf(definition));
  },
);

test("beside Petstore's models there are only those of errors", () => {
  const others = Object.keys(ours.definitions).filter((name) => !(name in petstore.definitions));
  expect(others).toEqual(["ErrorBody", "FieldError"]);
});

const kindsOf = ({ securityDefinitions }: InterfaceDocument) =>
  Object.fromEntries(
    Object.entries(securityDefinitions).map(([name, scheme]) => [
      name,
      { ...scheme, description: undefined, authorizationUrl: undefined },
    ]),
  );

test("the credentials have the names and kinds that they have in Petstore", () => {
  expect(kindsOf(ours)).toEqual(kindsOf(petstore));
});
