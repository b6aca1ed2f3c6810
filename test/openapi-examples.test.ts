import { exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { PETSTORE3_PATH } from "../src/http/base-path.ts";
import { clientOf, send } from "./client.ts";
import type { Sent } from "./client.ts";
import { openApi, operationsOf, petstore3 } from "./openapi.ts";
import type { InterfaceDocument, OperationObject } from "./openapi.ts";

interface Request extends OperationObject {
  readonly method: string;
  readonly path: string;
  /** One of the types that its body may have. */
  readonly type?: string;
}

/** They have to do with a file, which no example can hold: test/pet/images.test.ts. */
const OF_FILES = new Set(["uploadFile", "getPetImage"]);

/** A request for each operation, and for each type that its body may have, as the document orders them. */
const requestsOf = (document: InterfaceDocument) =>
  operationsOf(document)
    .flatMap((operation): Request[] => {
      const types = Object.keys(operation.requestBody?.content ?? {});
      return types.length > 0 ? types.map((type) => ({ ...operation, type })) : [operation];
    })
    .filter(({ operationId }) => !OF_FILES.has(operationId));

const textOf = (example: unknown) => [example].flat().map(String).join(",");

function bodyOf(type: string, example: unknown): Sent {
  if (type === "application/json") return { json: example };
  const fields = Object.entries(example as Record<string, string>);
  if (type !== "multipart/form-data") return { body: new URLSearchParams(fields) };
  const body = new FormData();
  for (const [name, value] of fields) body.set(name, value);
  return { body };
}

/** The request with every parameter in a path or a query. @throws Error if one has no example */
function sentBy({ path, parameters = [], requestBody, type }: Request): [string, Sent] {
  let target = path;
  const query = new URLSearchParams();
  for (const { name, in: where, example } of parameters) {
    if (where === "header") continue;
    if (example === undefined) throw new Error(`${name} has no example`);
    if (where === "query") query.set(name, textOf(example));
    else target = target.replace(`{${name}}`, encodeURIComponent(textOf(example)));
  }
  const search = query.size > 0 ? `?${query.toString()}` : "";
  const body = type === undefined ? {} : bodyOf(type, requestBody?.content[type]?.example);
  return [`${target}${search}`, body];
}

describe.each([
  { file: "openapi.json", requests: requestsOf(openApi), send },
  {
    file: "petstore3.json",
    requests: requestsOf(petstore3),
    // Another empty store.
    send: clientOf(
      async (request) => exports.default.fetch(request),
      undefined,
      `/stores/${crypto.randomUUID()}${PETSTORE3_PATH}`,
    ),
  },
])("in $file,", ({ requests, send: sendTo }) => {
  // What a collection of requests is that Postman or Bruno makes of the document.
  test("the examples succeed on an empty store, in the order of the document §9.1 §9.5", async () => {
    const outcomes: [string, number][] = [];
    for (const request of requests) {
      const [path, sent] = sentBy(request);
      const { status } = await sendTo(request.method, path, sent);
      outcomes.push([request.operationId, status]);
    }
    expect(outcomes.length).toBeGreaterThan(17);
    expect(outcomes).toEqual(outcomes.map(([operationId]) => [operationId, 200]));
  });
});
