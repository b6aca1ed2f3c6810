// The documents of the interface, as far as tests read them.
import openApiJson from "../openapi.json";
import swaggerJson from "../swagger.json";

type Json = Readonly<Record<string, unknown>>;

interface ParameterObject {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
}

interface ResponseObject {
  readonly headers?: Json;
  /** OpenAPI. */
  readonly content?: Readonly<Record<string, { readonly example?: unknown; schema?: unknown }>>;
  /** Swagger 2.0. */
  readonly examples?: Json;
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security?: readonly object[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export interface InterfaceDocument {
  readonly info: { readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly securitySchemes?: Json;
  };
  readonly security: readonly object[];
  readonly servers: readonly { readonly url: string }[];
}

export const openApi = openApiJson as unknown as InterfaceDocument;
export const swagger = swaggerJson as unknown as InterfaceDocument;

/** Every operation, in the order of the document. */
export const operationsOf = ({ paths }: InterfaceDocument) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
