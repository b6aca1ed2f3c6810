/** Schemas of HAR by their names, in draft 6 of JSON Schema. */
declare module "har-schema" {
  import type { Schema } from "@cfworker/json-schema";

  const schemas: Readonly<Record<string, Schema>> & { readonly har: Schema };
  export = schemas;
}
