/** The base paths of the specification's interface and of Petstore 3 (interface §11). */
export const BASE_PATHS = ["/v2", "/api/v3"] as const;
export const [BASE_PATH, PETSTORE3_PATH] = BASE_PATHS;

/** The base path of a path (without that of a sandbox); "" for none. */
export const basePathOf = (path: string): string =>
  BASE_PATHS.find((basePath) => `${path}/`.startsWith(`${basePath}/`)) ?? "";

/** Whether such a path belongs to an interface. */
export const isOfInterface = (path: string): boolean => basePathOf(path) !== "";
