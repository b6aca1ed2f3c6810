import { retry } from "../db/retry.ts";
import { sha256 } from "../db/sha256.ts";

/** The part of Workers KV that sessions use. */
export interface Sessions {
  get(key: string): Promise<string | null>;
  put(key: string, value: string, options: { expirationTtl: number }): Promise<void>;
  delete(key: string): Promise<void>;
}

/** A session. It ends when the credential changes. */
export interface Session {
  readonly userId: number;
  readonly credentialId: string;
  /** In milliseconds since the epoch. KV may return an entry for a while after it has expired. */
  readonly expiresAt: number;
}

/**
 * Begins a session.
 * @returns the token, 256 random bits in base64url, of which only the SHA-256 is stored
 */
export async function beginSession(
  sessions: Sessions,
  { id, credentialId }: { readonly id: number; readonly credentialId: string },
  seconds: number,
): Promise<{ readonly token: string; readonly expiresAt: number }> {
  const token = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  const expiresAt = Date.now() + seconds * 1000;
  const session: Session = { userId: id, credentialId, expiresAt };
  const key = await sha256(token);
  await retry(() => sessions.put(key, JSON.stringify(session), { expirationTtl: seconds }));
  return { token, expiresAt };
}

/** Finds the session of a token, unless it has expired. */
export async function findSession(sessions: Sessions, token: string): Promise<Session | undefined> {
  const key = await sha256(token);
  const text = await retry(() => sessions.get(key));
  const session = text === null ? undefined : (JSON.parse(text) as Session);
  return session && Date.now() < session.expiresAt ? session : undefined;
}

/** Ends the session of a token, if any. */
export async function endSession(sessions: Sessions, token: string): Promise<void> {
  const key = await sha256(token);
  await retry(() => sessions.delete(key));
}
