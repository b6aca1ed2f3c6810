import { Validator, type Schema, type SchemaDraft } from "@cfworker/json-schema";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { sandbox, send } from "../client.ts";
import { configure } from "../sandbox/sandboxes.ts";

type Json = Record<string, unknown>;

const documentAt = async (path: string, init = {}) => (await send("GET", path, init)).json<Json>();

/** Every object in a value, with the way to it. */
function* objectsIn(value: unknown, where = "#"): Generator<[string, Json]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [where, value as Json];
  for (const [name, inner] of Object.entries(value)) yield* objectsIn(inner, `${where}/${name}`);
}

/** The validator would take an `id` in an example for the name of a schema. */
const withoutExamples = (schema: object) =>
  JSON.parse(
    JSON.stringify(schema, (name, value: unknown) => (name === "example" || name === "examples" ? undefined : value)),
  ) as Schema;

const DOCUMENTS: readonly (readonly [path: string, draft: SchemaDraft])[] = [
  ["/v2/openapi.json", "2020-12"],
  ["/v2/swagger.json", "7"],
  ["/api/v3/openapi.json", "7"],
];

test.each(DOCUMENTS)("%s has only examples that fit their schemas", async (path, draft) => {
  const document = await documentAt(path);
  const { components, definitions } = document;
  const examples = [...objectsIn(document)].flatMap(([where, object]) => {
    // Beside the schema of a media type or a parameter, by media type in Swagger, or within a schema.
    const { example, examples: more = {}, schema = object } = object;
    const values = [...("example" in object ? [example] : []), ...Object.values(more as Json)];
    return values.map((value) => ({ where, schema: schema as Schema, value }));
  });
  expect(examples.length).toBeGreaterThan(10);
  const wrong = examples.filter(({ schema, value }) => {
    const whole = withoutExamples({ ...schema, components, definitions });
    return !new Validator(whole, draft, false).validate(value).valid;
  });
  expect(wrong).toEqual([]);
});

test.each(DOCUMENTS)("%s has every member of the resources", async (path) => {
  const { components, definitions } = await documentAt(path);
  const schemas = (definitions ?? (components as Json)["schemas"]) as Record<string, { properties: object }>;
  for (const [name, members] of [
    ["Pet", "category id name photoUrls status tags"],
    ["Order", "complete id petId quantity shipDate status"],
    ["User", "email firstName id lastName password phone userStatus username"],
  ] as const) {
    expect(Object.keys(schemas[name]?.properties ?? {}).toSorted()).toEqual(members.split(" "));
  }
});

test.each(["/v2", "/api/v3"])("the YAML of %s says the same as its JSON", async (base) => {
  const yaml = await send("GET", `${base}/openapi.yaml`);
  expect(yaml.headers.get("content-type")).toMatch(/\byaml\b/);
  expect(parse(await yaml.text())).toEqual(await documentAt(`${base}/openapi.json`));
});

const serversOf = async (below: string, init = {}) => {
  const v2 = await documentAt(`${below}/v2/openapi.json`, init);
  const v3 = await documentAt(`${below}/api/v3/openapi.json`, init);
  const { host, basePath, schemes } = await documentAt(`${below}/v2/swagger.json`, init);
  return [v2["servers"], v3["servers"], { host, basePath, schemes }];
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
