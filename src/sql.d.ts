/** Wrangler bundles a file of SQL as text (https://developers.cloudflare.com/workers/wrangler/bundling/). */
declare module "*.sql" {
  const text: string;
  // oxlint-disable-next-line import/no-default-export -- how a module of text is imported
  export default text;
}
