import type { Database } from "../db/client.ts";
import { utf8 } from "../hash.ts";
import type { Proof } from "../env.ts";
import type { Settings } from "../settings.ts";
import { findAccountOfSession } from "./queries.ts";
import { isSameSecret } from "./secrets.ts";
import { findSession, presentedTokens } from "./sessions.ts";

/** What proving who sent a request takes. */
interface Means {
  readonly db: Database;
  readonly sessions: KVNamespace;
  readonly settings: Settings;
  readonly now: () => number;
}

/**
 * Who sent a request: the API key's holder, or the user of a live session. A session is live while it has
 * not expired and the account still has the credential that it began with (interface §6.2). A key that is wrong counts
 * as none: clients of Swagger Petstore send "special-key" beside their session.
 */
export async function authenticate(
  headers: Headers,
  { db, sessions, settings, now }: Means,
): Promise<Proof> {
  const key = headers.get("api_key");
  if (
    key !== null &&
    settings.apiKey !== undefined &&
    isSameSecret(utf8(key), utf8(settings.apiKey))
  ) {
    return { kind: "api key" };
  }
  const [token] = presentedTokens(headers);
  if (token === undefined) return undefined;
  const session = await findSession(sessions, token, now());
  if (!session) return "dead token";
  db.usePrimary();
  const account = await findAccountOfSession(db, session);
  if (!account) return "dead token";
  return {
    kind: "user",
    id: session.userId,
    ...account,
    session: session.key,
    credentialId: session.credentialId,
  };
}
