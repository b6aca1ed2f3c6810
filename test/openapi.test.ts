import { describe, expect, test } from "vitest";
import * as v from "valibot";
import { describeComponent, parameterDescription } from "../scripts/openapi/descriptions.ts";
import { Components } from "../scripts/openapi/schemas.ts";
import { messagesOf } from "../src/http/operation.ts";
import { JsonObject } from "../src/http/schemas.ts";
import * as pet from "../src/pet/contract.ts";
import { petstore3Routes, routes, templateOf } from "../src/routes.ts";
import type { Route } from "../src/routes.ts";
import * as store from "../src/store/contract.ts";
import * as user from "../src/user/contract.ts";
import { documentOf, openApi as document, operationsOf, petstore3, swagger } from "./openapi.ts";
import type { InterfaceDocument } from "./openapi.ts";
import { words } from "./spellings.ts";

type Json = Readonly<Record<string, unknown>>;

const operationOf = (stated: InterfaceDocument, id: string) =>
  operationsOf(stated).find(({ operationId }) => operationId === id);

/** Every object within, with where it is. */
function* objectsIn(value: unknown, where = "#"): Generator<readonly [string, Json]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [where, value as Json];
  for (const [name, inner] of Object.entries(value)) yield* objectsIn(inner, `${where}/${name}`);
}

describe("among the names", () => {
  test("there are the components of the specification", () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(
        words("Pet Category Tag PetStatus Order OrderStatus User ApiResponse ErrorBody"),
      ),
    );
  });

  // OpenAPI Generator for Ruby and openapi-typescript-codegen each make an `ApiError` of their own.
  test("no schema has the name of a type that languages or generators have", () => {
    const names = Object.keys({ ...document.components.schemas, ...swagger.definitions });
    expect(names.filter((name) => /^(?:Api)?(?:Error|Exception)$/.test(name))).toEqual([]);
  });

  test("every object and every enum is a component, and no two say the same §9.2", () => {
    const enums = [...objectsIn(document)].filter(
      ([where, { enum: values }]) => values && !where.endsWith("/not"),
    );
    expect(enums.map(([where]) => where)).toEqual([
      "#/components/schemas/PetStatus",
      "#/components/schemas/OrderStatus",
    ]);
    const objects = [...objectsIn(document)].filter(([, { type }]) =>
      [type].flat().includes("object"),
    );
    expect(objects.filter(([where]) => !/^#\/components\/schemas\/\w+$/.test(where))).toEqual([]);
  });

  test.each([
    ["an object", JsonObject({ name: v.string() })],
    ["an enum", v.picklist(["one", "other"])],
    ["an object in an array", v.array(v.object({}))],
  ])("%s that is not exported is an error of the generator", (_, schema) => {
    expect(() => new Components().schemaOf(schema, "request")).toThrow("has no name");
  });
});

describe("the descriptions:", () => {
  test.each(["v2/openapi.json", "v2/swagger.json", "api/v3/openapi.json"])(
    "every parameter and property of %s has one §9.2",
    (path) => {
      const bare = [...objectsIn(documentOf("open", path))].filter(
        ([where, { description, $ref }]) =>
          /\/(?:parameters\/\d+|properties\/\w+)$/.test(where) &&
          description === undefined &&
          // Before OpenAPI 3.1, there is no place for one beside a reference.
          !(path !== "v2/openapi.json" && $ref !== undefined),
      );
      expect(bare.map(([where]) => where)).toEqual([]);
    },
  );

  test("a schema, a member or a parameter without one is an error of the generator", () => {
    expect(() => describeComponent("Cage", {})).toThrow("Cage has no description");
    expect(() => describeComponent("Pet", { properties: { cage: {} } })).toThrow("Pet.cage has no");
    expect(() => parameterDescription("addPet.cage", "cage")).toThrow("cage has no description");
  });

  test("no two operations have the same summary", () => {
    const summaries = operationsOf(document).map(({ summary }) => summary);
    expect(new Set(summaries).size).toBe(summaries.length);
  });
});

