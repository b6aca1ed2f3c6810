import { stringify } from "yaml";
import { openApi } from "./openapi.ts";
import { openApi3, swagger } from "./petstore.ts";

/** Quotes what a parser of YAML 1.1, as in Python and Ruby, would not read as a string. */
const yaml = (document: object) =>
  stringify(document, { compat: "yaml-1.1", aliasDuplicateObjects: false, lineWidth: 0 });
const json = (document: object) => `${JSON.stringify(document, null, 2)}\n`;

/**
 * The text of each document by its path. The Worker fills in `{origin}`, `{host}` and `{scheme}`, and `{path}`, the path
 * above `/v2` and `/api/v3`.
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
