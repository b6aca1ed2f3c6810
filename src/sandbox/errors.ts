import { ApiError } from "../http/errors.ts";

/** Returns the 404 of a sandbox that does not exist. */
export const noSandbox = (message = "does not exist: POST /sandboxes creates one, with the API key if required") =>
  new ApiError([404, "Sandbox not found"], [{ path: "sandbox", message }]);

/** Returns the 507 of a sandbox that has reached a limit. */
export const full = (limit: string) => [507, `A sandbox has at most ${limit}`] as const;

export const FULL = full("10 MB of data");