describe("in requests,", () => {
  test("no operation has a header of HTTP as a parameter: the introduction describes them §9.2", () => {
    const headers = operationsOf(document).flatMap(({ parameters = [] }) =>
      parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name),
    );
    expect(headers).toEqual(["api_key"]);
    for (const name of ["Idempotency-Key", "If-Match", "If-None-Match", "Range", "x-d1-bookmark"]) {
      expect(document.info.description).toContain(`\`${name}\``);
    }
  });

  test("a form is taken in both of its types", () => {
    expect(
      Object.keys(operationOf(document, "updatePetWithForm")?.requestBody?.content ?? {}),
    ).toEqual(["application/x-www-form-urlencoded", "multipart/form-data"]);
  });

  test("no enum has null among its values", () => {
    const enums = [...objectsIn(document)].flatMap(([, { enum: values }]) => values ?? []);
    expect(enums.length).toBeGreaterThan(0);
    expect(enums).not.toContain(null);
  });

  test("the files in the repository name the server that `npm start` starts", () => {
    expect(document.servers).toEqual([{ url: "http://localhost:8787/v2" }]);
    expect(swagger).toMatchObject({ host: "localhost:8787", schemes: ["http"] });
    expect(petstore3.servers).toEqual([{ url: "http://localhost:8787/api/v3" }]);
  });
});

describe("in answers,", () => {
  test.each([...operationsOf(document), ...operationsOf(petstore3)])(
    "$operationId has 500 and 503, and one schema for all errors but 414 §9.8",
    ({ operationId, responses }) => {
      const failures = Object.keys(responses).filter((status) => !/^[23]/.test(status));
      expect(failures).toEqual(expect.arrayContaining(["500", "503"]));
      const bare = failures.filter((status) => {
        const { schema } = responses[status]?.content?.["application/json"] ?? {};
        return schema?.$ref !== "#/components/schemas/ErrorBody";
      });
      expect(bare).toEqual(operationId === "findPetsByTags" ? ["414"] : []);
    },
  );

  test("operations that never ask the database have no bookmark §9.2", () => {
    const without = operationsOf(document).filter(({ responses }) =>
      Object.values(responses).every(({ headers = {} }) => !("x-d1-bookmark" in headers)),
    );
    expect(without.map(({ operationId }) => operationId)).toEqual(["getPetImage", "logoutUser"]);
  });

  test("an image is bytes", () => {
    const content = operationOf(document, "getPetImage")?.responses["200"]?.content ?? {};
    expect(Object.values(content)).toEqual(
      Object.keys(content).map(() => ({ schema: { type: "string", format: "binary" } })),
    );
  });
});

describe("an open deployment", () => {
  test("demands nothing, and says so §9.4", () => {
    expect(document.security).toEqual([]);
    expect(document.components.securitySchemes).toBeUndefined();
    expect(operationsOf(document).filter((operation) => "security" in operation)).toEqual([]);
    expect(document.info.description).toContain("No operation needs a credential here");
    const statuses = operationsOf(document).flatMap(({ responses }) => Object.keys(responses));
    expect(statuses.filter((status) => status === "401" || status === "403")).toEqual([]);
  });
});

describe("a protected deployment", () => {
  const guarded = documentOf("protected");
  const CREDENTIALS = [{ bearer: [] }, { session: [] }, { api_key: [] }];

  test.each([
    ["addPet", CREDENTIALS, ["401"]],
    ["deletePet", CREDENTIALS, ["401"]],
    ["placeOrder", CREDENTIALS, ["401"]],
    ["getOrderById", CREDENTIALS, ["401", "403"]],
    ["getUserByName", CREDENTIALS, ["401", "403"]],
    ["updateUser", CREDENTIALS, ["401", "403"]],
    ["getPetById", undefined, []],
    ["getInventory", undefined, []],
    ["createUser", undefined, []],
    ["loginUser", undefined, []],
    ["logoutUser", [{}, { bearer: [] }, { session: [] }], []],
  ] as const)("%s states what it demands, and how it refuses §9.4", (id, security, statuses) => {
    const operation = operationOf(guarded, id);
    expect(operation?.security).toEqual(security);
    const refusals = Object.keys(operation?.responses ?? {}).filter((status) =>
      /^40[13]$/.test(status),
    );
    expect(refusals).toEqual(statuses);
  });

  test("has its schemes, and the key only as one of them", () => {
    expect(Object.keys(guarded.components.securitySchemes ?? {})).toEqual([
      "bearer",
      "session",
      "api_key",
    ]);
    expect(operationOf(guarded, "deletePet")?.parameters?.map(({ name }) => name)).toEqual([
      "petId",
    ]);
  });

  test("shows users with their passwords: a user sees their own §9.4", () => {
    const { User } = guarded.components.schemas as Record<string, { properties: Json }>;
    expect(Object.keys(User?.properties ?? {})).toContain("password");
  });

  test("its swagger.json keeps the signatures, and names the credentials that are demanded", () => {
    const classic = documentOf("protected", "v2/swagger.json");
    const open = documentOf("open", "v2/swagger.json");
    for (const operation of operationsOf(open)) {
      expect(operationOf(classic, operation.operationId)?.parameters).toEqual(operation.parameters);
    }
    expect(operationOf(classic, "getUserByName")?.security).toEqual([
      { petstore_auth: ["write:pets", "read:pets"] },
      { api_key: [] },
    ]);
    expect(operationOf(classic, "getPetById")?.security).toBeUndefined();
  });
});

