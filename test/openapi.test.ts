import { describe, expect, test } from "vitest";
import * as pet from "../src/pet/contract.ts";
import { routes } from "../src/routes.ts";
import * as store from "../src/store/contract.ts";
import * as user from "../src/user/contract.ts";
import { openApi, operationsOf, swagger } from "./openapi.ts";
import type { InterfaceDocument } from "./openapi.ts";

const DOCUMENTS: readonly (readonly [string, InterfaceDocument])[] = [
  ["openapi.json", openApi],
  ["swagger.json", swagger],
];

const exported: ReadonlyMap<unknown, string> = new Map(
  [pet, store, user].flatMap((contract) =>
    Object.entries(contract).map(([name, value]): [unknown, string] => [value, name]),
  ),
);

const routed = routes.map(({ method, path, endpoint: { operation } }) => ({
  name: `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`,
  tag: path.split("/")[1],
  operation,
}));

test("every operation is routed under the name that its contract gives it", () => {
  expect(routed.map(({ operation }) => exported.get(operation))).toEqual(
    routed.map(({ operation }) => operation.id),
  );
});

test("every operation of the contracts is routed §9.1", () => {
  const ids = new Set(routed.map(({ operation }) => operation.id));
  const operations = [...exported].filter(
    ([value]) => typeof value === "object" && value !== null && "success" in value,
  );
  expect(operations.map(([, name]) => name).toSorted()).toEqual([...ids].toSorted());
});

test("no two operations have the same id", () => {
  const ids = routed.map(({ operation }) => operation.id);
  expect(new Set(ids).size).toBe(ids.length);
});

describe.each(DOCUMENTS)("%s", (_, document) => {
  const documented = new Map(
    operationsOf(document).map((each) => [`${each.method} ${each.path}`, each]),
  );

  test("is of version 1.0.0 §1.1.1", () => {
    expect(document.info.version).toBe("1.0.0");
  });

  test("has exactly the operations that are routed §9.1 §API9", () => {
    expect([...documented.keys()].toSorted()).toEqual(routed.map(({ name }) => name).toSorted());
  });

  test.each(routed)(
    "$name has its operation's id and the tag of its path",
    ({ name, tag, operation }) => {
      const found = documented.get(name);
      expect(found?.operationId).toBe(operation.id);
      expect(found?.tags).toEqual([tag]);
    },
  );

  test.each(routed)(
    "$name has each error that it declares, with an example §9.1",
    ({ name, operation }) => {
      const responses = documented.get(name)?.responses ?? {};
      for (const [status, message] of Object.entries(operation.errors)) {
        // Nobody is forbidden anything here.
        if (status === "403") continue;
        const response = responses[status];
        const example =
          response?.content?.["application/json"]?.example ??
          response?.examples?.["application/json"];
        expect([status, example]).toEqual([
          status,
          { code: Number(status), type: "error", message },
        ]);
      }
    },
  );

  test.each(routed)("$name has X-Request-Id in every response §9.1", ({ name }) => {
    const responses = Object.entries(documented.get(name)?.responses ?? {});
    expect(responses.length).toBeGreaterThan(0);
    const without = responses.filter(([, { headers = {} }]) => !("X-Request-Id" in headers));
    expect(without.map(([status]) => status)).toEqual([]);
  });
});
