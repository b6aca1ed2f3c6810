import * as v from "valibot";
import { BASE_PATH, PETSTORE3_PATH } from "../http/base-path.ts";
import { implementFor } from "../http/implement.ts";
import { JsonText, operation } from "../http/operation.ts";
import { route } from "../routes.ts";
import type { Route } from "../routes.ts";

/** What these handlers need besides the services. */
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

/** Fills in what only the server knows: a document has `{origin}`, `{host}`, `{scheme}` and `{store}` instead. */
export function located(text: string, here: URL, store = ""): string {
  // The client sends the host. It must not end the JSON or YAML string that contains it.
  const host = here.host.replaceAll(/[^\w.:[\]-]/g, encodeURIComponent);
  const scheme = here.protocol.slice(0, -1);
  const facts: Record<string, string> = { origin: `${scheme}://${host}`, host, scheme, store };
  return text.replaceAll(/\{(origin|host|scheme|store)\}/g, (_, name: string) => facts[name] ?? "");
}

/** The document at a path. It is a static asset: one for the shared store, another for every sandbox. */
const documentAt = (path: string) =>
  implementFor<WithAssets>()(getDocument, async ({ url, assets, storePath }) => {
    const asset = await assets.fetch(`http://assets${storePath && "/stores"}${path}`);
    // A new `Response` has no `Content-Type`: workerd warns when it reads YAML as text. The origin comes from the
    // URL, not from `X-Forwarded-Host`, which any client can send.
    const text = located(
      await new Response(asset.body).text(),
      new URL(url),
      storePath.slice("/stores/".length),
    );
    const type = path.endsWith(".yaml") ? "application/yaml" : "application/json";
    return { body: new JsonText(text), headers: { "Content-Type": type } };
  });

/**
 * The documents of both interfaces; those of `/v2` also at the root. The Worker serves them for sandboxes too, so reading
 * one creates no sandbox.
 */
export const documents: readonly Route<WithAssets>[] = [
  ...[
    `${BASE_PATH}/openapi.json`,
    `${BASE_PATH}/openapi.yaml`,
    `${BASE_PATH}/swagger.json`,
    `${BASE_PATH}/swagger.yaml`,
    `${PETSTORE3_PATH}/openapi.json`,
    `${PETSTORE3_PATH}/openapi.yaml`,
  ].map((path) => route("GET", path, documentAt(path))),
  ...["/openapi.json", "/openapi.yaml"].map((path) =>
    route("GET", path, documentAt(BASE_PATH + path)),
  ),
];

/** Whether a document has this path. */
export const isDocument = (path: string | undefined): boolean =>
  documents.some((document) => document.path === path);
