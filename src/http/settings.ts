import * as v from "valibot";
import { Unavailable } from "../db/errors.ts";
import { oncePer } from "../db/once.ts";
import { PublicUrl } from "./public-url.ts";

/** Counts calls by key. Cloudflare's limiter does not say when its period ends. */
export interface Limiter {
  limit(options: { readonly key: string }): Promise<{
    readonly success: boolean;
    /** Seconds until the period ends. */
    readonly retryAfter?: number;
  }>;
}

/** The rate limiters of wrangler.toml. The package binds only those of password attempts. */
export type Limiters = Partial<Record<"REQUESTS" | "LOGINS" | "LOGINS_PER_USER" | "NEW_SANDBOXES", Limiter>>;

/** The bindings of wrangler.toml, and the settings that it leaves out. */
export interface Bindings extends Omit<Env, keyof Limiters>, Limiters {
  readonly API_KEY?: string;
  /** "no" if Cloudflare does not set `CF-Connecting-IP`, so that any client can write it. */
  readonly BEHIND_CLOUDFLARE?: string;
  readonly SANDBOX_CREATION?: string;
  readonly PUBLIC_URL?: string;
}

/** The key in .dev.vars, which is public and only for local use, without padding. */
const PUBLIC_PASSWORD_KEY = "bG9jYWwgZGV2ZWxvcG1lbnQga2V5LCAzMiBieXRlcyE";

const Text = v.string("must be text");

const atLeast = (minimum: number) =>
  v.pipe(
    Text,
    v.transform(Number),
    v.safeInteger(`must be a whole number of at least ${minimum}`),
    v.minValue(minimum, `must be a whole number of at least ${minimum}`),
  );

/** 32 bytes in base64. */
const PasswordKey = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9+/]{43}=?$/, "must be 32 bytes in base64, or several such keys with commas"),
);

const ENTRIES = {
  ACCESS: v.picklist(["open", "protected"], 'must be "open" or "protected"'),
  API_KEY: v.optional(Text),
  BEHIND_CLOUDFLARE: v.optional(v.picklist(["yes", "no"], "must be yes or no")),
  ENVIRONMENT: v.optional(Text),
  PASSWORD_KEY: v.pipe(
    Text,
    v.minLength(1, "is missing"),
    v.transform((text) => text.split(",").map((key) => key.trim())),
    v.array(PasswordKey),
  ),
  PUBLIC_URL: v.optional(PublicUrl),
  RATE_LIMITS: v.optional(v.picklist(["on", "off"], "must be on or off"), "on"),
  REQUESTS_PER_MINUTE: atLeast(1),
  SANDBOX_CREATION: v.optional(v.picklist(["", "anyone", "key", "nobody"], "must be one of anyone, key, nobody")),
  SANDBOX_SECONDS: atLeast(1),
  // Workers KV keeps an entry for at least a minute.
  SESSION_SECONDS: atLeast(60),
};

const RawSettings = v.object(ENTRIES, "is missing");

/** The Worker's settings. */
export type Settings = ReturnType<typeof parseSettings>;

/**
 * Reads the settings, once for each bindings object.
 * @throws Unavailable with a message that names the invalid setting, without its value
 */
export const getSettings = oncePer(parseSettings);

function parseSettings(bindings: Bindings) {
  const { success, output: env, issues } = v.safeParse(RawSettings, bindings, { abortEarly: true });
  if (!success) throw new Unavailable(`${v.getDotPath(issues[0])} ${issues[0].message}`);
  if (env.ENVIRONMENT !== "local") {
    if (env.PASSWORD_KEY.some((key) => key.replace("=", "") === PUBLIC_PASSWORD_KEY)) {
      throw new Unavailable("PASSWORD_KEY counts as missing: it is the public one in .dev.vars");
    }
    if (env.API_KEY && env.API_KEY.length < 16) {
      throw new Unavailable("API_KEY must have at least 16 characters");
    }
  }
  return {
    isProtected: env.ACCESS === "protected",
    apiKey: env.API_KEY || undefined,
    /** The first key encrypts passwords; each is tried for decryption. */
    passwordKeys: env.PASSWORD_KEY,
    publicUrl: env.PUBLIC_URL || undefined,
    /** The path of `publicUrl`, which a proxy strips. */
    publicPath: env.PUBLIC_URL ? new URL(env.PUBLIC_URL).pathname.replace(/\/$/, "") : "",
    rateLimits: env.RATE_LIMITS,
    requestsPerMinute: env.REQUESTS_PER_MINUTE,
    sandboxCreation: env.SANDBOX_CREATION || (env.ACCESS === "open" ? "anyone" : "key"),
    sandboxSeconds: env.SANDBOX_SECONDS,
    sessionSeconds: env.SESSION_SECONDS,
  };
}
