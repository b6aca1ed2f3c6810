/** The base paths of the specification's interface and of Petstore 3 (interface §11). */
export const BASE_PATHS = ["/v2", "/api/v3"] as const;
export const [BASE_PATH, PETSTORE3_PATH] = BASE_PATHS;

/** The path of a sandbox, as a pattern of Hono's. The same interfaces are below it. */
export const SANDBOX_PATH = "/stores/:store";

/** The name of a sandbox. Anyone who knows it can use the sandbox. */
const SANDBOX_NAME = /^[\w-]{16,64}$/;

/** The message of the 404 for any other name. */
export const SANDBOX_NAME_RULE = "must have 16 to 64 characters of A-Z a-z 0-9 _ -";

/** Whether this decoded name is one of a sandbox, and the URL has it unescaped: a sandbox has only one path. */
export function isSandboxName(name: string, url: string): boolean {
  return SANDBOX_NAME.test(name) && `${new URL(url).pathname}/`.startsWith(`/stores/${name}/`);
}
