import { parse } from "hono/utils/cookie";
import { sha256, utf8 } from "../hash.ts";
import { available } from "../unavailable.ts";

const TOKEN_BYTES = 32;
const COOKIE = "session";

/** Whose session it is. Stored in KV under the SHA-256 of the token, so that a leak opens nothing. */
export interface Session {
  readonly userId: number;
  /** The account's credential id at login: the session ends when the account has another. */
  readonly credentialId: string;
  /** When it ends, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

async function keyOf(token: string): Promise<string> {
  return (await sha256(utf8(token))).toBase64({ alphabet: "base64url", omitPadding: true });
}

/**
 * Begins a session. One KV call.
 * @param now milliseconds since the epoch
 * @returns its token: 256 random bits, base64url
 */
export async function beginSession(
  sessions: KVNamespace,
  owner: Pick<Session, "userId" | "credentialId">,
  now: number,
  seconds: number,
): Promise<{ readonly token: string; readonly expiresAt: number }> {
  const token = crypto
    .getRandomValues(new Uint8Array(TOKEN_BYTES))
    .toBase64({ alphabet: "base64url", omitPadding: true });
  const session: Session = { ...owner, expiresAt: now + seconds * 1000 };
  const key = await keyOf(token);
  await available(() => sessions.put(key, JSON.stringify(session), { expirationTtl: seconds }));
  return { token, expiresAt: session.expiresAt };
}

/** A session as it was found: with its key in KV, which names it without being its token. */
export type FoundSession = Session & { readonly key: string };

/** The session of this token, unless it is over: KV may show one for a while after it expired. */
export async function findSession(
  sessions: KVNamespace,
  token: string,
  now: number,
): Promise<FoundSession | undefined> {
  const key = await keyOf(token);
  const session = await available(() => sessions.get<Session>(key, "json"));
  return session && now < session.expiresAt ? { ...session, key } : undefined;
}

/** Ends the session of this token, if there is one. One KV call. */
export async function endSession(sessions: KVNamespace, token: string): Promise<void> {
  const key = await keyOf(token);
  await available(() => sessions.delete(key));
}

/** The token that a request presents: as a bearer token, else as the cookie. */
export function presentedToken(headers: Headers): string | undefined {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  return bearer ?? parse(headers.get("cookie") ?? "", COOKIE)[COOKIE];
}

/**
 * A `Set-Cookie` that keeps the token, or clears the cookie.
 * @param seconds how long it is kept; 0 clears it
 */
export function sessionCookie(token: string, seconds: number, url: string): string {
  const secure = url.startsWith("https:") ? "; Secure" : "";
  return `${COOKIE}=${token}; HttpOnly; SameSite=Strict; Path=/v2; Max-Age=${seconds}${secure}`;
}
