// The OpenAPI 3.1 document of `/v2`, and what it shares with the documents for clients of Petstore.
import { HEADERS } from "./headers.ts";
import { INTRODUCTION } from "./introduction.ts";
import type { Json } from "./json.ts";
import { ref, type Operation } from "./operation.ts";
import { petOperations } from "./pet.ts";
import { responsesOf } from "./responses.ts";
import { schemas } from "./schemas.ts";
import { storeOperations } from "./store.ts";
import { userOperations } from "./user.ts";

/** The operations of `/v2` by id. Tools that send them in this order delete a resource last. */
export const operations = { ...petOperations, ...storeOperations, ...userOperations };

/** What stands at the top of each document. */
export const about = (description: string): Json => ({
  info: {
    title: "Pet Store Service",
    version: "1.0.0",
    description,
    contact: { name: "The operator of this server" },
  },
  tags: [
    { name: "pet", description: "Pets and their pictures." },
    { name: "store", description: "Orders and the inventory." },
    { name: "user", description: "Accounts, login and logout." },
  ],
  // Of the operations that anyone may call.
  security: [],
});

const apiKey = (name: string) => ({
  type: "apiKey",
  in: "header",
  name,
  description: "The API key of this deployment, if it has one. Ignored if access is open.",
});
export const KEY_SCHEMES = { api_key: apiKey("api_key"), x_api_key: apiKey("X-API-Key") };
export const KEYS = [{ api_key: [] }, { x_api_key: [] }];

/** The headers that the answers of a document refer to. */
export function headersOf(paths: Json): Json {
  const text = JSON.stringify(paths);
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => text.includes(`/headers/${name}"`)));
}

const contentOf = (mediaTypes = ["application/json"] as readonly string[], body: Json) =>
  Object.fromEntries(mediaTypes.map((type) => [type, body]));

function stated(operationId: string, operation: Operation): Json {
  const { at, summary, description = `${summary}.`, access, parameters, body } = operation;
  const { schema, mediaTypes, example } = operation.success;
  return {
    operationId,
    tags: [at.split("/")[1]],
    summary,
    description,
    // `{}`: with open access, no credentials are needed.
    ...(access && { security: [{}, { bearer: [] }, { session: [] }, ...(access === "session" ? [] : KEYS)] }),
    ...(parameters && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: contentOf(body.mediaTypes, { schema: ref(body.schema), example: body.example }),
      },
    }),
    responses: responsesOf(operation, contentOf(mediaTypes, { schema, example })),
  };
}

/** The document of `/v2`. */
export function openApi(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [id, operation] of Object.entries(operations)) {
    const [method = "", path = ""] = operation.at.split(" ");
    (paths[path] ??= {})[method.toLowerCase()] = stated(id, operation);
  }
  return {
    // Some tools refuse 3.1.1.
    openapi: "3.1.0",
    ...about(INTRODUCTION.openApi),
    servers: [{ url: "{origin}{path}/v2" }],
    paths,
    components: {
      schemas,
      headers: headersOf(paths),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "The token that `GET /user/login` returns.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "session",
          description: "The same token as a cookie, which `GET /user/login` sets.",
        },
        ...KEY_SCHEMES,
      },
    },
  };
}
