declare module "swagger-client" {
  interface Answer {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** The parsed body, if it is JSON. */
    // oxlint-disable-next-line typescript/no-explicit-any -- the callers assert what it has
    readonly body: any;
  }

  interface Client {
    readonly errors: readonly unknown[];
    readonly execute: (call: Readonly<Record<string, unknown>>) => Promise<Answer>;
  }

  const SwaggerClient: (options: Readonly<Record<string, unknown>>) => Promise<Client>;
  export { SwaggerClient as default };
}
