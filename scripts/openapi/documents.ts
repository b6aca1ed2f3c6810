import { stringify } from "yaml";
import { BASE_PATH, PETSTORE3_PATH } from "../../src/http/base-path.ts";
import { openApiDocument } from "./document.ts";
import type { Deployment } from "./document.ts";
import { petstore3Document } from "./petstore3.ts";
import type { Json } from "./json.ts";
import { swaggerDocument } from "./swagger.ts";

/** A deployment with this `ACCESS`, or a sandbox, whose documents are the same for both. */
export type Kind = Deployment["access"] | "sandbox";

/**
 * The text of each document, by its path below that of the store, such as `v2/openapi.json`. `located`
 * (src/assets/documents.ts) fills in what only the server knows.
 */
export function documentsOf(kind: Kind): Record<string, string> {
  const access = kind === "protected" ? "protected" : "open";
  const isOwn = kind === "sandbox";
  const openApi = openApiDocument({ access, isOwn });
  const documents = [
    { basePath: BASE_PATH, name: "openapi", document: openApi },
    { basePath: BASE_PATH, name: "swagger", document: swaggerDocument(openApi, access) },
    { basePath: PETSTORE3_PATH, name: "openapi", document: petstore3Document({ access, isOwn }) },
  ];
  return Object.fromEntries(
    documents.flatMap(({ basePath, name, document }) => {
      const path = `${basePath}/${name}`.slice(1);
      const textOf = (text: string) =>
        text.replaceAll(BASE_PATH, `${isOwn ? "/stores/{store}" : ""}${basePath}`);
      return [
        [`${path}.json`, textOf(`${JSON.stringify(document, null, 2)}\n`)],
        [`${path}.yaml`, textOf(yamlOf(document))],
      ];
    }),
  );
}

/** Quotes what a parser of YAML 1.1, as in Python and Ruby, would not read as a string. */
const yamlOf = (document: Json) =>
  stringify(document, { compat: "yaml-1.1", aliasDuplicateObjects: false, lineWidth: 0 });
