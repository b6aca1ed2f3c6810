import { stringify } from "yaml";
import { openApi } from "./openapi.ts";
import { openApi3, swagger } from "./petstore.ts";

/** Writes YAML. Quotes strings that a parser of YAML 1.1, as in Python and Ruby, would read as another type. */
const yaml = (document: object) =>
  stringify(document, { compat: "yaml-1.1", aliasDuplicateObjects: false, lineWidth: 0 });
const json = (document: object) => `${JSON.stringify(document, null, 2)}\n`;

/**
 * Returns the text of each document by its path. The Worker replaces `{origin}`, `{host}`, `{scheme}`, and `{path}`, the path
 * in front of `/v2` and `/api/v3`.
 */
export function documents(): Record<string, string> {
  return {
    "v2/openapi.json": json(openApi()),
    "v2/openapi.yaml": yaml(openApi()),
    "v2/swagger.json": json(swagger()),
    "v3/openapi.json": json(openApi3()),
    "v3/openapi.yaml": yaml(openApi3()),
  };
}
