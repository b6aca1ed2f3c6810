import { stringify } from "yaml";
import { BASE_PATH } from "../../src/base-path.ts";
import { openApiDocument } from "./document.ts";
import type { Deployment } from "./document.ts";
import type { Json } from "./schemas.ts";
import { swaggerDocument } from "./swagger.ts";

/** A deployment with this `ACCESS`, or a store of one's own, whatever that is. */
export type Kind = Deployment["access"] | "own store";

/**
 * The text of each document, by its path below that of the store, such as `v2/openapi.json`. What only the server knows
 * is left to `located` (src/documents.ts).
 */
export function documentsOf(kind: Kind): Record<string, string> {
  const access = kind === "protected" ? "protected" : "open";
  const isOwn = kind === "own store";
  const openApi = openApiDocument({ access, isOwn });
  const documents = { openapi: openApi, swagger: swaggerDocument(openApi, access) };
  return Object.fromEntries(
    Object.entries(documents).flatMap(([name, document]) => {
      const path = `${BASE_PATH}/${name}`.slice(1);
      return [
        [`${path}.json`, textOf(`${JSON.stringify(document, null, 2)}\n`, isOwn)],
        [`${path}.yaml`, textOf(yamlOf(document), isOwn)],
      ];
    }),
  );
}

const textOf = (text: string, isOwn: boolean) =>
  isOwn ? text.replaceAll(BASE_PATH, `/stores/{store}${BASE_PATH}`) : text;

/** Also readers of YAML 1.1, such as those of Python and Ruby, see strings where they are. */
const yamlOf = (document: Json) =>
  stringify(document, { compat: "yaml-1.1", aliasDuplicateObjects: false, lineWidth: 0 });
