import { sha256, utf8 } from "./crypto.ts";
import { Unavailable } from "./failures.ts";

/** Keys of 32 bytes in base64. The first seals passwords; each opens what it sealed (src/platform/keys.ts). */
export type PasswordKeys = readonly [string, ...string[]];

const STORE_CREATIONS = ["anyone", "key", "nobody"] as const;

/** Who may create a sandbox: anyone, the holder of the API key, or nobody. With nobody, only the local store exists. */
type StoreCreation = (typeof STORE_CREATIONS)[number];

/** The Worker's settings, read from its environment. */
export interface Settings {
  readonly sessionSeconds: number;
  readonly requestsPerMinute: number;
  /** Whether operations check credentials, as their `access` says. */
  readonly isProtected: boolean;
  /** The only accepted value of the header `api_key`. `undefined`: none is accepted. */
  readonly apiKey: string | undefined;
  readonly passwordKeys: PasswordKeys;
  /** How long a sandbox lives after its last request. */
  readonly storeSeconds: number;
  readonly storeCreation: StoreCreation;
  /** The local store: a sandbox that is served in place of the shared store. */
  readonly localStore: string | undefined;
  /** Whether full records show secrets by default: in the package, unless it keeps data or protects access. */
  readonly showsSecrets: boolean;
  /** Host names of the machine that serves the local store. */
  readonly localHosts: readonly string[];
  /** Initial data of the local store: JSON, as for `PUT …/data`. Default: none. */
  readonly localData: string | undefined;
}

/** Variables that wrangler.toml does not set. */
interface Optional {
  readonly API_KEY?: string;
  readonly LOCAL_STORE?: string;
  readonly LOCAL_HOSTS?: string;
  readonly STORE_CREATION?: string;
  readonly STORE_KEPT?: string;
  readonly STORE_DATA?: string;
}

/** The SHA-256 of the public `PASSWORD_KEY` in wrangler.toml, which is for local use. */
const PUBLIC_KEY_SHA256 = "b470d66f89b686b8d483984fa4ea414fade865c38c2fc104c561727cff5f93ea";

/** The shortest API key, in characters, unless the Worker runs locally. */
const LEAST_API_KEY = 16;

const known = new WeakMap<Env, Settings>();

/**
 * Reads the settings, once for each environment. Unless the Worker runs locally (`ENVIRONMENT` in wrangler.toml), a
 * secret that others know or can guess counts as missing.
 * @throws Unavailable if a setting is missing or wrong: the service fails closed (interface §6.6)
 */
export async function readSettings(env: Env & Optional): Promise<Settings> {
  const before = known.get(env);
  if (before) return before;
  const {
    ACCESS,
    API_KEY,
    LOCAL_STORE,
    LOCAL_HOSTS = "",
    STORE_CREATION,
    STORE_KEPT,
    STORE_DATA,
  } = env;
  if (ACCESS !== "open" && ACCESS !== "protected") {
    throw new Unavailable('ACCESS must be "open" or "protected"');
  }
  const [first = "", ...others] = required(env, "PASSWORD_KEY").split(",");
  const passwordKeys: PasswordKeys = [first, ...others];
  if (env.ENVIRONMENT !== "local") await refuseWeakSecrets(passwordKeys, API_KEY);
  const settings = {
    isProtected: ACCESS === "protected",
    apiKey: API_KEY || undefined,
    // Workers KV cannot keep an entry for less than a minute.
    sessionSeconds: wholeNumber(env, "SESSION_SECONDS", 60),
    requestsPerMinute: wholeNumber(env, "REQUESTS_PER_MINUTE", 1),
    passwordKeys,
    storeSeconds: wholeNumber(env, "STORE_SECONDS", 1),
    storeCreation: storeCreationOf(STORE_CREATION || (ACCESS === "open" ? "anyone" : "key")),
    localStore: LOCAL_STORE || undefined,
    showsSecrets: Boolean(LOCAL_STORE) && !STORE_KEPT && ACCESS === "open",
    localHosts: LOCAL_HOSTS.toLowerCase().split(","),
    localData: STORE_DATA || undefined,
  };
  known.set(env, settings);
  return settings;
}

function storeCreationOf(stated: string): StoreCreation {
  const creation = STORE_CREATIONS.find((each) => each === stated);
  if (creation) return creation;
  throw new Unavailable(`STORE_CREATION must be one of ${STORE_CREATIONS.join(", ")}`);
}

async function refuseWeakSecrets(keys: PasswordKeys, apiKey: string | undefined): Promise<void> {
  for (const key of keys) {
    // White space and padding do not change the bytes of a key.
    const digest = await sha256(utf8(key.replaceAll(/[\s=]/g, "")));
    if (digest.toHex() !== PUBLIC_KEY_SHA256) continue;
    throw new Unavailable("PASSWORD_KEY counts as missing: it is the public one in wrangler.toml");
  }
  if (apiKey && apiKey.length < LEAST_API_KEY) {
    throw new Unavailable(
      `API_KEY counts as missing: it is shorter than ${LEAST_API_KEY} characters`,
    );
  }
}

type Name = "SESSION_SECONDS" | "STORE_SECONDS" | "REQUESTS_PER_MINUTE" | "PASSWORD_KEY";

function required(env: Env, name: Name): string {
  const value = env[name];
  if (!value) throw new Unavailable(`${name} is missing`);
  return value;
}

function wholeNumber(env: Env, name: Name, least: number): number {
  const value = Number(required(env, name));
  if (Number.isSafeInteger(value) && value >= least) return value;
  const instead = name === "STORE_SECONDS" ? '; STORE_CREATION = "nobody" ends sandboxes' : "";
  throw new Unavailable(`${name} must be a whole number of at least ${least}${instead}`);
}
