import { sha256, utf8 } from "./crypto.ts";
import { Unavailable } from "./failures.ts";

/** Keys of 32 bytes in base64. The first seals passwords, and each opens the passwords that it sealed (src/keys.ts). */
export type PasswordKeys = readonly [string, ...string[]];

/** The Worker's settings, read from its environment. */
export interface Settings {
  readonly sessionSeconds: number;
  readonly requestsPerMinute: number;
  /** Whether operations check credentials, as their `access` says. */
  readonly isProtected: boolean;
  /** What the header `api_key` must contain; `undefined`: no key is accepted. */
  readonly apiKey: string | undefined;
  readonly passwordKeys: PasswordKeys;
  /** How long a sandbox lives after its last use. 0: there are no sandboxes. */
  readonly storeSeconds: number;
  /** The sandbox that is served in place of the shared store, if any. */
  readonly localStore: string | undefined;
  /** Whether the local sandbox is the only one. */
  readonly isSingle: boolean;
  /** Whether full records show secrets by default: in the package, unless it keeps data or protects access. */
  readonly showsSecrets: boolean;
  /** The names that the machine has which serves it. */
  readonly localHosts: readonly string[];
  /** What that one holds when it is made: JSON like the body of `PUT …/data`. Default: nothing. */
  readonly localData: string | undefined;
}

interface Optional {
  readonly API_KEY?: string;
  readonly LOCAL_STORE?: string;
  readonly LOCAL_HOSTS?: string;
  readonly SINGLE_STORE?: string;
  readonly STORE_KEPT?: string;
  readonly STORE_DATA?: string;
}

/** The SHA-256 of the local `PASSWORD_KEY` in wrangler.toml, which anyone can read. */
const PUBLIC_KEY_SHA256 = "b470d66f89b686b8d483984fa4ea414fade865c38c2fc104c561727cff5f93ea";

/** The smallest number of characters of an API key, unless the Worker runs locally. */
const LEAST_API_KEY = 16;

const known = new WeakMap<Env, Settings>();

/**
 * Reads the settings, once for each environment. Unless the Worker runs on a developer's machine (`ENVIRONMENT` in
 * wrangler.toml), a secret that others know or can guess counts as missing.
 * @throws Unavailable which names what is missing or wrong: the service fails closed (interface §6.6)
 */
export async function readSettings(env: Env): Promise<Settings> {
  const before = known.get(env);
  if (before) return before;
  const {
    ACCESS,
    API_KEY,
    LOCAL_STORE,
    LOCAL_HOSTS = "",
    SINGLE_STORE,
    STORE_KEPT,
    STORE_DATA,
  } = env as Pick<Env, "ACCESS"> & Optional;
  if (ACCESS !== "open" && ACCESS !== "protected") {
    throw new Unavailable('ACCESS must be "open" or "protected"');
  }
  const passwordKeys = required(env, "PASSWORD_KEY").split(",") as [string, ...string[]];
  if (env.ENVIRONMENT !== "local") await refuseWeakSecrets(passwordKeys, API_KEY);
  const settings = {
    isProtected: ACCESS === "protected",
    apiKey: API_KEY || undefined,
    // Workers KV keeps each entry for at least a minute.
    sessionSeconds: wholeNumber(env, "SESSION_SECONDS", 60),
    requestsPerMinute: wholeNumber(env, "REQUESTS_PER_MINUTE", 1),
    passwordKeys,
    storeSeconds: wholeNumber(env, "STORE_SECONDS", 0),
    localStore: LOCAL_STORE || undefined,
    isSingle: Boolean(LOCAL_STORE && SINGLE_STORE),
    showsSecrets: Boolean(LOCAL_STORE) && !STORE_KEPT && ACCESS === "open",
    localHosts: LOCAL_HOSTS.toLowerCase().split(","),
    localData: STORE_DATA || undefined,
  };
  known.set(env, settings);
  return settings;
}

async function refuseWeakSecrets(keys: PasswordKeys, apiKey: string | undefined): Promise<void> {
  for (const key of keys) {
    // The public key has the same bytes with other white space and padding.
    const digest = await sha256(utf8(key.replaceAll(/[\s=]/g, "")));
    if (digest.toHex() !== PUBLIC_KEY_SHA256) continue;
    throw new Unavailable("PASSWORD_KEY counts as missing: it has the public key of wrangler.toml");
  }
  if (apiKey && apiKey.length < LEAST_API_KEY) {
    throw new Unavailable(
      `API_KEY counts as missing: it has fewer than ${LEAST_API_KEY} characters`,
    );
  }
}

type Name = "SESSION_SECONDS" | "STORE_SECONDS" | "REQUESTS_PER_MINUTE" | "PASSWORD_KEY";

function required(env: Partial<Pick<Env, Name>>, name: Name): string {
  const value = env[name];
  if (!value) throw new Unavailable(`${name} is missing`);
  return value;
}

function wholeNumber(env: Env, name: Name, least: number): number {
  const value = Number(required(env, name));
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new Unavailable(`${name} must be a whole number of at least ${least}`);
}
