import type { Database } from "../db/client.ts";
import { utf8 } from "../hash.ts";
import type { Principal } from "../env.ts";
import type { Settings } from "../settings.ts";
import { findUserOfSession } from "./queries.ts";
import { isSameSecret } from "./secrets.ts";
import { findSession, presentedToken } from "./sessions.ts";

/** What proving who sent a request takes. */
interface Means {
  readonly db: Database;
  readonly sessions: KVNamespace;
  readonly settings: Settings;
  readonly now: () => number;
}

/**
 * Who sent a request: the API key's holder, or the user of a live session. A session is live while it has
 * not expired and the account still has the credential that it began with (CONTRACT §6).
 */
export async function authenticate(
  headers: Headers,
  { db, sessions, settings, now }: Means,
): Promise<Principal | undefined> {
  const key = headers.get("api_key");
  if (
    key !== null &&
    settings.apiKey !== undefined &&
    isSameSecret(utf8(key), utf8(settings.apiKey))
  ) {
    return { kind: "api key" };
  }
  const token = presentedToken(headers);
  const session = token === undefined ? undefined : await findSession(sessions, token, now());
  if (!session) return undefined;
  db.usePrimary();
  const username = await findUserOfSession(db, session);
  return username === undefined
    ? undefined
    : { kind: "user", username, session: session.key, credentialId: session.credentialId };
}
