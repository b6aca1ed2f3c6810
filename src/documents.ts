import * as v from "valibot";
import { BASE_PATH } from "./base-path.ts";
import { implementFor } from "./http/implement.ts";
import { operation } from "./http/operation.ts";
import { JsonText } from "./json-text.ts";
import { route } from "./routes.ts";
import type { Route } from "./routes.ts";
import type { InWorker } from "./sandbox/handlers.ts";
import { sandboxIn } from "./sandbox/name.ts";

const getDocument = operation({
  id: "getDocument",
  access: "anyone",
  withoutDatabase: true,
  summary: "A document of the interface",
  success: v.unknown(),
  errors: {},
});

/** The document that is the static asset of this name: one for the shared store, and one for every sandbox. */
const documentOf = (file: string) =>
  implementFor<InWorker>()(getDocument, async ({ url, assets }) => {
    const sandbox = sandboxIn(url);
    const path = `${sandbox ? "/stores" : BASE_PATH}/${file}`;
    const text = await (await assets.fetch(new URL(path, url))).text();
    return { body: new JsonText(sandbox ? text.replaceAll("{store}", sandbox.name) : text) };
  });

/** The documents of the interface. The Worker answers them for every store, so reading one makes no sandbox. */
export const documents: readonly Route<InWorker>[] = ["openapi.json", "swagger.json"].map((file) =>
  route("GET", `${BASE_PATH}/${file}`, documentOf(file)),
);

/** Whether a route is that of a document. */
export const isDocument = (path: string | undefined): boolean =>
  documents.some((document) => document.path === path);
