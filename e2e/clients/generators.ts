/** The documents of a server. `file` is the name of each in generated/. */
export const DOCUMENTS = {
  exact: { base: "/v2", path: "/v2/openapi.json", file: "openapi.json" },
  classic: { base: "/v2", path: "/v2/swagger.json", file: "swagger.json" },
  petstore3: { base: "/api/v3", path: "/api/v3/openapi.json", file: "petstore3.json" },
} as const;

export type DocumentName = keyof typeof DOCUMENTS;

/** A generated client of one document, and its example. */
export interface Client {
  /** Generates the client, in generated/. */
  readonly command: string;
  readonly folder: string;
  readonly generator: string;
  readonly example: string;
  /** The base path of the document's interface. */
  readonly base: string;
}

/** @param command of the generator, with placeholders: DOCUMENT is the document's file, FOLDER is the client's */
const clientsOf = (
  generator: string,
  names: readonly DocumentName[],
  command: string,
  exampleOf = (folder: string) => `${folder}.ts`,
): readonly Client[] =>
  names.map((name) => {
    const { file, base } = DOCUMENTS[name];
    const folder = `${generator}.${name}`;
    return {
      command: command.replace("DOCUMENT", file).replace("FOLDER", folder),
      folder,
      generator,
      example: exampleOf(folder),
      base,
    };
  });

/** One generator for each style of code: typed paths, functions with options, functions over axios, checked by schema. */
export const CLIENTS: readonly Client[] = [
  ...clientsOf("openapi-fetch", ["exact"], "npx openapi-typescript DOCUMENT -o FOLDER/petstore.ts"),
  ...clientsOf("hey-api", ["exact"], "npx openapi-ts -i DOCUMENT -o FOLDER"),
  ...clientsOf(
    "orval",
    ["classic", "petstore3"],
    "npx orval --input DOCUMENT --output FOLDER/petstore.ts --client axios-functions",
  ),
  ...clientsOf("openapi-zod-client", ["exact"], "npx openapi-zod-client DOCUMENT -o FOLDER.ts"),
];

const OPENAPI_GENERATOR = "npx openapi-generator generate -i DOCUMENT -o FOLDER";

/** The clients of OpenAPI Generator, which needs Java. */
export const OPENAPI_GENERATOR_CLIENTS: readonly Client[] = [
  ...clientsOf("openapi-generator", ["classic"], `${OPENAPI_GENERATOR} -g typescript-axios`),
  ...clientsOf(
    "openapi-generator-python",
    ["classic", "petstore3"],
    `${OPENAPI_GENERATOR} -g python --package-name petstore`,
    () => "openapi-generator.py",
  ),
  ...clientsOf(
    "openapi-generator-ruby",
    ["classic", "petstore3"],
    `${OPENAPI_GENERATOR} -g ruby --additional-properties gemName=petstore,moduleName=Petstore`,
    () => "openapi-generator.rb",
  ),
];

export const COLLECTION =
  "npx openapi2postmanv2 -s openapi.json -o petstore.postman.json -O parametersResolution=Example";

/** Mocks of the server that a document names. */
export const MOCKS: readonly string[] = (["exact", "classic"] as const).map(
  (name) => `npx msw-auto-mock ${DOCUMENTS[name].file} -o msw-auto-mock.${name} --base-url`,
);
