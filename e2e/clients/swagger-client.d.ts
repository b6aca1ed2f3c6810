declare module "swagger-client" {
  /** What a call gave. */
  export interface Result {
    readonly status: number;
    readonly headers: Readonly<Record<string, string | string[]>>;
    /** The body, where it is JSON. */
    readonly body?: unknown;
    /** The body: text, or a `Blob`. */
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
