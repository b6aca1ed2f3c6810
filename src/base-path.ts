/** The base path of the interface. */
export const BASE_PATH = "/v2";
