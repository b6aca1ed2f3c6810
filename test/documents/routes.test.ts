import { describe, expect, test } from "vitest";
import interfacePage from "../../docs/interface.md?raw";
import smoke from "../../e2e/smoke.ts?raw";
import packageTypes from "../../package/types.ts?raw";
import worker from "../../src/index.ts";
import { getMetadata } from "../../src/http/operation.ts";
import access from "../auth/operations.test.ts?raw";
import { getJson } from "../client.ts";
import costs from "../costs.test.ts?raw";
import { documentAt, schemasOf } from "./operations.ts";

interface Operation {
  readonly operationId: string;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** The operations of an interface, as its routes name them. */
function routed(base: string): string[] {
  return worker.routes
    .filter(({ path, handler }) => path.startsWith(`${base}/`) && getMetadata(handler).operationId)
    .map(({ method, path, handler }) => {
      const template = path.slice(base.length).replaceAll(/:(\w+)/g, "{$1}");
      return `${getMetadata(handler).operationId}: ${method} ${template}`;
    })
    .toSorted();
}

test.each([
  ["/v2", "/v2/openapi.json"],
  ["/v2", "/v2/swagger.json"],
  ["/api/v3", "/api/v3/openapi.json"],
])("at %s, %s has the operations that are routed, under the same ids, methods and paths", async (base, path) => {
  const { paths } = await getJson<Document>(path);
  const documented = Object.entries(paths).flatMap(([template, item]) =>
    Object.entries(item).map(([method, { operationId }]) => `${operationId}: ${method.toUpperCase()} ${template}`),
  );
  expect(documented.length).toBeGreaterThan(17);
  expect(documented.toSorted()).toEqual(routed(base));
});

test.each(["/v2", "/api/v3"])("at %s, every route below it names its operation", (base) => {
  const named = new Set(routed(base).map((each) => each.split(": ")[1]));
  const unnamed = worker.routes
    .filter(({ method, path }) => path.startsWith(`${base}/`) && method !== "ALL")
    .map(({ method, path }) => `${method} ${path.slice(base.length).replaceAll(/:(\w+)/g, "{$1}")}`)
    .filter((each) => !named.has(each) && !/^GET \/(?:openapi|swagger)\./.test(each));
  expect(unnamed).toEqual([]);
});

describe.each([
  ["docs/interface.md", interfacePage, (_: string, route: string) => `\`${route}`],
  ["e2e/smoke.ts", smoke, (operationId: string) => `"${operationId}"`],
  ["package/types.ts", packageTypes, (operationId: string) => `| "${operationId}"`],
  ["test/auth/operations.test.ts", access, (operationId: string) => `["${operationId}"`],
  ["test/costs.test.ts", costs, (operationId: string) => `["${operationId}`],
])("%s", (_file, text, nameOf) => {
  test("has every operation of /v2", () => {
    const operations = routed("/v2").map((each) => each.split(": "));
    const missing = operations.filter(([operationId = "", route = ""]) => !text.includes(nameOf(operationId, route)));
    expect(missing).toEqual([]);
  });
});

test.each(["Pet", "Order", "User"])("docs/interface.md has a row for every field of %s", async (name) => {
  const { properties = {} } = schemasOf(await documentAt("/v2/openapi.json"))[name] ?? {};
  const fields = Object.keys(properties);
  expect(fields.length).toBeGreaterThan(5);
  expect(fields.filter((field) => !new RegExp(`^\\|[^|]*\`${field}\``, "m").test(interfacePage))).toEqual([]);
});
