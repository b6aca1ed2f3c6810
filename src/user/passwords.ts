import { utf8 } from "../crypto.ts";
import { keyringOf } from "../keys.ts";
import type { Key, Keyring } from "../keys.ts";
import type { PasswordKeys } from "../settings.ts";
import { Unavailable } from "../failures.ts";
import { isSameSecret } from "../crypto.ts";

const IV_BYTES = 12;

/** A password as it is stored, and the random id that it is bound to. */
export interface Credential {
  /** `null` if there is no password. Then nobody can log in. */
  readonly sealedPassword: string | null;
  readonly credentialId: string;
}

interface Sealed extends Credential {
  readonly sealedPassword: string;
}

/** The service compares the password with this if the account has none. */
const decoys = new WeakMap<Keyring, Promise<Sealed>>();

async function decoyOf(keyring: Keyring): Promise<Sealed> {
  let decoy = decoys.get(keyring);
  if (!decoy) {
    decoy = seal(keyring.current, crypto.randomUUID(), crypto.randomUUID());
    decoys.set(keyring, decoy);
  }
  return decoy;
}

/** The stored form: the id of the key, a dot, and in base64 the nonce, the ciphertext and its tag. */
const STORED = /^([\da-f]{16})\.(.+)$/;

async function seal({ id, sealing }: Key, password: string, credentialId: string): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await crypto.subtle.encrypt(
    { name: "AES-GCM", iv, additionalData: utf8(credentialId) },
    sealing,
    utf8(password),
  );
  const bytes = new Uint8Array(IV_BYTES + sealed.byteLength);
  bytes.set(iv);
  bytes.set(new Uint8Array(sealed), IV_BYTES);
  return { sealedPassword: `${id}.${bytes.toBase64()}`, credentialId };
}

/** The password in UTF-8. @throws Unavailable if its key is not configured, or if someone tampered with the row */
async function open(
  { all }: Keyring,
  { sealedPassword, credentialId }: Sealed,
): Promise<Uint8Array> {
  const [, keyId, base64 = ""] = STORED.exec(sealedPassword) ?? [];
  const key = all.find(({ id }) => id === keyId);
  if (keyId !== undefined && !key) {
    throw new Unavailable(
      `a password is sealed by the key ${keyId}, which PASSWORD_KEY does not have`,
    );
  }
  try {
    if (!key) throw new Error("names no key");
    const bytes = Uint8Array.fromBase64(base64);
    const iv = bytes.subarray(0, IV_BYTES);
    const password = await crypto.subtle.decrypt(
      { name: "AES-GCM", iv, additionalData: utf8(credentialId) },
      key.sealing,
      bytes.subarray(IV_BYTES),
    );
    return new Uint8Array(password);
  } catch {
    throw new Unavailable("a sealed password did not open");
  }
}

function isSealed(credential: Credential | undefined): credential is Sealed {
  return typeof credential?.sealedPassword === "string";
}

/**
 * Seals a password with a new credential id as the associated data. If the sealed password is moved to another account,
 * it does not open (docs/decisions/004-sealed-passwords.md).
 */
export async function sealPassword(
  keys: PasswordKeys,
  password: string | undefined,
): Promise<Credential> {
  const { current } = await keyringOf(keys);
  const credentialId = crypto.randomUUID();
  return password === undefined
    ? { sealedPassword: null, credentialId }
    : seal(current, password, credentialId);
}

/**
 * Seals a password again after a login proved it, if a key other than the first sealed it. The credential id stays the
 * same, so sessions continue.
 * @returns `undefined` if there is nothing to do
 */
export async function resealPassword(
  keys: PasswordKeys,
  credential: Credential,
  password: string,
): Promise<Sealed | undefined> {
  const { current } = await keyringOf(keys);
  if (credential.sealedPassword?.startsWith(`${current.id}.`)) return undefined;
  return seal(current, password, credential.credentialId);
}

// A password may begin with U+FEFF, which the decoder would drop as a byte order mark.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The password in clear. @throws Unavailable if its key is not configured, or if someone tampered with the row */
export async function openPassword(
  keys: PasswordKeys,
  credential: Credential,
): Promise<string | undefined> {
  if (!isSealed(credential)) return undefined;
  return decoder.decode(await open(await keyringOf(keys), credential));
}

/**
 * Whether this is the password. The comparison takes constant time. It takes the same time if there is no account or no
 * password (interface §6.1).
 */
export async function isPassword(
  keys: PasswordKeys,
  credential: Credential | undefined,
  password: string,
): Promise<boolean> {
  const keyring = await keyringOf(keys);
  const known = isSealed(credential);
  const decoy = await decoyOf(keyring);
  const stored = await open(keyring, known ? credential : decoy);
  return isSameSecret(utf8(password), stored) && known;
}
