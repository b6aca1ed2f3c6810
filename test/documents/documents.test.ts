import { Validator, type Schema as JsonSchema, type SchemaDraft } from "@cfworker/json-schema";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { getJson, sandbox, send } from "../client.ts";
import { configure } from "../sandbox/sandboxes.ts";
import { DOCUMENTS, listOperations, namedSchemas, type Document, type Json } from "./operations.ts";

/** Yields every object in a value, with its path. */
function* objectsIn(value: unknown, where = "#"): Generator<[string, Json]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [where, value as Json];
  for (const [name, inner] of Object.entries(value)) yield* objectsIn(inner, `${where}/${name}`);
}

/** The validator would take an `id` in an example for the name of a schema. */
const withoutExamples = (schema: object) =>
  JSON.parse(
    JSON.stringify(schema, (name, value: unknown) => (/^examples?$/.test(name) ? undefined : value)),
  ) as JsonSchema;

const isValid = (schema: object, draft: SchemaDraft, value: unknown) =>
  new Validator(withoutExamples(schema), draft, false).validate(value).valid;

const draftOf = (path: string): SchemaDraft => (path === "/v2/openapi.json" ? "2020-12" : "7");

test.each(DOCUMENTS)("%s has only examples that fit their schemas", async (path) => {
  const document = await getJson<Document>(path);
  const { components, definitions } = document;
  const examples = [...objectsIn(document)].flatMap(([where, object]) => {
    // Beside the schema of a media type or a parameter, by media type in Swagger, or within a schema.
    const { example, examples: named = {}, schema = object } = object;
    const more = Object.values(named as Json).map((each) =>
      Object(each) === each && "value" in (each as object) ? (each as { value: unknown }).value : each,
    );
    const values = [...("example" in object ? [example] : []), ...more];
    // An example has the name `example`, too.
    return where.endsWith("/examples") ? [] : values.map((value) => ({ where, schema: schema as object, value }));
  });
  expect(examples.length).toBeGreaterThan(10);
  const wrong = examples.filter(
    ({ schema, value }) => !isValid({ ...schema, components, definitions }, draftOf(path), value),
  );
  expect(wrong).toEqual([]);
});

test.each(["Pet", "Order", "User"])("every document has the same properties of %s", async (resource) => {
  const [first = [], ...others] = await Promise.all(
    DOCUMENTS.map(async ([path]) =>
      Object.keys(namedSchemas(await getJson<Document>(path))[resource]?.properties ?? {}).toSorted(),
    ),
  );
  expect(first.length).toBeGreaterThan(5);
  for (const properties of others) expect(properties, "`inPetstore` of openapi/schemas.ts").toEqual(first);
});

