// The documents of the interface, OpenAPI and Swagger 2.0, as far as tests read them.
import openApiJson from "../docs/api/openapi.json";
import petstore3Json from "../docs/api/petstore3.json";
import { documentsOf } from "../scripts/openapi/documents.ts";
import type { Kind } from "../scripts/openapi/documents.ts";
import swaggerJson from "../docs/api/swagger.json";

type Json = Readonly<Record<string, unknown>>;

export interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** In Swagger 2.0, it has the members of its schema itself, unless it is the body. */
export interface ParameterObject extends Omit<Schema, "required"> {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly collectionFormat?: string;
  readonly schema?: Schema;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, HeaderObject | { readonly $ref: string }>>;
  /** OpenAPI. */
  readonly content?: Readonly<Record<string, { readonly example?: unknown; schema?: Schema }>>;
  readonly links?: Readonly<Record<string, LinkObject>>;
  /** Swagger 2.0. */
  readonly examples?: Json;
  readonly schema?: Schema;
}

export interface LinkObject {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly description?: string;
}

export interface HeaderObject {
  readonly required?: boolean;
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly example?: unknown; schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface InterfaceDocument {
  readonly openapi: string;
  readonly info: { readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly securitySchemes?: Json;
  };
  readonly security: readonly object[];
  readonly servers: readonly { readonly url: string }[];
  /** Swagger 2.0. */
  readonly basePath: string;
  readonly definitions: Readonly<Record<string, Schema>>;
  readonly securityDefinitions: Readonly<Record<string, object>>;
}

export const openApi = openApiJson as unknown as InterfaceDocument;
export const swagger = swaggerJson as unknown as InterfaceDocument;
export const petstore3 = petstore3Json as unknown as InterfaceDocument;

/** A document of a deployment of this kind, which names no server yet. */
export const documentOf = (kind: Kind, path = "v2/openapi.json") =>
  JSON.parse(documentsOf(kind)[path] ?? "") as InterfaceDocument;

/** Every operation, in the order of the document. */
export const operationsOf = ({ paths }: InterfaceDocument) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
