import { Unavailable } from "../db/errors.ts";

const IV_BYTES = 12;

/** A stored password. */
export interface Credential {
  /** The nonce, ciphertext, and tag in base64; `null` if the account has no password. */
  readonly sealedPassword: string | null;
  /** The associated data: an encrypted password copied to another account cannot be decrypted. */
  readonly credentialId: string;
}

const aesGcmParams = (iv: Uint8Array, credentialId: string) => ({
  name: "AES-GCM",
  iv,
  additionalData: Buffer.from(credentialId),
});

const importKey = async (key: string): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", Buffer.from(key, "base64"), "AES-GCM", false, ["encrypt", "decrypt"]);

/**
 * Encrypts a password under the first key, with a new credential ID.
 * @param keys 32 bytes each, in base64
 */
export async function encryptPassword([key = ""]: readonly string[], password: string | null): Promise<Credential> {
  const credentialId = crypto.randomUUID();
  if (password === null) return { sealedPassword: null, credentialId };
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await crypto.subtle.encrypt(
    aesGcmParams(iv, credentialId),
    await importKey(key),
    Buffer.from(password),
  );
  const sealedPassword = Buffer.concat([iv, new Uint8Array(sealed)]).toString("base64");
  return { sealedPassword, credentialId };
}

/** No key in `PASSWORD_KEY` decrypts a stored password. */
export class NoMatchingKey extends Unavailable {}

/**
 * Decrypts a password with the first key that fits. Returns `null` if the account has no password.
 * @throws NoMatchingKey if no key fits
 */
export async function decryptPassword(
  keys: readonly string[],
  { sealedPassword, credentialId }: Credential,
): Promise<string | null> {
  if (sealedPassword === null) return null;
  const bytes = Buffer.from(sealedPassword, "base64");
  const cipher = aesGcmParams(bytes.subarray(0, IV_BYTES), credentialId);
  for (const key of keys) {
    try {
      const sealed = bytes.subarray(IV_BYTES);
      const password = await crypto.subtle.decrypt(cipher, await importKey(key), sealed);
      return Buffer.from(password).toString();
    } catch (error) {
      // It was encrypted under another key.
      if (!(error instanceof DOMException && error.name === "OperationError")) throw error;
    }
  }
  throw new NoMatchingKey("no key in PASSWORD_KEY opens a stored password");
}

const digest = async (text: string) => crypto.subtle.digest("SHA-256", Buffer.from(text));

/** Compares two secrets in constant time. Their digests have the same length, which `timingSafeEqual` requires. */
export async function isSameSecret(one: string, other: string): Promise<boolean> {
  return crypto.subtle.timingSafeEqual(await digest(one), await digest(other));
}
