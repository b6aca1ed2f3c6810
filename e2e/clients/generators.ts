/** The documents of a server. `file` is what each is called in generated/. */
export const DOCUMENTS = {
  exact: { base: "/v2", path: "/v2/openapi.json", file: "openapi.json" },
  classic: { base: "/v2", path: "/v2/swagger.json", file: "swagger.json" },
  petstore3: { base: "/api/v3", path: "/api/v3/openapi.json", file: "petstore3.json" },
} as const;

export type DocumentName = keyof typeof DOCUMENTS;

/** A client of one document, and its example. */
export interface Client {
  /** Generates it in generated/. */
  readonly command: string;
  readonly folder: string;
  readonly generator: string;
  readonly example: string;
  /** The base path of the interface that the document describes. */
  readonly base: string;
}

/** @param command of a generator, in which DOCUMENT is the file of a document, and FOLDER that of the client */
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

export const CLIENTS: readonly Client[] = [
  ...clientsOf(
    "openapi-fetch",
    ["exact", "petstore3"],
    "npx openapi-typescript DOCUMENT -o FOLDER/petstore.ts",
  ),
  ...clientsOf(
    "hey-api",
    ["exact", "classic", "petstore3"],
    "npx openapi-ts -i DOCUMENT -o FOLDER",
  ),
  ...clientsOf(
    "orval",
    ["exact", "classic", "petstore3"],
    "npx orval --input DOCUMENT --output FOLDER/petstore.ts --client axios-functions",
  ),
  ...clientsOf("oazapfts", ["exact", "petstore3"], "npx oazapfts DOCUMENT FOLDER.ts"),
  ...clientsOf(
    "openapi-typescript-codegen",
    ["exact", "classic", "petstore3"],
    "npx openapi --useUnionTypes -i DOCUMENT -o FOLDER",
  ),
  ...clientsOf(
    "swagger-typescript-api",
    ["exact", "classic"],
    "npx swagger-typescript-api generate -p DOCUMENT -o FOLDER -n petstore.ts --generate-union-enums",
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

/** The mocks of the server that a document names. */
export const MOCKS: readonly string[] = (["exact", "classic"] as const).map(
  (name) => `npx msw-auto-mock ${DOCUMENTS[name].file} -o msw-auto-mock.${name} --base-url`,
);
