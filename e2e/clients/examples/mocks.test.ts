// Mocks made from the documents of a server. run.ts generates them and runs this file, with the server's origin in
// PETSTORE.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromOpenApi } from "@msw/source/open-api";
import { getResponse } from "msw";
import type { HttpHandler } from "msw";
import { send } from "../../http.ts";
import { DOCUMENTS } from "../generators.ts";
import type { DocumentName } from "../generators.ts";

const ORIGIN = process.env["PETSTORE"] ?? "";

/** Every operation has a mock at the address of the server, and `getPetById` answers with a pet. */
async function check(name: DocumentName, document: object, handlers: HttpHandler[]) {
  const { base } = DOCUMENTS[name];
  const ask = async (method: string, path: string) =>
    getResponse(
      handlers,
      new Request(`${ORIGIN}${base}${path.replaceAll(/\{\w+\}/g, "1")}`, { method }),
    );
  const { paths } = document as { paths: Record<string, object> };
  for (const [path, methods] of Object.entries(paths)) {
    for (const method of Object.keys(methods)) {
      const answer = await ask(method.toUpperCase(), path);
      assert.equal(answer?.status, 200, `${method} ${path}`);
      if (method !== "get" || path !== "/pet/{petId}") continue;
      const pet = (await answer.json()) as { name: unknown };
      assert.equal(typeof pet.name, "string");
    }
  }
}

for (const name of Object.keys(DOCUMENTS) as DocumentName[]) {
  const document = (await send(ORIGIN, `GET ${DOCUMENTS[name].path}`)).json as object;

  // msw-auto-mock refuses OpenAPI 3.0.4.
  if (name !== "petstore3") {
    test(`msw-auto-mock mocks every operation of the document "${name}"`, async () => {
      const module = `../generated/msw-auto-mock.${name}/handlers.js`;
      const { handlers } = (await import(module)) as { handlers: HttpHandler[] };
      await check(name, document, handlers);
    });
  }

  // @msw/source ignores the host of Swagger 2.0.
  if (name !== "classic") {
    test(`@msw/source mocks every operation of the document "${name}"`, async () => {
      await check(name, document, await fromOpenApi(document as Parameters<typeof fromOpenApi>[0]));
    });
  }
}
