/** The base path of the interface. */
export const BASE_PATH = "/v2";

/** Whether a path, without that of a sandbox, is one of the interface. */
export const isOfInterface = (path: string): boolean => `${path}/`.startsWith(`${BASE_PATH}/`);
