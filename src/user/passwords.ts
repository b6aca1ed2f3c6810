import { isSameSecret, utf8 } from "../platform/crypto.ts";
import { Unavailable } from "../platform/failures.ts";
import { keyringOf } from "../platform/keys.ts";
import type { Key, Keyring } from "../platform/keys.ts";
import type { PasswordKeys } from "../platform/settings.ts";
import type { Credential, NewUser, SealedUser } from "./user.ts";

const IV_BYTES = 12;

interface Sealed extends Credential {
  readonly sealedPassword: string;
}

/** The stored form: the id of the key, a dot, and in base64 the nonce, the ciphertext and its tag. */
const STORED = /^([\da-f]{16})\.(.+)$/;

/** Bound to the credential id, a sealed password that is moved to another account does not open. */
const cipherOf = (iv: Uint8Array, credentialId: string) => ({
  name: "AES-GCM",
  iv,
  additionalData: utf8(credentialId),
});

async function seal({ id, sealing }: Key, password: string, credentialId: string): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const sealed = await crypto.subtle.encrypt(cipherOf(iv, credentialId), sealing, utf8(password));
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
    const cipher = cipherOf(bytes.subarray(0, IV_BYTES), credentialId);
    return new Uint8Array(
      await crypto.subtle.decrypt(cipher, key.sealing, bytes.subarray(IV_BYTES)),
    );
  } catch {
    throw new Unavailable("a sealed password did not open");
  }
}

function isSealed(credential: Credential | undefined): credential is Sealed {
  return typeof credential?.sealedPassword === "string";
}

/** Seals a password with a new credential id (docs/decisions/004-sealed-passwords.md). */
export async function sealPassword(
  keys: PasswordKeys,
  password: string | undefined,
): Promise<Credential> {
  const credentialId = crypto.randomUUID();
  const { current } = await keyringOf(keys);
  return password === undefined
    ? { sealedPassword: null, credentialId }
    : seal(current, password, credentialId);
}

/** Seals the passwords of new users. */
export async function sealUsers(
  keys: PasswordKeys,
  users: readonly NewUser[],
): Promise<readonly SealedUser[]> {
  return Promise.all(
    users.map(async (user) => ({ user, credential: await sealPassword(keys, user.password) })),
  );
}

/**
 * Seals a proven password again if a key other than the first sealed it. The credential id stays the same, so sessions
 * continue.
 * @returns `undefined` if there is nothing to do
 */
export async function resealPassword(
  keys: PasswordKeys,
  { sealedPassword, credentialId }: Credential,
  password: string,
): Promise<Credential | undefined> {
  const { current } = await keyringOf(keys);
  if (sealedPassword?.startsWith(`${current.id}.`)) return undefined;
  return seal(current, password, credentialId);
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

/** For each keyring, a sealed password that nobody knows. It is opened if there is no account or no password. */
const decoys = new WeakMap<Keyring, Promise<Sealed>>();

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
  let decoy = decoys.get(keyring);
  if (!decoy) {
    decoy = seal(keyring.current, crypto.randomUUID(), crypto.randomUUID());
    decoys.set(keyring, decoy);
  }
  // Always awaited, so that even a first login takes the same time.
  const other = await decoy;
  const stored = await open(keyring, known ? credential : other);
  return isSameSecret(utf8(password), stored) && known;
}
