import { utf8 } from "./crypto.ts";
import type { PasswordKeys } from "./settings.ts";
import { Unavailable } from "./failures.ts";

const KEY_BYTES = 32;
const ID_BITS = 64;

/** The keys derived from one key in `PASSWORD_KEY`. That key has no other use. */
export interface Key {
  /** Identifies the key without revealing it: 16 hexadecimal digits. */
  readonly id: string;
  /** AES-GCM, for passwords. */
  readonly sealing: CryptoKey;
  /** HMAC-SHA-256, for idempotency keys and the content of their requests. */
  readonly marking: CryptoKey;
}

/** The configured keys. */
export interface Keyring {
  /** Seals passwords. */
  readonly current: Key;
  /** Every key once. The order does not depend on which one seals. */
  readonly all: readonly Key[];
}

const keyrings = new WeakMap<PasswordKeys, Promise<Keyring>>();

/**
 * The keys, derived once for each environment.
 * @throws Unavailable if one is not 32 bytes in base64
 */
export async function keyringOf(keys: PasswordKeys): Promise<Keyring> {
  let keyring = keyrings.get(keys);
  if (!keyring) {
    keyring = deriveKeys(keys);
    keyrings.set(keys, keyring);
  }
  return keyring;
}

async function deriveKeys(texts: PasswordKeys): Promise<Keyring> {
  const [first, ...others] = texts;
  const keys = await Promise.all([deriveKey(first), ...others.map(deriveKey)]);
  const byId = new Map(keys.map((key) => [key.id, key]));
  return {
    current: keys[0],
    all: [...byId.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1)),
  };
}

/** HKDF (RFC 5869) without salt. A derived key reveals nothing about the others or about the original. */
const hkdf = (use: string) => ({
  name: "HKDF",
  hash: "SHA-256",
  salt: new Uint8Array(),
  info: utf8(use),
});

async function deriveKey(text: string): Promise<Key> {
  const bytes = decodeBase64(text);
  if (bytes?.byteLength !== KEY_BYTES) {
    throw new Unavailable(
      "PASSWORD_KEY must be 32 bytes in base64, or several such keys separated by commas",
    );
  }
  const { subtle } = crypto;
  const root = await subtle.importKey("raw", bytes, "HKDF", false, ["deriveKey", "deriveBits"]);
  const cipher = { name: "AES-GCM", length: 256 };
  const hmac = { name: "HMAC", hash: "SHA-256", length: 256 };
  return {
    id: new Uint8Array(await subtle.deriveBits(hkdf("key id"), root, ID_BITS)).toHex(),
    sealing: await subtle.deriveKey(hkdf("passwords"), root, cipher, false, ["encrypt", "decrypt"]),
    marking: await subtle.deriveKey(hkdf("idempotency keys"), root, hmac, false, ["sign"]),
  };
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return undefined;
  }
}
