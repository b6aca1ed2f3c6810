import { clientAddress } from "../http/address.ts";
import { ApiError } from "../http/errors.ts";
import { enforce } from "../http/rate-limit.ts";
import type { Settings } from "../platform/settings.ts";
import { hasApiKey } from "../user/authenticate.ts";
import { UNKNOWN_SANDBOX } from "./contract.ts";

const HOW = "does not exist: POST /stores creates one, with the API key in the header api_key";

/**
 * Whether the client of a request may create a sandbox (interface §10.2.4). A wrong key counts as a login of its address.
 * @throws ApiError 429 after too many wrong keys; Unavailable
 */
export async function mayCreate(
  headers: Headers,
  { apiKey, storeCreation }: Settings,
  logins: RateLimit,
): Promise<boolean> {
  if (storeCreation !== "key") return storeCreation === "anyone";
  if (hasApiKey(headers, { apiKey })) return true;
  if (headers.has("api_key")) await enforce(logins, `api_key ${clientAddress(headers)}`);
  return false;
}

/** Refuses a request that would create a sandbox, unless its client may. @throws ApiError 404, 429; Unavailable */
export async function refuseCreation(
  headers: Headers,
  settings: Settings,
  logins: RateLimit,
): Promise<void> {
  if (await mayCreate(headers, settings, logins)) return;
  throw new ApiError(UNKNOWN_SANDBOX, { errors: [{ path: "store", message: HOW }] });
}
