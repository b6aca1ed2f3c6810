// Bodies that a generator makes from the documents, and why the service rejects some of them.
import { createGeneratorSync } from "json-schema-faker";
import { expect, test } from "vitest";
import { getJson, sandbox, send } from "../client.ts";
import { DOCUMENTS, findJsonBody, listOperations, type Document, type Json } from "./operations.ts";

const BODIES = 300;
const SEED = 20_261_127;

interface Failure {
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** Tools that make random bodies read no examples. */
const withoutExamples = (schema: object) =>
  JSON.parse(JSON.stringify(schema, (name, value: unknown) => (/^examples?$/.test(name) ? undefined : value))) as Json;

const ID = "must be an integer from 1 to 9007199254740991";

/** Petstore's model of a pet serves both bodies, and has an optional `id`. The description of the operation says that it is required. */
const NO_ID = { "400 id: is required": "PUT of a pet" };

/** The document has no limits, as in Petstore: some clients enforce them, so that no test could send an invalid value. */
const NO_LIMITS = {
  [`400 *.id: ${ID}`]: "minimum",
  [`400 id: ${ID}`]: "minimum",
  [`405 id: ${ID}`]: "minimum",
  "400 quantity: must not be negative": "minimum",
  "405 name: must not be empty": "minLength",
  "400 *.username: must not be blank or have control characters": "pattern",
  "400 username: must not be blank or have control characters": "pattern",
};

/** The reasons for which the service rejects generated bodies, and what the document lacks. */
const REASONS: Readonly<Record<(typeof DOCUMENTS)[number][0], Readonly<Record<string, string>>>> = {
  "/v2/openapi.json": {},
  "/v2/swagger.json": { ...NO_ID, ...NO_LIMITS },
  "/api/v3/openapi.json": NO_ID,
};

test.each(DOCUMENTS)(
  "of 300 bodies made from %s, the service rejects only those with a known reason",
  async (path, base) => {
    const to = sandbox();
    const { components, definitions, ...document } = await getJson<Document>(path);
    const operations = listOperations(document).filter(findJsonBody);
    const generator = createGeneratorSync({ seed: SEED });
    const rejected = new Map<string, unknown>();
    for (let index = 0; index < BODIES; index++) {
      const operation = operations[index % operations.length];
      const { schema } = (operation && findJsonBody(operation)) ?? {};
      if (!operation || !schema) continue;
      const json = generator.generate({ ...withoutExamples({ ...schema, components, definitions }) });
      // So that no body is rejected for an ID or a username that is already in use.
      await send("PUT", `${to}/data`, { json: { data: "empty" } });
      const target = operation.path.replace("{username}", "ada");
      const response = await send(operation.method, to + base + target, { json });
      // A valid update of a pet or a user that does not exist is 404.
      if (response.status === 200 || response.status === 404) continue;
      const { errors = [] } = await response.json<Failure>();
      const [first = { path: "", message: "" }] = errors;
      rejected.set(`${response.status} ${first.path.replaceAll(/\d+/g, "*")}: ${first.message}`, json);
    }
    const unexpected = [...rejected].filter(([reason]) => !(reason in REASONS[path]));
    expect(unexpected).toEqual([]);
    const outdated = Object.keys(REASONS[path]).filter((reason) => !rejected.has(reason));
    expect(outdated).toEqual([]);
  },
);
