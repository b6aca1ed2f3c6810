declare module "swagger-client" {
  interface ClientResponse {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** The parsed body, if it is JSON. */
    // oxlint-disable-next-line typescript/no-explicit-any -- the callers assert its content
    readonly body: any;
  }

  interface Client {
    readonly errors: readonly unknown[];
    readonly execute: (call: Readonly<Record<string, unknown>>) => Promise<ClientResponse>;
  }

  const SwaggerClient: (options: Readonly<Record<string, unknown>>) => Promise<Client>;
  export { SwaggerClient as default };
}