/** What the documents of a sandbox and of an open deployment share. */
const common = ({ paths }: InterfaceDocument) =>
  JSON.parse(JSON.stringify(paths), (name, value: unknown) =>
    ["507", "x-d1-bookmark"].includes(name) ? undefined : value,
  ) as unknown;

describe("the document of a sandbox", () => {
  const own = documentOf("sandbox");

  test("demands no credential", () => {
    expect(own.components.securitySchemes).toBeUndefined();
    expect(operationsOf(own).filter(({ security }) => security)).toEqual([]);
  });

  test("has 507 exactly for the operations that write", () => {
    const full = operationsOf(own).filter(({ responses }) => "507" in responses);
    expect(full.map(({ operationId }) => operationId)).toEqual(
      operationsOf(own)
        .map(({ operationId }) => operationId)
        .filter((id) => !/^(?:get|find|log)/.test(id)),
    );
    expect(operationsOf(document).filter(({ responses }) => "507" in responses)).toEqual([]);
  });

  test("says nothing of replicas", () => {
    expect(JSON.stringify(own)).not.toContain("bookmark");
  });

  test("is that of an open deployment otherwise", () => {
    expect(JSON.stringify(common(own)).replaceAll("/stores/{store}/v2", "/v2")).toBe(
      JSON.stringify(common(document)),
    );
  });
});

const exported: ReadonlyMap<unknown, string> = new Map(
  [pet, store, user].flatMap((contract) =>
    Object.entries(contract).map(([name, value]): [unknown, string] => [value, name]),
  ),
);

const shownOf = (table: readonly Route[]) =>
  table.map(({ method, path, endpoint: { operation } }) => ({
    name: `${method} ${templateOf(path)}`,
    tag: path.split("/")[1],
    operation,
  }));
const routed = shownOf(routes);

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

describe.each([
  { file: "openapi.json", stated: document, shown: routed },
  { file: "swagger.json", stated: swagger, shown: routed },
  { file: "petstore3.json", stated: petstore3, shown: shownOf(petstore3Routes) },
])("$file", ({ stated, shown }) => {
  const documented = new Map(
    operationsOf(stated).map((each) => [`${each.method} ${each.path}`, each]),
  );

  test("is of version 1.0.0 §1.1.1", () => {
    expect(stated.info.version).toBe("1.0.0");
  });

  test("has exactly the operations that are routed §9.1 §API9", () => {
    expect([...documented.keys()].toSorted()).toEqual(shown.map(({ name }) => name).toSorted());
  });

  test.each(shown)(
    "$name has its operation's id and the tag of its path, each error that it declares with an example, and X-Request-Id everywhere §9.1",
    ({ name, tag, operation }) => {
      const found = documented.get(name);
      expect([found?.operationId, found?.tags]).toEqual([operation.id, [tag]]);
      const responses = found?.responses ?? {};
      for (const [status, message] of Object.entries(messagesOf(operation))) {
        // Nobody is forbidden anything here.
        if (status === "403") continue;
        const { content, examples } = responses[status] ?? {};
        const example = content?.["application/json"]?.example ?? examples?.["application/json"];
        const error = { code: Number(status), type: "error", message };
        expect([status, example]).toEqual([status, error]);
      }
      // The platform answers 414.
      const { 414: _byPlatform, ...ours } = responses;
      for (const { headers } of Object.values(ours)) expect(headers).toHaveProperty("X-Request-Id");
    },
  );
});
