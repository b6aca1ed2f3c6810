declare module "swagger-client" {
  /** An answer. */
  export interface Result {
    readonly status: number;
    readonly headers: Readonly<Record<string, string | string[]>>;
    /** The parsed body, if it is JSON. */
    readonly body?: unknown;
    /** The body as text or as a `Blob`. */
    readonly data: unknown;
  }

  export interface Client {
    readonly errors: readonly unknown[];
    readonly execute: (
      call: Readonly<Record<string, unknown>> & { readonly operationId: string },
    ) => Promise<Result>;
  }

  const SwaggerClient: (options: Readonly<Record<string, unknown>>) => Promise<Client>;
  export { SwaggerClient as default };
}
