// The variables of the images that the image replaces, so that whoever sets them can start it unchanged. docs/hosting.md
// has the same table. The npm command reads none of them.

/** The base paths that the server has, whatever the variables say. */
const SERVED = ["/v2", "/api/v3"];

const NAMES_SERVER = "each document names the server by the URL that it is read from";
const IS_OPEN = "access is open unless --access protected";

/** What each variable means: a base path that must be served, or nothing, and why. */
export const VARIABLES: Readonly<Record<string, "base path" | `nothing: ${string}`>> = {
  // swaggerapi/petstore
  SWAGGER_BASE_PATH: "base path",
  SWAGGER_URL: `nothing: ${NAMES_SERVER}`,
  SWAGGER_HOST: `nothing: ${NAMES_SERVER}`,
  // swaggerapi/petstore3
  SWAGGER_OAUTH_HOST: "nothing: there is no page to authorize at",
  // openapitools/openapi-petstore
  OPENAPI_BASE_PATH: "base path",
  DISABLE_OAUTH: `nothing: ${IS_OPEN}`,
  DISABLE_API_KEY: `nothing: ${IS_OPEN}`,
};

/** A sentence about the first base path that is not served; `undefined` if there is none. An empty one counts as unset. */
export function unservedIn(variables: NodeJS.ProcessEnv): string | undefined {
  for (const [name, meaning] of Object.entries(VARIABLES)) {
    const value = variables[name] ?? "";
    if (meaning !== "base path" || value === "" || SERVED.includes(value.replace(/\/$/, "")))
      continue;
    return `${name} is ${value.replaceAll(/\s+/g, " ")}, but the base paths are ${SERVED.join(" and ")}. Set it to one of them, or unset it.`;
  }
  return undefined;
}
