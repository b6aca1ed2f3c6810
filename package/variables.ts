// The variables of the images that the image replaces, so that whoever sets them can start it unchanged. docs/hosting.md
// has the same table. The npm command reads none of them.

/** What each variable sets: the base path of the interface at `/v2`, or nothing, because the server has no such setting. */
export const VARIABLES: Readonly<Record<string, "base path" | "nothing">> = {
  // swaggerapi/petstore
  SWAGGER_BASE_PATH: "base path",
  SWAGGER_URL: "nothing",
  SWAGGER_HOST: "nothing",
  // swaggerapi/petstore3
  SWAGGER_OAUTH_HOST: "nothing",
  // openapitools/openapi-petstore
  OPENAPI_BASE_PATH: "base path",
  DISABLE_OAUTH: "nothing",
  DISABLE_API_KEY: "nothing",
};

/** The options of the command that the variables stand for. An empty variable counts as unset. */
export function optionsOf(variables: NodeJS.ProcessEnv): string[] {
  const basePath = Object.keys(VARIABLES)
    .filter((name) => VARIABLES[name] === "base path")
    .map((name) => variables[name])
    .find((value) => value);
  return basePath === undefined ? [] : ["--base-path", basePath];
}

/** The variables that look like those of these images, but are none that the image knows. */
export const unknownIn = (variables: NodeJS.ProcessEnv): string[] =>
  Object.keys(variables).filter(
    (name) => /^(?:SWAGGER|OPENAPI)_/.test(name) && !(name in VARIABLES),
  );
