import { expect, test } from "vitest";
import interfacePage from "../../docs/interface.md?raw";
import { collectOperations } from "../../src/http/operation.ts";
import { v2 } from "../../src/v2.ts";
import { v3 } from "../../src/v3.ts";
import { getJson } from "../client.ts";
import { listTableCodes } from "./markdown.ts";
import { DOCUMENTS, listOperations, namedSchemas, type Document } from "./operations.ts";

const APIS = { "/v2": v2, "/api/v3": v3 };

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
}

const listed = (operations: readonly Operation[]) =>
  operations.map(({ operationId, method, path }) => `${operationId}: ${method} ${path}`).toSorted();

test.each(DOCUMENTS)(
  "%s has the operations of the routes, with the same IDs, methods, and paths",
  async (path, base) => {
    const documented = listed(listOperations(await getJson<Document>(path)));
    expect(documented.length).toBeGreaterThan(17);
    expect(documented).toEqual(listed(collectOperations(APIS[base].routes)));
  },
);

test.each([
  ["/v2", ["GET /openapi.json", "GET /openapi.yaml", "GET /swagger.json"]],
  ["/api/v3", ["GET /openapi.json", "GET /openapi.yaml"]],
] as const)("at %s, every route except for the documents names its operation", (base, documents) => {
  const { routes } = APIS[base];
  const named = new Set(collectOperations(routes).map(({ method, path }) => `${method} ${path}`));
  const unnamed = routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`)
    .filter((route) => !named.has(route));
  expect(unnamed).toEqual(documents);
});

test("docs/interface.md has every operation of /v2", () => {
  const described = listTableCodes(interfacePage, "## Operations").map((request) => request.split("?")[0]);
  const routed = collectOperations(v2.routes).map(({ method, path }) => `${method} ${path}`);
  expect(new Set(described)).toEqual(new Set(routed));
});

test.each([
  ["Pet", "## Pets"],
  ["Order", "## Orders"],
  ["User", "## Users"],
])("docs/interface.md has every field of %s", async (name, heading) => {
  const { properties = {} } = namedSchemas(await getJson<Document>("/v2/openapi.json"))[name] ?? {};
  expect(new Set(listTableCodes(interfacePage, heading))).toEqual(new Set(Object.keys(properties)));
});
