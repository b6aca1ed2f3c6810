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
  /** The base path of the document's interface. */
  readonly base: string;
  /** What its example calls. Default: the whole walk. */
  readonly calls?: readonly string[];
}

/** @param command of the generator, with placeholders: DOCUMENT is the document's file, FOLDER is the client's */
const clientsOf = (
  generator: string,
  names: readonly DocumentName[],
  command: string,
): readonly Client[] =>
  names.map((name) => {
    const { file, base } = DOCUMENTS[name];
    const folder = `${generator}.${name}`;
    return {
      command: command.replace("DOCUMENT", file).replace("FOLDER", folder),
      folder,
      base,
    };
  });

/** The generators that most people use, each at its newest version. */
export const CLIENTS: readonly Client[] = [
  ...clientsOf("openapi-fetch", ["exact"], "npx openapi-typescript DOCUMENT -o FOLDER/petstore.ts"),
  ...clientsOf("hey-api", ["exact"], "npx openapi-ts -i ./DOCUMENT -o FOLDER"),
  ...clientsOf(
    "orval",
    ["classic", "petstore3"],
    "npx orval --input DOCUMENT --output FOLDER/petstore.ts --client axios-functions",
  ),
  ...clientsOf(
    "swagger-typescript-api",
    ["exact"],
    "npx swagger-typescript-api generate -p DOCUMENT -o FOLDER -n petstore.ts --generate-union-enums",
  ),
  ...clientsOf("oazapfts", ["exact"], "npx oazapfts DOCUMENT FOLDER.ts"),
  ...clientsOf("kubb", ["exact"], "npx kubb generate --config ../kubb.config.ts").map((client) => ({
    ...client,
    calls: ["addPet", "getPetById"],
  })),
  // Needs Java. This is the newest program that is on npm; later ones are only on Maven.
  ...clientsOf(
    "openapi-generator",
    ["classic"],
    "npx openapi-generator generate -i DOCUMENT -o FOLDER -g typescript-axios",
  ),
];

export const COLLECTION =
  "npx openapi2postmanv2 -s openapi.json -o petstore.postman.json -O parametersResolution=Example";
