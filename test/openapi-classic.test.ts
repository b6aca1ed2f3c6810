import { describe, expect, test } from "vitest";
import classic from "./clients/classic-petstore.json";
import { operationsOf, swagger as ours } from "./openapi.ts";
import type { InterfaceDocument, OperationObject, Schema } from "./openapi.ts";

// Code that calls a client of Swagger Petstore 2.0 can call one that a generator makes from our swagger.json. Ours may have
// more operations, and models with more members, all optional.

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

test("every operation produces JSON: its errors are", () => {
  const others = operationsOf(ours).filter(
    ({ produces }) => !produces?.includes("application/json"),
  );
  expect(others.map(({ operationId }) => operationId)).toEqual([]);
});

test.each(Object.entries(petstore.definitions))(
  "the model %s has the members of Petstore's, and requires no other §9.3",
  (name, definition) => {
    const model = ours.definitions[name] ?? {};
    const { properties: stated = {} } = definition;
    const members = Object.entries(model.properties ?? {}).filter(([member]) => member in stated);
    expect(typeOf({ ...model, properties: Object.fromEntries(members) })).toEqual(
      typeOf(definition),
    );
  },
);

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