test.each(DOCUMENTS)("the patterns of %s mean the same in ECMAScript, Python, Java, and .NET", async (path) => {
  const objects = [...objectsIn(await getJson<Document>(path))].map(([, object]) => object);
  const patterns = new Set(objects.flatMap(({ pattern }) => (typeof pattern === "string" ? [pattern] : [])));
  // Swagger 2.0 has no limits.
  expect(patterns.size > 3).toBe(path !== "/v2/swagger.json");
  for (const pattern of patterns) {
    expect(() => new RegExp(pattern, "u"), pattern).not.toThrow();
    // `\s` is allowed: where it means less, such as in Java, the document accepts more than the service.
    expect(pattern).not.toMatch(/\(\?[=!<]|\\[dpPwWbBAzZ]/);
    // Generators escape `/` again, or print a line separator as it is. Neither compiles.
    expect(pattern).not.toMatch(/\\\/|\\u202[89]|[\u2028\u2029]/);
    // In Java, a bracket or `&&` within a class starts another class.
    expect(pattern.replaceAll(/\\./g, "")).not.toMatch(/\[[^\]]*(?:\[|&&)/);
  }
});

test("the document for tools that do not read OpenAPI 3.1 is OpenAPI 3.0.3", async () => {
  expect((await getJson<Document>("/api/v3/openapi.json")).openapi).toBe("3.0.3");
});

test.each(DOCUMENTS)("%s has no response header that a response can lack", async (path) => {
  const headers = listOperations(await getJson<Document>(path)).flatMap(({ responses }) =>
    Object.values(responses).flatMap((response) => Object.keys(response.headers ?? {})),
  );
  expect(headers).toContain("X-Request-Id");
  // test/documented.ts checks that every response has the others.
  for (const name of ["x-d1-bookmark", "Link", "Accept", "Accept-Encoding", "Content-Disposition"]) {
    expect(headers).not.toContain(name);
  }
});

test.each(["/v2/openapi.json", "/v2/swagger.json"])("%s declares the size and the tag of a 416", async (path) => {
  const image = listOperations(await getJson<Document>(path)).find(({ operationId }) => operationId === "getPetImage");
  expect(image?.responses["416"]?.headers).toMatchObject({
    "Content-Range": { description: "The size of the file." },
    ETag: {},
  });
});

test("the document of /v2 shows the methods of the path in Allow of each 405", async () => {
  const operations = listOperations(await getJson<Document>("/v2/openapi.json"));
  const rejecting = operations.filter(({ responses }) => responses["405"]);
  expect(rejecting.map(({ operationId }) => operationId)).toEqual(["addPet", "updatePet", "updatePetWithForm"]);
  for (const { path, responses } of rejecting) {
    const methods = operations.flatMap((each) => (each.path === path ? each.method : []));
    const example = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
    const allow = responses["405"]?.headers?.["Allow"] as { readonly example: string } | undefined;
    expect(allow?.example.split(", ").toSorted()).toEqual(example.toSorted());
  }
});

test("the document of /api/v3 says what the service requires although Petstore marks it as optional", async () => {
  const operations = listOperations(await getJson<Document>("/api/v3/openapi.json"));
  const texts = operations.flatMap(({ operationId, parameters = [], requestBody }) => [
    ...parameters.map(({ name, description = "" }) => [`${operationId} ${name}`, description] as const),
    [`${operationId} body`, requestBody?.description ?? ""] as const,
  ]);
  const required = texts.filter(([, text]) => /Returns 400 if (?:both|missing)/.test(text)).map(([name]) => name);
  expect(required).toEqual([
    "findPetsByTags tags",
    "uploadFile body",
    "updatePetWithForm name",
    "updatePetWithForm status",
    "placeOrder body",
    "createUser body",
    "createUsersWithListInput body",
    "loginUser username",
    "loginUser password",
    "updateUser body",
  ]);
});

/** Returns whether the service and the document of an API accept a pet with these URLs. */
async function verdicts(base: string, photoUrls: unknown) {
  const json = { name: "Rex", photoUrls };
  const { status } = await send("POST", `${base}/pet`, { json });
  const path = `${base}/openapi.json`;
  const { components } = await getJson<Document>(path);
  const $ref = `#/components/schemas/${base === "/v2" ? "NewPet" : "Pet"}`;
  return { service: status === 200, document: isValid({ $ref, components }, draftOf(path), json) };
}

describe("the documents and the service agree about photoUrls:", () => {
  const accepted = ["a.png", "/a/b:c", "a b", "?a:b", "./é:x", "http://a", "HTTPS://a.b:65535/x", "//cdn.example/x"];
  const ipv6 = ["http://[::1]:8787/x", "http://[2001:db8::1]/", "http://u:p@h/x", "http://münchen.example/"];
  const rejected = ["mailto:x", "javascript:alert(1)", " data:,", "htt:x", "httpss:x", "http://", "//", "http://a b/"];
  const hosts = ["http://a:123456/", "http://a:x/", "https://?a", "http:a", "1:2", "é:x"];
  const items = [
    ...[...accepted, ...ipv6, ""].map((item) => [item, true] as const),
    ...[...rejected, ...hosts].map((item) => [item, false] as const),
  ];
  const texts = [
    ...[...accepted, "a,b", "a, http://b/c"].map((text) => [text, true] as const),
    ...[...rejected, "", " ", ",", "a,", "a,,b", "a,mailto:x"].map((text) => [text, false] as const),
  ];
  const cases = [
    ...texts.map(([text, isAccepted]) => ["/v2", text, isAccepted] as const),
    ...items.map(([item, isAccepted]) => ["/v2", [item], isAccepted] as const),
    ...items.map(([item, isAccepted]) => ["/api/v3", [item], isAccepted] as const),
  ];

  test.each(cases)("%s %j %s", async (base, photoUrls, isAccepted) => {
    expect(await verdicts(base, photoUrls)).toEqual({ service: isAccepted, document: isAccepted });
  });

  test.each([
    [100, true],
    [101, false],
  ])("%i URLs separated by commas: %s", async (count, isAccepted) => {
    const text = Array.from({ length: count }, () => "a").join(",");
    expect(await verdicts("/v2", text)).toEqual({ service: isAccepted, document: isAccepted });
  });
});

test.each(["/v2", "/api/v3"])("the YAML of %s says the same as its JSON", async (base) => {
  const yaml = await send("GET", `${base}/openapi.yaml`);
  expect(yaml.headers.get("content-type")).toMatch(/\byaml\b/);
  expect(parse(await yaml.text())).toEqual(await getJson<Document>(`${base}/openapi.json`));
});

const serversOf = async (below: string, init = {}) => {
  const v2 = await getJson<Document>(`${below}/v2/openapi.json`, init);
  const v3 = await getJson<Document>(`${below}/api/v3/openapi.json`, init);
  const { host, basePath, schemes } = await getJson<Document>(`${below}/v2/swagger.json`, init);
  return [v2.servers, v3.servers, { host, basePath, schemes }];
};
const servers = (scheme: string, host: string, path: string) => [
  [{ url: `${scheme}://${host}${path}/v2` }],
  [{ url: `${scheme}://${host}${path}/api/v3` }],
  { host, basePath: `${path}/v2`, schemes: [scheme] },
];

describe("the server that a document names", () => {
  const own = sandbox();

  test.each([
    ["is that of the request", "http://petstore.test:8080", undefined, "http", "petstore.test:8080", ""],
    ["is that of the request", "https://petstore.test", undefined, "https", "petstore.test", ""],
    ["is the sandbox", `http://petstore.test${own}`, undefined, "http", "petstore.test", own],
    ["is PUBLIC_URL", "", "https://pets.example", "https", "pets.example", ""],
    ["is PUBLIC_URL", "", "https://pets.example/shop/", "https", "pets.example", "/shop"],
  ])("%s: %s %s", async (_, below, PUBLIC_URL, scheme, host, path) => {
    const init = PUBLIC_URL === undefined ? {} : { env: { PUBLIC_URL } };
    expect(await serversOf(below, init)).toEqual(servers(scheme, host, path));
  });

  test("is PUBLIC_URL in front of the sandbox", async () => {
    const path = sandbox();
    await configure(path, { PUBLIC_URL: "https://pets.example/shop" });
    expect(await serversOf(path)).toEqual(servers("https", "pets.example", `/shop${path}`));
  });
});
