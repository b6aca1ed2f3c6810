// The OpenAPI 3.1 document of `/v2`, and the parts that it shares with the documents for clients of Petstore.
import { v2 } from "../src/v2.ts";
import { HEADERS } from "./headers.ts";
import { INTRODUCTION } from "./introduction.ts";
import type { Json } from "./json.ts";
import { petParameters, petTexts } from "./pet.ts";
import { responsesOf } from "./responses.ts";
import { routesOf, type Route } from "./routes.ts";
import { componentOf, schemaOf, schemas } from "./schemas.ts";
import { storeParameters, storeTexts } from "./store.ts";
import { mediaOf, ref, type Parameters, type Text } from "./texts.ts";
import { userParameters, userTexts } from "./user.ts";

/** The texts of all operations, in the order of the documents. */
export const texts: Readonly<Record<string, Text>> = { ...petTexts, ...storeTexts, ...userTexts };

/** The routes of `/v2`. @throws Error if a text belongs to no route */
export const routes2 = routesOf(v2);
const orphan = Object.keys(texts).find((operationId) => !routes2.has(operationId));
if (orphan) throw new Error(`openapi/ has a text for the operation ${orphan}, but src/v2.ts has no such route`);

export const TITLE = "Pet Store Service";
export const VERSION = "1.0.0";

const PARAMETERS: Parameters = { ...petParameters, ...storeParameters, ...userParameters };

/**
 * Returns the operations of an API by path and method.
 * @param write returns the parts of an operation other than its texts
 * @throws Error if a route has no text
 */
export function pathsOf(
  routes: ReadonlyMap<string, Route>,
  write: (route: Route, text: Text) => Json,
  inPetstore3 = false,
): Record<string, Record<string, Json>> {
  const missing = routes.keys().find((operationId) => !(operationId in texts));
  if (missing) throw new Error(`openapi/pet.ts, store.ts, or user.ts needs a text for the operation ${missing}`);
  const paths: Record<string, Record<string, Json>> = {};
  for (const [operationId, { petstore3, ...common }] of Object.entries(texts)) {
    const text = inPetstore3 ? { ...common, ...petstore3 } : common;
    const route = routes.get(operationId);
    // Petstore 3 lacks two operations.
    if (!route) continue;
    const { summary, description = `${summary}.` } = text;
    const about = { operationId, tags: [route.path.split("/")[1]], summary, description };
    (paths[route.path] ??= {})[route.method] = { ...about, ...write(route, text) };
  }
  return paths;
}

/** Returns the description and an example of a parameter. @throws Error if there is none */
export function parameterText(name: string, { parameters = {} }: Text) {
  const [description, example] = parameters[name] ?? PARAMETERS[name] ?? [];
  if (description === undefined) {
    throw new Error(`openapi/pet.ts, store.ts, or user.ts needs a text for the parameter ${name}`);
  }
  return { description, example };
}

/** Returns the only header parameter of the specification. Generators turn it into an argument. @param type a string */
export const headersOfRequest = ({ operationId }: Route, type: Json): Json[] =>
  operationId === "deletePet"
    ? [{ name: "api_key", in: "header", required: false, description: "API key. Ignored if access is open.", ...type }]
    : [];

/** Returns the beginning of each document. */
export const about = (description: string): Json => ({
  info: {
    title: TITLE,
    version: VERSION,
    description,
    contact: { name: "The operator of this server" },
  },
  tags: [
    { name: "pet", description: "Pets and their pictures." },
    { name: "store", description: "Orders and the inventory." },
    { name: "user", description: "Accounts, login, and logout." },
  ],
  // For operations that are always public.
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

/** Returns the headers that the responses of a document refer to. */
export function headersOf(paths: Json): Json {
  const text = JSON.stringify(paths);
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => text.includes(`/headers/${name}"`)));
}

function parametersOf(route: Route, text: Text): Json {
  const parameters = route.parameters.map(({ name, in: where, isRequired, schema }) => {
    const converted = schemaOf(schema);
    return {
      name,
      in: where,
      required: isRequired,
      ...parameterText(name, text),
      schema: converted,
      // Commas separate the items.
      ...(converted.type === "array" && { explode: false }),
    };
  });
  const all = [...parameters, ...headersOfRequest(route, { schema: { type: "string" } })];
  return all.length > 0 ? { parameters: all } : {};
}

function securityOf({ isProtected }: Route, { session }: Text): Json {
  if (!isProtected && session !== "ends") return {};
  // `{}`: with open access, no credentials are required.
  return { security: [{}, { bearer: [] }, { session: [] }, ...(isProtected ? KEYS : [])] };
}

function bodyOf({ body }: Route, { example }: Text): Json {
  if (!body?.schema) return {};
  const content = mediaOf(ref(componentOf(body.schema)), example);
  return {
    requestBody: { required: true, content: Object.fromEntries(body.mediaTypes.map((type) => [type, content])) },
  };
}

/** Returns the document of `/v2`. */
export function openApi(): Json {
  const paths = pathsOf(routes2, (route, text) => ({
    ...securityOf(route, text),
    ...parametersOf(route, text),
    ...bodyOf(route, text),
    responses: responsesOf(route, text),
  }));
  return {
    // Some tools reject 3.1.1.
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
