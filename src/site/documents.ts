import * as v from "valibot";
import { BASE_PATH, PETSTORE3_PATH } from "../http/base-path.ts";
import { implementFor } from "../http/implement.ts";
import { operation } from "../http/operation.ts";
import { JsonText } from "../http/json-text.ts";
import { route } from "../routes.ts";
import type { Route } from "../routes.ts";
import { sandboxIn } from "../sandbox/name.ts";

/** What these handlers use besides the services. */
export interface WithAssets {
  /** The static assets. */
  readonly assets: Fetcher;
}

const getDocument = operation({
  id: "getDocument",
  access: "anyone",
  withoutDatabase: true,
  success: v.unknown(),
  errors: {},
});

/** A document has `{origin}`, `{host}`, `{scheme}` and `{store}` for what only its server knows. */
export function located(text: string, here: URL, store = ""): string {
  // A client writes the host. It must not end the string that it stands in, in JSON or YAML.
  const host = here.host.replaceAll(/[^\w.:[\]-]/g, encodeURIComponent);
  const scheme = here.protocol.slice(0, -1);
  const facts: Record<string, string> = { origin: `${scheme}://${host}`, host, scheme, store };
  return text.replaceAll(/\{(origin|host|scheme|store)\}/g, (_, name: string) => facts[name] ?? "");
}

/** The document that is the static asset of this path: one for the shared store, and one for every sandbox. */
const documentAt = (path: string) =>
  implementFor<WithAssets>()(getDocument, async ({ url, assets }) => {
    const sandbox = sandboxIn(url);
    const asset = await assets.fetch(`http://assets${sandbox ? "/stores" : ""}${path}`);
    // Without the type of the asset, because workerd warns about text whose type is that of YAML. A proxy may say in a
    // header where it is, but so may any client.
    const text = located(await new Response(asset.body).text(), new URL(url), sandbox?.name);
    const type = path.endsWith(".yaml") ? "application/yaml" : "application/json";
    return { body: new JsonText(text), headers: { "Content-Type": type } };
  });

/** The documents of the interface. The Worker answers them for every store, so reading one makes no sandbox. */
export const documents: readonly Route<WithAssets>[] = [
  `${BASE_PATH}/openapi.json`,
  `${BASE_PATH}/openapi.yaml`,
  `${BASE_PATH}/swagger.json`,
  `${BASE_PATH}/swagger.yaml`,
  `${PETSTORE3_PATH}/openapi.json`,
  `${PETSTORE3_PATH}/openapi.yaml`,
].map((path) => route("GET", path, documentAt(path)));

/** Whether a route is that of a document. */
export const isDocument = (path: string | undefined): boolean =>
  documents.some((document) => document.path === path);
