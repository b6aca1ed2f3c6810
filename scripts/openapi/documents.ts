import { openApiDocument } from "./document.ts";
import type { Deployment } from "./document.ts";
import { swaggerDocument } from "./swagger.ts";

/** Where `npm start` serves. */
export const LOCAL = "http://localhost:8787";

const HERE = { url: "/v2", description: "This server" };

/** A deployment with this `ACCESS`, or a store of one's own, whatever that is. */
export type Kind = Deployment["access"] | "own store";

/** Stands for the name of a store of one's own in its documents. */
export const STORE = "{store}";

/**
 * The text of each document, by the name of its file.
 * @param origin of the server, for a client that has only the file. A served document needs none, because it means the
 *   server that it comes from
 */
export function documentsOf(kind: Kind, origin?: string): Record<string, string> {
  const access = kind === "protected" ? "protected" : "open";
  const isOwn = kind === "own store";
  const local = { url: `${LOCAL}/v2`, description: "Local server" };
  const servers = kind === "open" ? (origin === undefined ? [HERE, local] : [local, HERE]) : [HERE];
  const openApi = openApiDocument({ access, isOwn, servers });
  const documents = {
    "openapi.json": openApi,
    "swagger.json": swaggerDocument(openApi, access, origin),
  };
  return Object.fromEntries(
    Object.entries(documents).map(([file, document]) => {
      const text = `${JSON.stringify(document, null, 2)}\n`;
      return [file, isOwn ? text.replaceAll("/v2", `/stores/${STORE}/v2`) : text];
    }),
  );
}
