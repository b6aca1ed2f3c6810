import type { Principal, Services } from "../services.ts";
import { isSameSecret, utf8 } from "../platform/crypto.ts";
import { ApiError } from "../http/errors.ts";
import type { Operation } from "../http/operation.ts";
import type { Settings } from "../platform/settings.ts";
import { findAccountOfSession } from "./queries.ts";
import { findSession, presentedTokens } from "./sessions.ts";

/**
 * Finds out who sent a request: the holder of the API key, or the user of a session, whose request it counts. A session
 * ends when it expires, or when its account has another credential (interface §6.2).
 * @returns `undefined` if the operation needs no credential
 * @throws ApiError 401 if there is no valid credential, 429 if the session sent too many requests
 */
export async function authenticate(
  { access }: Operation,
  request: Request,
  { db, sessions, settings, now, countRequest }: Services,
): Promise<Principal | undefined> {
  if (access === "anyone" || !settings.isProtected) return undefined;
  if (hasApiKey(request.headers, settings)) return { kind: "api key" };
  const [token] = presentedTokens(request);
  // If the request has no token, the challenge names no error (RFC 6750 §3.1).
  if (token === undefined) throw unauthenticated();
  const session = await findSession(sessions, token, now());
  if (!session) throw unauthenticated(DEAD_TOKEN);
  const account = await findAccountOfSession(db, session);
  if (!account) throw unauthenticated(DEAD_TOKEN);
  await countRequest(session.key);
  const { userId: id, credentialId } = session;
  return { kind: "user", id, ...account, credentialId };
}

/**
 * Whether a request has the API key. A wrong key counts as none, because clients of Swagger Petstore send "special-key"
 * together with their session.
 */
export function hasApiKey(headers: Headers, { apiKey }: Pick<Settings, "apiKey">): boolean {
  const sent = headers.get("api_key");
  return sent !== null && apiKey !== undefined && isSameSecret(utf8(sent), utf8(apiKey));
}

const DEAD_TOKEN = ', error="invalid_token"';

/** 401 with the challenge that it must have (RFC 9110 §15.5.2). */
export function unauthenticated(error = ""): ApiError {
  return ApiError.general("unauthenticated", {
    headers: { "WWW-Authenticate": `Bearer realm="pet store"${error}` },
  });
}
