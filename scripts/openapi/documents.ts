import { openApiDocument } from "./document.ts";
import type { Deployment } from "./document.ts";
import { swaggerDocument } from "./swagger.ts";

/** Where `npm start` serves. */
export const LOCAL = "http://localhost:8787";

const HERE = { url: "/v2", description: "This server" };

/**
 * The text of each document, by the name of its file.
 * @param origin of the server for a client that has only the file. A document that is served needs none: it means the
 *   server that it comes from
 */
export function documentsOf(access: Deployment["access"], origin?: string): Record<string, string> {
  const local = {
    url: `${LOCAL}/v2`,
    description: "Local server",
  };
  const servers =
    access === "open" ? (origin === undefined ? [HERE, local] : [local, HERE]) : [HERE];
  const openApi = openApiDocument({ access, servers });
  const documents = {
    "openapi.json": openApi,
    "swagger.json": swaggerDocument(openApi, access, origin),
  };
  return Object.fromEntries(
    Object.entries(documents).map(([file, document]) => [
      file,
      `${JSON.stringify(document, null, 2)}\n`,
    ]),
  );
}
