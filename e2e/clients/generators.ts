/** Of each client the command that generates it in generated/, beside both documents. Its example has the same name. */
export const GENERATORS: Readonly<Record<string, string>> = {
  "openapi-fetch.exact.ts":
    "npx openapi-typescript openapi.json -o openapi-fetch.exact/petstore.ts",
  "hey-api.exact.ts": "npx openapi-ts -i openapi.json -o hey-api.exact",
  "hey-api.classic.ts": "npx openapi-ts -i swagger.json -o hey-api.classic",
  "orval.exact.ts":
    "npx orval --input openapi.json --output orval.exact/petstore.ts --client axios-functions",
  "orval.classic.ts":
    "npx orval --input swagger.json --output orval.classic/petstore.ts --client axios-functions",
  "swagger-typescript-api.exact.ts":
    "npx swagger-typescript-api generate -p openapi.json -o swagger-typescript-api.exact -n petstore.ts --generate-union-enums",
  "swagger-typescript-api.classic.ts":
    "npx swagger-typescript-api generate -p swagger.json -o swagger-typescript-api.classic -n petstore.ts",
  "openapi-zod-client.exact.ts":
    "npx openapi-zod-client openapi.json -o openapi-zod-client.exact.ts",
  "openapi-generator.classic.ts":
    "npx openapi-generator generate -i swagger.json -g typescript-axios -o openapi-generator.classic",
  "openapi-generator.classic.py":
    "npx openapi-generator generate -i swagger.json -g python --package-name petstore -o openapi-generator.python",
};

export const COLLECTION =
  "npx openapi2postmanv2 -s openapi.json -o petstore.postman.json -O parametersResolution=Example";

/** Clients that are only generated, with `-- --others`: docs/clients.md says what became of them. */
export const OTHERS: readonly string[] = ["go", "java", "perl"].map(
  (language) => `npx openapi-generator generate -i swagger.json -g ${language} -o ${language}`,
);
