import { Unavailable } from "./unavailable.ts";

/** Keys in base64, each of 32 bytes: the first seals passwords, and each opens what it sealed (src/keys.ts). */
export type PasswordKeys = readonly [string, ...string[]];

/** The Worker's settings, read from its environment. */
export interface Settings {
  readonly sessionSeconds: number;
  readonly requestsPerMinute: number;
  /** Whether operations demand a credential, as their `access` says. */
  readonly isProtected: boolean;
  /** What the header `api_key` must hold; `undefined`: no key is accepted. */
  readonly apiKey: string | undefined;
  readonly passwordKeys: PasswordKeys;
}

interface OptionalSecrets {
  readonly API_KEY?: string;
}

const known = new WeakMap<Env, Settings>();

/**
 * Reads the settings, once for each environment.
 * @throws Unavailable naming what is missing or wrong: the service fails closed (CONTRACT §6)
 */
export function readSettings(env: Env): Settings {
  let settings = known.get(env);
  if (!settings) {
    const { ACCESS, API_KEY } = env as Pick<Env, "ACCESS"> & OptionalSecrets;
    if (ACCESS !== "open" && ACCESS !== "protected") {
      throw new Unavailable('ACCESS must be "open" or "protected"');
    }
    settings = {
      isProtected: ACCESS === "protected",
      apiKey: API_KEY || undefined,
      // Workers KV expires nothing sooner than after a minute.
      sessionSeconds: wholeNumber(env, "SESSION_SECONDS", 60),
      requestsPerMinute: wholeNumber(env, "REQUESTS_PER_MINUTE", 1),
      passwordKeys: required(env, "PASSWORD_KEY").split(",") as [string, ...string[]],
    };
    known.set(env, settings);
  }
  return settings;
}

type Name = "SESSION_SECONDS" | "REQUESTS_PER_MINUTE" | "PASSWORD_KEY";

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
