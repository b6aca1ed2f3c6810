import { expect, test } from "vitest";
import openApi from "../openapi.json";
import { send } from "./client.ts";
import type { Sent } from "./client.ts";

interface ParameterObject {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly example?: unknown;
}

interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly (ParameterObject | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
  };
}

interface Operation extends OperationObject {
  readonly method: string;
  readonly path: string;
}

const paths = openApi.paths as unknown as Record<string, Record<string, OperationObject>>;

/** They have to do with a file, which no example can hold: test/pet/images.test.ts. */
const OF_FILES = new Set(["uploadFile", "getPetImage"]);

const operations: readonly Operation[] = Object.entries(paths)
  .flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
  .filter(({ operationId }) => !OF_FILES.has(operationId));

const isCreate = ({ method, path }: Operation) => method === "POST" && !path.includes("{");

const ORDER: readonly ((operation: Operation) => boolean)[] = [
  isCreate,
  ({ method }) => method === "GET",
  ({ method, path }) => method === "PUT" || (method === "POST" && path.includes("{")),
  ({ method }) => method === "DELETE",
];

/**
 * For each create of a tag one walk over the whole tag: several creates may name the same resource, which
 * each walk deletes again.
 */
const walks: readonly (readonly Operation[])[] = operations.filter(isCreate).map((create) => {
  const ofTag = operations.filter(({ tags }) => tags[0] === create.tags[0]);
  return ORDER.flatMap((belongs) =>
    ofTag.filter((operation) =>
      isCreate(operation) ? belongs === isCreate && operation === create : belongs(operation),
    ),
  );
});

function textOf(example: unknown): string {
  return (Array.isArray(example) ? example : [example]).map(String).join(",");
}

function requestOf({ path, parameters = [], requestBody }: Operation): [string, Sent] {
  let target = path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const parameter of parameters) {
    if ("$ref" in parameter || parameter.example === undefined) continue;
    const text = textOf(parameter.example);
    if (parameter.in === "path") {
      target = target.replace(`{${parameter.name}}`, encodeURIComponent(text));
    } else if (parameter.in === "query") query.set(parameter.name, text);
    else headers[parameter.name] = text;
  }
  const [content] = Object.entries(requestBody?.content ?? {});
  const search = query.size > 0 ? `?${query.toString()}` : "";
  if (!content) return [`${target}${search}`, { headers }];
  const [type, { example }] = content;
  headers["Content-Type"] = type;
  const body =
    type === "application/json"
      ? JSON.stringify(example)
      : new URLSearchParams(example as Record<string, string>).toString();
  return [`${target}${search}`, { headers, body }];
}

test("every parameter that is required, and every body, has an example", () => {
  for (const { operationId, parameters = [], requestBody } of operations) {
    const bare = parameters.filter(
      (parameter) =>
        !("$ref" in parameter) && parameter.required === true && parameter.example === undefined,
    );
    const bodies = Object.values(requestBody?.content ?? {});
    expect([operationId, bare, bodies.filter(({ example }) => example === undefined)]).toEqual([
      operationId,
      [],
      [],
    ]);
  }
});

test("the walks reach every operation", () => {
  const reached = new Set(walks.flat().map(({ operationId }) => operationId));
  expect([...reached].toSorted()).toEqual(
    operations.map(({ operationId }) => operationId).toSorted(),
  );
});

test("every example succeeds as it stands, from an empty store on", async () => {
  const outcomes: [string, number][] = [];
  for (const operation of walks.flat()) {
    const [path, sent] = requestOf(operation);
    const { status } = await send(operation.method, path, sent);
    outcomes.push([operation.operationId, status]);
  }
  expect(outcomes).toEqual(outcomes.map(([operationId]) => [operationId, 200]));
});
