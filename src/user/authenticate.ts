import type { Principal, Services } from "../context.ts";
import { isSameSecret, utf8 } from "../crypto.ts";
import { ApiError } from "../http/errors.ts";
import type { Operation } from "../http/operation.ts";
import type { Settings } from "../settings.ts";
import { findAccountOfSession } from "./queries.ts";
import { findSession, presentedTokens } from "./sessions.ts";

/**
 * Who sent a request: the API key's holder, or the user of a live session. A session is live while it has not expired
 * and the account still has the credential that it began with (interface §6.2). Counts the request of the session.
 * @returns `undefined` where the operation demands no credential
 * @throws ApiError 401 where there is none that is good, 429 where the session sent too many requests
 */
export async function authenticate(
  { access }: Operation,
  headers: Headers,
  { db, sessions, settings, now, countRequest }: Services,
): Promise<Principal | undefined> {
  if (access === "anyone" || !settings.isProtected) return undefined;
  if (hasApiKey(headers, settings)) return { kind: "api key" };
  const [token] = presentedTokens(headers);
  // Where no token was presented the challenge names no error (RFC 6750 §3.1).
  if (token === undefined) throw unauthenticated("");
  const session = await findSession(sessions, token, now());
  if (!session) throw unauthenticated(DEAD_TOKEN);
  const account = await findAccountOfSession(db, session);
  if (!account) throw unauthenticated(DEAD_TOKEN);
  await countRequest(session.key);
  const { userId: id, credentialId } = session;
  return { kind: "user", id, ...account, credentialId };
}

/** A key that is wrong counts as none: clients of Swagger Petstore send "special-key" beside their session. */
function hasApiKey(headers: Headers, { apiKey }: Settings): boolean {
  const sent = headers.get("api_key");
  return sent !== null && apiKey !== undefined && isSameSecret(utf8(sent), utf8(apiKey));
}

const DEAD_TOKEN = ', error="invalid_token"';

function unauthenticated(error: string): ApiError {
  return ApiError.general(401, {
    headers: { "WWW-Authenticate": `Bearer realm="pet store"${error}` },
  });
}
