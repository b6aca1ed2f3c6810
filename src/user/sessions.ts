import { sha256, utf8 } from "../platform/crypto.ts";
import type { Session, SessionSpace } from "../services.ts";
import { time, tryRepeatedly } from "../platform/failures.ts";

const TOKEN_BYTES = 32;
const COOKIE = "session";

/** The most cookies that are read. A header has room for 64,000. */
const MAX_COOKIES = 200;

/** What a token looks like: base64url. */
const TOKEN = /^[\w-]{43}$/;

/** KV takes one write of a key in this time, in milliseconds, so it refuses to delete a session that has just begun. */
const KV_WRITE_MS = 1000;

/**
 * Sessions in Workers KV. Ending one does not fail: the deletion is tried again after the answer (interface §6.3).
 * @param retryLater gets the fault of the deletion, and its next try, which may fail too
 */
export const sessionsInKv = (
  kv: KVNamespace,
  retryLater: (fault: unknown, next: Promise<unknown>) => void,
): SessionSpace => ({
  get: async (key) => (await tryRepeatedly(() => kv.get<Session>(key, "json"))) ?? undefined,
  put: async (key, session, expirationTtl) =>
    tryRepeatedly(() => kv.put(key, JSON.stringify(session), { expirationTtl })),
  async delete(key) {
    const end = async () => tryRepeatedly(() => kv.delete(key));
    try {
      await end();
    } catch (fault) {
      retryLater(fault, time.wait(KV_WRITE_MS).then(end));
    }
  },
});

const base64url = (bytes: Uint8Array): string =>
  bytes.toBase64({ alphabet: "base64url", omitPadding: true });

const keyOf = async (token: string): Promise<string> => base64url(await sha256(utf8(token)));

/**
 * Begins a session: one call.
 * @param now milliseconds since the epoch
 * @returns its token: 256 random bits, base64url
 */
export async function beginSession(
  sessions: SessionSpace,
  owner: Pick<Session, "userId" | "credentialId">,
  now: number,
  seconds: number,
): Promise<{ readonly token: string; readonly expiresAt: number }> {
  const token = base64url(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));
  const expiresAt = now + seconds * 1000;
  await sessions.put(await keyOf(token), { ...owner, expiresAt }, seconds);
  return { token, expiresAt };
}

/** A stored session, with its key. The key identifies the session, but is not its token. */
type FoundSession = Session & { readonly key: string };

/** The session of this token, unless it has expired: KV may show it a while longer. At most one call. */
export async function findSession(
  sessions: SessionSpace,
  token: string,
  now: number,
): Promise<FoundSession | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const key = await keyOf(token);
  const session = await sessions.get(key);
  return session && now < session.expiresAt ? { ...session, key } : undefined;
}

/** The most sessions that one request ends. */
const MAX_ENDED = 10;

/** Ends the sessions of the first ten of these tokens, if they exist. One call for each. */
export async function endSessions(
  sessions: SessionSpace,
  tokens: readonly string[],
): Promise<void> {
  const ended = tokens.filter((token) => TOKEN.test(token)).slice(0, MAX_ENDED);
  const keys = await Promise.all(ended.map(keyOf));
  await Promise.all(keys.map(async (key) => sessions.delete(key)));
}

/** The parts of a request that may contain tokens. */
interface Presented {
  readonly method: string;
  readonly headers: Headers;
}

/**
 * Whether the cookies of a request count. Despite `SameSite`, browsers send them for pages of other ports and sibling
 * subdomains. Such pages must not write in a user's name
 * (https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site).
 */
function mayUseCookies(method: string, headers: Headers): boolean {
  const site = headers.get("Sec-Fetch-Site") ?? "none";
  return method === "GET" || method === "HEAD" || site === "same-origin" || site === "none";
}

/**
 * The tokens that a request presents, each once: the bearer token, then the cookies. Browsers put the cookie with the
 * longest path first (RFC 6265 §5.4). Only the first token decides who sent the request: the others could be another user's.
 */
export function presentedTokens({ method, headers }: Presented): readonly string[] {
  const [, bearer] = /^Bearer +(.+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  // `hono/cookie` keeps one of several cookies with the same name, and a logout ends the session of each.
  const cookies = mayUseCookies(method, headers) ? (headers.get("cookie") ?? "") : "";
  const tokens = cookies.split(";", MAX_COOKIES).flatMap((pair) => {
    const cookie = pair.trim();
    if (!cookie.startsWith(`${COOKIE}=`)) return [];
    // The value may be quoted (RFC 6265 §4.1.1). An empty value means that the cookie was cleared.
    return cookie.slice(COOKIE.length + 1).replaceAll('"', "") || [];
  });
  return [...new Set(bearer === undefined ? tokens : [bearer, ...tokens])];
}

/**
 * A `Set-Cookie`. `hono/cookie` would refuse sessions of more than 400 days.
 * @param seconds how long the token is kept; 0 clears the cookie
 */
export function sessionCookie(
  token: string,
  seconds: number,
  { url, basePath }: { readonly url: string; readonly basePath: string },
): string {
  const secure = url.startsWith("https:") ? "; Secure" : "";
  return `${COOKIE}=${token}; HttpOnly; SameSite=Strict; Path=${basePath}; Max-Age=${seconds}${secure}`;
}
